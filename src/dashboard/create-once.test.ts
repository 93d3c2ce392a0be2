import { afterAll, expect, spyOn, test } from 'bun:test';
import { onceCreator } from './create-once.ts';

const fetched = spyOn(globalThis, 'fetch');
afterAll(() => fetched.mockRestore());

/** Creates a tag with each of these names, with this status of the answer (0 if it is lost), and returns the keys that were sent. */
async function keysOf(attempts: readonly (readonly [name: string, status: number])[]) {
  const create = onceCreator();
  const keys: (string | null)[] = [];
  for (const [name, status] of attempts) {
    fetched.mockImplementation((async (_: string, { headers }: RequestInit) => {
      keys.push(new Headers(headers).get('idempotency-key'));
      return status === 0 ? Promise.reject(new TypeError('lost')) : Response.json({ name }, { status });
    }) as never);
    await create('POST /api/v1/tag', { body: { name } }).catch(() => {});
  }
  return keys;
}

test('an attempt after a lost answer has the same key', async () => {
  const [first, second, third] = await keysOf([
    ['a', 0],
    ['a', 401],
    ['a', 503],
  ]);
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect([second, third]).toEqual([first, first]);
});

test.each([
  ['other input', 'b', 0],
  ['a success', 'a', 200],
  ['a conflict', 'a', 409],
])('after %s, the key is new', async (_, name, status) => {
  const [first, second] = await keysOf([
    ['a', status],
    [name, 200],
  ]);
  expect(second).toMatch(/^[0-9a-f]{32}$/);
  expect(second).not.toBe(first);
});
