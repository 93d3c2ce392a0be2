import { expect, test } from 'bun:test';
import { textStream } from './text-stream.ts';

const ignore = () => {};

test('nothing is read ahead of the reader', async () => {
  let made = 0;
  const stream = textStream(async function* () {
    for (;;) yield `piece ${++made}\n`;
  }, ignore);
  await new Promise(setImmediate);
  expect(made).toBe(0);
  const reader = stream.getReader();
  await reader.read();
  await reader.read();
  await new Promise(setImmediate);
  expect(made).toBe(2);
});

test('a stream that waits for data notices that the client has gone, and cleans up', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const stream = textStream(async function* (gone) {
    try {
      yield 'hello';
      await new Promise((wake) => gone.addEventListener('abort', wake));
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

test('an error is reported once, and the reader gets no regular end', async () => {
  const faults: unknown[] = [];
  const stream = textStream(
    async function* () {
      yield 'half';
      throw new Error('the store went away');
    },
    (cause) => faults.push(cause),
  );
  const reader = stream.getReader();
  await reader.read();
  await expect(reader.read()).rejects.toThrow('the store went away');
  expect(faults).toEqual([new Error('the store went away')]);
});
