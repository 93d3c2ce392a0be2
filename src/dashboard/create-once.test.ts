import { expect, test } from 'bun:test';
import { ApiError, unreachable } from './api-error.ts';
import { onceCreator } from './create-once.ts';

/** Creates with each of these inputs, with this outcome, and returns the keys that were sent. */
async function keysOf(attempts: readonly (readonly [input: string, outcome: Error | null])[]) {
  const create = onceCreator();
  const keys: string[] = [];
  for (const [input, outcome] of attempts) {
    const attempt = create({ input }, async (headers) => {
      keys.push(headers['idempotency-key'] ?? '');
      if (outcome) throw outcome;
    });
    await attempt.catch(() => {});
  }
  return keys;
}

const answered = (status: number) => new ApiError(status, [{ code: 'SOME', sentence: 'Some.', field: null }]);

test('an attempt after a lost answer has the same key', async () => {
  const [first, second, third] = await keysOf([
    ['a', unreachable()],
    ['a', answered(401)],
    ['a', answered(503)],
  ]);
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect([second, third]).toEqual([first, first]);
});

test.each([
  ['other input', 'b', unreachable()],
  ['a success', 'a', null],
  ['a conflict', 'a', answered(409)],
])('after %s, the key is new', async (_, input, outcome) => {
  const [first, second] = await keysOf([
    ['a', outcome],
    [input, null],
  ]);
  expect(second).not.toBe(first);
});
