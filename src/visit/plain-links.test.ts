import { beforeEach, expect, test } from 'bun:test';
import { visitedLink } from '../../test/support/test-link.ts';
import { stringHash } from '../structures/string-hash.ts';
import { PlainLinks } from './plain-links.ts';

const maxBytes = 1_000_000;
/** Of a cache of this size. */
const slabBytes = 8 * 1024;
const link = (number: number) => visitedLink(`https://example.com/${number}?${'x'.repeat(number % 90)}`);

let links: PlainLinks;
beforeEach(() => {
  links = new PlainLinks(maxBytes);
});

/** Adds links until they take this much memory. */
function fill(bytes: number): number {
  let count = 0;
  while (links.bytes < bytes) links.set(`link ${count}`, link(count++));
  return count;
}

test('a link is found, replaced and deleted', () => {
  const first = {
    id: 2 ** 31 - 1,
    organizationId: 7,
    destinationUrl: 'https://example.com/é',
    options: null,
  };
  expect(links.set('a', first)).toBe(true);
  expect([links.get('a'), links.get('a'), links.get('b')]).toEqual([first, first, undefined]);
  links.set('a', link(2));
  expect(links.get('a')).toEqual(link(2));
  links.delete('a');
  links.delete('a');
  expect(links.get('a')).toBeUndefined();
  links.set('a', link(3));
  links.set('', link(4));
  links.clear();
  expect([links.get('a'), links.get('')]).toEqual([undefined, undefined]);
  links.set('a', link(5));
  expect(links.get('a')).toEqual(link(5));
});

test('only links without options, and with usual texts and numbers, are kept; another one replaces what was kept', () => {
  const plain = link(1);
  const others: [string, Parameters<PlainLinks['set']>[1]][] = [
    ['a', visitedLink('https://example.com', { disabled: true })],
    ['a', { ...plain, ownAddress: { domainId: 0, suffix: 'own' }, alias: 'a' }],
    ['a', { ...plain, alias: 'a' }],
    ['a', { ...plain, id: 2 ** 31 }],
    ['a', { ...plain, organizationId: 2 ** 31 }],
    ['a', visitedLink('https://example.com/Ā')],
    ['Ā', plain],
    ['a'.repeat(256), plain],
    ['a', visitedLink(`https://example.com/${'x'.repeat(5_000)}`)],
  ];
  for (const [key, other] of others) {
    links.set(key, plain);
    expect(links.set(key, other)).toBe(false);
    expect(links.get(key)).toBeUndefined();
  }
  const longest = visitedLink(`https://example.com/${'x'.repeat(1_500)}`);
  expect(links.set('a'.repeat(255), longest)).toBe(true);
  expect(links.get('a'.repeat(255))).toEqual(longest);
});

test('the oldest links are evicted, except for those that were used', () => {
  const count = fill(400_000);
  for (let number = 0; number < count; number += 3) links.get(`link ${number}`);
  const before = links.bytes;
  while (links.bytes > before / 2) links.evict();
  for (let number = 0; number < count; number++) {
    const found = links.get(`link ${number}`);
    if (number % 3 === 0) expect(found).toEqual(link(number));
    else if (number < count / 2) expect(found).toBeUndefined();
  }
});

test('a used link stays for one eviction of its slab', () => {
  const count = fill(400_000);
  for (let number = 0; number < count; number += 3) links.get(`link ${number}`);
  const slabs = 40;
  for (let round = 0; round < slabs; round++) links.evict();
  expect(links.get('link 0')).toEqual(link(0));
  for (let round = 0; round < slabs; round++) links.evict();
  expect(links.get('link 3')).toBeUndefined();
});

test('another link at the place of the one that was read last is not taken for it', () => {
  links.set('a', link(1));
  expect(links.get('a')).toEqual(link(1));
  links.delete('a');
  links.evict();
  links.set('b', link(2));
  expect(links.get('b')).toEqual(link(2));
  links.clear();
  expect(links.get('b')).toBeUndefined();
  links.set('c', link(3));
  expect(links.get('c')).toEqual(link(3));
});

test('keys with the same hash are told apart', () => {
  const byHash = new Map<number, string>();
  for (let number = 1_000_000; ; number++) {
    const key = String(number);
    const other = byHash.get(stringHash(key));
    byHash.set(stringHash(key), key);
    if (other === undefined) continue;
    links.set(other, link(1));
    expect(links.get(key)).toBeUndefined();
    links.set(key, link(2));
    expect([links.get(other), links.get(key)]).toEqual([link(1), link(2)]);
    return;
  }
});

test('evictions free memory even if all links are in use', () => {
  const count = fill(400_000);
  for (let number = 0; number < count; number++) links.get(`link ${number}`);
  const before = links.bytes;
  for (let round = 0; round < 32; round++) links.evict();
  expect(links.bytes).toBeLessThan(before - 3 * slabBytes);
  for (let round = 0; round < 200; round++) links.evict();
  const empty = links.bytes;
  links.evict();
  expect(links.bytes).toBe(empty);
});

test('after any calls the links are those of a plain map, or missing', () => {
  let state = 7;
  const draw = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const expected = new Map<string, ReturnType<typeof link>>();
  for (let step = 0; step < 100_000; step++) {
    const key = String(draw(10_000));
    const action = draw(10);
    if (action === 0) {
      links.delete(key);
      expected.delete(key);
    } else if (action < 5) {
      const kept = { ...link(step), id: step };
      links.set(key, kept);
      expected.set(key, kept);
      while (links.bytes > maxBytes / 2) links.evict();
      expect(links.get(key)).toEqual(kept);
    } else {
      const found = links.get(key);
      if (found !== undefined) expect(found).toEqual(expected.get(key) ?? link(0));
    }
  }
  const found = [...expected.keys()].filter((key) => links.get(key) !== undefined);
  expect(found.length).toBeGreaterThan(3_000);
});
