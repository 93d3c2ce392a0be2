import { expect, test } from 'bun:test';
import { RequestIds } from './request-ids.ts';

test('each request has a unique id, from any thread', () => {
  const [one, other] = [new RequestIds(), new RequestIds()];
  const ids = Array.from({ length: 5_000 }, (_, index) => (index % 2 === 0 ? one : other).next());
  expect(ids.every((id) => /^[\w-]{12}$/.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
});
