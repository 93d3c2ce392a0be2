import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ByteCache, isSame } from './byte-cache.ts';

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const offset = fc.nat({ max: 9 });
const text = fc.string({ unit: 'binary', maxLength: 40 });

test('texts are equal if all their bytes are, at any offset', () => {
  fc.assert(
    fc.property(
      text,
      text,
      fc.boolean(),
      offset,
      offset,
      fc.nat({ max: 40 }),
      (one, other, isEqual, at, otherAt, cut) => {
        const [bytes, others] = [Buffer.from(one), Buffer.from(isEqual ? one : other)];
        const length = Math.min(bytes.length, others.length, cut);
        const [first, second] = [Buffer.alloc(at + length), Buffer.alloc(otherAt + length)];
        bytes.copy(first, at, 0, length);
        others.copy(second, otherAt, 0, length);
        expect(isSame(viewOf(first), at, viewOf(second), otherAt, length)).toBe(
          first.subarray(at).equals(second.subarray(otherAt)),
        );
      },
    ),
    { numRuns: 2_000 },
  );
});

test('one different byte is detected at every position of every length', () => {
  for (let length = 1; length <= 40; length++) {
    const bytes = Buffer.alloc(length, 'a');
    expect(isSame(viewOf(bytes), 0, viewOf(Buffer.alloc(length, 'a')), 0, length)).toBe(true);
    for (let at = 0; at < length; at++) {
      const other = Buffer.alloc(length, 'a');
      other[at] = 98;
      expect(isSame(viewOf(bytes), 0, viewOf(other), 0, length)).toBe(false);
    }
  }
});

test('a text has a value that was set for it or none, even if other texts have the same hash', () => {
  const steps = fc.array(fc.tuple(fc.string({ minLength: 1, maxLength: 3 }), fc.nat({ max: 3 })), {
    maxLength: 1_000,
    size: 'max',
  });
  fc.assert(
    fc.property(steps, (drawn) => {
      const cache = new ByteCache<number>(400);
      const texts: string[] = [];
      for (const [number, [piece, spread]] of drawn.entries()) {
        const bytes = Buffer.from(`..${piece}`);
        const hash = (piece.charCodeAt(0) % 4) * 2 ** spread;
        const known = cache.get(viewOf(bytes), 2, bytes.length, hash);
        if (known !== undefined) expect(texts[known]).toBe(`${piece} ${hash}`);
        cache.set(viewOf(bytes), 2, bytes.length, hash, number);
        texts.push(`${piece} ${hash}`);
        expect([number, undefined]).toContain(cache.get(viewOf(bytes), 2, bytes.length, hash));
      }
    }),
    { numRuns: 30, endOnFailure: true },
  );
});

test('of very many texts the latest are cached, and so are repeatedly used ones', () => {
  const cache = new ByteCache<number>(2_000);
  const keyOf = (number: number) => {
    const bytes = Buffer.from(`piece ${number}`);
    return { bytes: viewOf(bytes), length: bytes.length, hash: Bun.hash.crc32(bytes) | 0 };
  };
  const get = (number: number) => {
    const { bytes, length, hash } = keyOf(number);
    return cache.get(bytes, 0, length, hash);
  };
  for (let number = 0; number < 20_000; number++) {
    const { bytes, length, hash } = keyOf(number);
    cache.set(bytes, 0, length, hash, number);
    expect(get(0)).toBe(0);
  }
  for (let number = 19_000; number < 20_000; number++) expect(get(number)).toBe(number);
  expect(get(5_000)).toBeUndefined();
  cache.clear();
  expect(get(19_999)).toBeUndefined();
});

test('a text beyond the maximum length is not cached', () => {
  const cache = new ByteCache<string>(100);
  const long = Buffer.alloc(1_025, 'x');
  cache.set(viewOf(long), 0, long.length, 1, 'long');
  expect(cache.get(viewOf(long), 0, long.length, 1)).toBeUndefined();
  cache.set(viewOf(long), 0, 1_024, 1, 'shorter');
  expect(cache.get(viewOf(long), 0, 1_024, 1)).toBe('shorter');
});
