import { expect, test } from 'bun:test';
import { WriteQueue } from './write-queue.ts';

/** A socket that takes this many bytes at a time, while it has room. */
function narrowSocket(perWrite: number) {
  const received: string[] = [];
  let room = perWrite;
  let isShutDown = false;
  const queue = new WriteQueue({
    write: (bytes) => {
      const taken = Buffer.from(bytes as string).subarray(0, room);
      room -= taken.length;
      received.push(taken.toString());
      return taken.length;
    },
    shutdown: () => {
      isShutDown = true;
    },
  });
  return {
    queue,
    drain: () => {
      room = perWrite;
      queue.drained();
    },
    received: () => received.join(''),
    isShutDown: () => isShutDown,
  };
}

test('text and bytes that a socket takes in parts arrive whole and in order, before its end', () => {
  const { queue, drain, received, isShutDown } = narrowSocket(4);
  queue.bytes(Buffer.from('abcdef'));
  queue.text('ghijklm');
  queue.bytes(Buffer.from('nopq'));
  queue.end();
  for (let drains = 0; queue.isFull && drains < 10; drains++) {
    expect(isShutDown()).toBe(false);
    drain();
  }
  expect([received(), isShutDown()]).toEqual(['abcdefghijklmnopq', true]);
});

test('a text that a socket takes in parts is continued where it stopped', () => {
  const { queue, drain, received } = narrowSocket(3);
  queue.text('abcdefgh');
  expect(received()).toBe('abc');
  while (queue.isFull) drain();
  expect(received()).toBe('abcdefgh');
});

test('bytes that wait are copied: the buffer of a socket is reused', () => {
  const { queue, drain, received } = narrowSocket(2);
  const bytes = Buffer.from('abcd');
  queue.bytes(bytes);
  bytes.fill('x');
  drain();
  expect(received()).toBe('abcd');
});

test('a closed socket gets no more', () => {
  const queue = new WriteQueue({ write: () => -1, shutdown: () => {} });
  queue.text('a');
  queue.bytes(Buffer.from('b'));
  expect(queue.isFull).toBe(false);
});
