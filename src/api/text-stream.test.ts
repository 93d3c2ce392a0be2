import { expect, test } from 'bun:test';
import { textStream } from './text-stream.ts';

const ignore = () => {};

test('no piece is produced before it is read', async () => {
  let produced = 0;
  const stream = textStream(async function* () {
    for (;;) yield `piece ${++produced}\n`;
  }, ignore);
  await new Promise(setImmediate);
  expect(produced).toBe(0);
  const reader = stream.getReader();
  await reader.read();
  await reader.read();
  await new Promise(setImmediate);
  expect(produced).toBe(2);
});

test('a stream that waits for data is aborted when the client disconnects, and cleans up', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const stream = textStream(async function* (signal) {
    try {
      yield 'hello';
      await new Promise((wake) => signal.addEventListener('abort', wake));
    } finally {
      resolve('tidied up');
    }
  }, ignore);
  const reader = stream.getReader();
  await reader.read();
  reader.read().catch(ignore);
  await reader.cancel();
  expect(await promise).toBe('tidied up');
});

test('an error is reported once, and the reader gets it instead of the end of the stream', async () => {
  const reported: unknown[] = [];
  const stream = textStream(
    async function* () {
      yield 'half';
      throw new Error('the store went away');
    },
    (cause) => reported.push(cause),
  );
  const reader = stream.getReader();
  await reader.read();
  await expect(reader.read()).rejects.toThrow('the store went away');
  expect(reported).toEqual([new Error('the store went away')]);
});
