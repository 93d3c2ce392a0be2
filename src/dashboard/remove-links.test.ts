import { afterAll, expect, spyOn, test } from 'bun:test';

const fetched = spyOn(globalThis, 'fetch').mockImplementation((async (_: string, { body }: RequestInit) =>
  Response.json(JSON.parse(String(body)))) as never);
// The router reads the address of the page when it is loaded.
const page = Object.getOwnPropertyDescriptor(globalThis, 'location');
Object.defineProperty(globalThis, 'location', {
  configurable: true,
  value: { pathname: '/app', search: '', hash: '' },
});
// A path that the compiler doesn't follow, as tests are checked with other globals than the router's.
const tested: string = './remove-links.ts';
const { removedIds, restoreLinks } = await import(tested);
afterAll(() => {
  fetched.mockRestore();
  if (page) Object.defineProperty(globalThis, 'location', page);
  else Reflect.deleteProperty(globalThis, 'location');
});

test('a link that is restored in the bin is no longer hidden in the list', async () => {
  removedIds.value = new Set([1, 2]);
  expect(await restoreLinks([1])).toBe(true);
  expect([...removedIds.value]).toEqual([2]);
});
