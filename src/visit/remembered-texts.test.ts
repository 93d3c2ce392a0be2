import { heapStats } from 'bun:jsc';
import { expect, test } from 'bun:test';
import { BoundedCache } from '../structures/bounded-cache.ts';
import { LinkCache } from './link-cache.ts';

/** A name inside a much longer text, as in a request with a long body. A name from a shorter text would be copied anyway. */
const pieces = 2_000;
const longPiece = 32 * 1024;
const longText = Buffer.alloc(longPiece, 'x');

function nameWithin(index: number): string {
  const end = 5 + longText.write(`a-name-of-its-own-${index}`, 5, 'latin1');
  return longText.toString('latin1').slice(5, end);
}

/** The size of reachable objects and the texts that they hold. The memory of the process depends on what else it did, too. */
function heapSize(): number {
  Bun.gc(true);
  const { heapSize, extraMemorySize } = heapStats();
  return heapSize + extraMemorySize;
}

function heapGrowth(remember: (name: string) => void): number {
  const before = heapSize();
  for (let index = 0; index < pieces; index++) remember(nameWithin(index));
  return heapSize() - before;
}

/** A tenth of what would be kept if the names kept the whole texts around them. */
const limit = (pieces * longPiece) / 10;

const none = () => null;
const cache = new BoundedCache<true>(100_000);
const links = new LinkCache(none, { bytes: 1_000_000, misses: 100_000 });

test.each<[string, (name: string) => unknown]>([
  ['what is cached', (name) => cache.set(name, true)],
  ['an unknown address', (name) => links.fetch(0, name)],
])('%s takes memory only for itself, and not for the text that it was sliced from', (_, remember) => {
  expect(heapGrowth(remember)).toBeLessThan(limit);
});

test('a copied text is found by its original slice, in any script', () => {
  const name = 'x caf\u00e9/\u{1f600}/\u4f60 x'.slice(2, -2);
  cache.set(name, true);
  expect(cache.get(`${name}`)).toBe(true);
});
