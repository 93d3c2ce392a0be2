import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ByteCache, isSame } from './byte-cache.ts';

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const place = fc.nat({ max: 9 });
const text = fc.string({ unit: 'binary', maxLength: 40 });

test('texts are equal if all their bytes are, at any offset', () => {
  fc.assert(
    fc.property(
      text,
      text,
      fc.boolean(),
      place,
      place,
      fc.nat({ max: 40 }),
      (one, other, alike, at, otherAt, cut) => {
        const [bytes, others] = [Buffer.from(one), Buffer.from(alike ? one : other)];
        const length = Math.min(bytes.length, others.length, cut);
        const [here, there] = [Buffer.alloc(at + length), Buffer.alloc(otherAt + length)];
        bytes.copy(here, at, 0, length);
        others.copy(there, otherAt, 0, length);
        expect(isSame(viewOf(here), at, viewOf(there), otherAt, length)).toBe(
          here.subarray(at).equals(there.subarray(otherAt)),
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

test('a text has a value that it was given or none, whatever else has the same hash', () => {
  const steps = fc.array(fc.tuple(fc.string({ minLength: 1, maxLength: 3 }), fc.nat({ max: 3 })), {
    maxLength: 1_000,
    size: 'max',
  });
  fc.assert(
    fc.property(steps, (drawn) => {
      const pieces = new ByteCache<number>(400);
      const given: string[] = [];
      for (const [number, [piece, spread]] of drawn.entries()) {
        const bytes = Buffer.from(`..${piece}`);
        const hash = (piece.charCodeAt(0) % 4) * 2 ** spread;
        const known = pieces.get(viewOf(bytes), 2, bytes.length, hash);
        if (known !== undefined) expect(given[known]).toBe(`${piece} ${hash}`);
        pieces.set(viewOf(bytes), 2, bytes.length, hash, number);
        given.push(`${piece} ${hash}`);
        expect([number, undefined]).toContain(pieces.get(viewOf(bytes), 2, bytes.length, hash));
      }
    }),
    { numRuns: 30, endOnFailure: true },
  );
});

test('of very many texts the latest are cached, and so are repeatedly used ones', () => {
  const pieces = new ByteCache<number>(2_000);
  const look = (number: number) => {
    const bytes = Buffer.from(`piece ${number}`);
    return { bytes: viewOf(bytes), length: bytes.length, hash: Bun.hash.crc32(bytes) | 0 };
  };
  const get = (number: number) => {
    const { bytes, length, hash } = look(number);
    return pieces.get(bytes, 0, length, hash);
  };
  for (let number = 0; number < 20_000; number++) {
    const { bytes, length, hash } = look(number);
    pieces.set(bytes, 0, length, hash, number);
    expect(get(0)).toBe(0);
  }
  for (let number = 19_000; number < 20_000; number++) expect(get(number)).toBe(number);
  expect(get(5_000)).toBeUndefined();
  pieces.clear();
  expect(get(19_999)).toBeUndefined();
});

test("a text that isn't repeated is not kept", () => {
  const pieces = new ByteCache<string>(100);
  const long = Buffer.alloc(1_025, 'x');
  pieces.set(viewOf(long), 0, long.length, 1, 'long');
  expect(pieces.get(viewOf(long), 0, long.length, 1)).toBeUndefined();
  pieces.set(viewOf(long), 0, 1_024, 1, 'shorter');
  expect(pieces.get(viewOf(long), 0, 1_024, 1)).toBe('shorter');
});
