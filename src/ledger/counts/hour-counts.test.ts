import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { dimensions, reasons, rollupClasses } from '../../rules/click-fields.ts';
import {
  classOf,
  countEntry,
  dimensionLetters,
  eachCount,
  mergeCounts,
  reasonOf,
  reasonValue,
} from './hour-counts.ts';

const entry = fc.tuple(
  fc.nat({ max: dimensionLetters.length - 1 }),
  fc.oneof(fc.nat({ max: 9 }), fc.nat({ max: 2 ** 31 - 1 })),
  fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 2 ** 40 })),
);

const sumsOf = (counts: string): Record<string, number> => {
  const sums: Record<string, number> = {};
  eachCount(counts, (dimension, value, hits) => {
    sums[`${dimension} ${value}`] = (sums[`${dimension} ${value}`] ?? 0) + hits;
  });
  return sums;
};

test('counts are read as they were written, even if several texts were concatenated', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 40 }), (entries) => {
      const counts = entries.map((one) => countEntry(...one)).join('');
      const expected: Record<string, number> = {};
      for (const [dimension, value, hits] of entries)
        expected[`${dimension} ${value}`] = (expected[`${dimension} ${value}`] ?? 0) + hits;
      expect(sumsOf(counts)).toEqual(expected);
    }),
  );
});

test('merging keeps the sums, gives the same result in any order, and never lengthens the text', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 40 }), (entries) => {
      const counts = entries.map((one) => countEntry(...one)).join('');
      const merged = mergeCounts(counts);
      expect(sumsOf(merged)).toEqual(sumsOf(counts));
      expect(
        mergeCounts(
          mergeCounts(
            entries
              .toReversed()
              .map((one) => countEntry(...one))
              .join(''),
          ),
        ),
      ).toBe(merged);
      expect(merged.length).toBeLessThanOrEqual(counts.length);
    }),
  );
});

test('a reason and its class share a value', () => {
  for (const reason of reasons.keys())
    for (const classIndex of rollupClasses.keys()) {
      const value = reasonValue(reason, classIndex);
      expect([reasonOf(value), classOf(value)]).toEqual([reason, classIndex]);
    }
});

test('there is a letter for each dimension', () => {
  expect(dimensions.length).toBeLessThanOrEqual(dimensionLetters.length);
});

test('the counts of one dimension are the same as when reading all of them', () => {
  const entries = fc.array(fc.tuple(fc.nat(13), fc.nat(2 ** 30), fc.integer({ min: 1, max: 10_000 })), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(entries, fc.nat(13), (all, wanted) => {
      const text = all.map(([dimension, value, hits]) => countEntry(dimension, value, hits)).join('');
      const found: number[][] = [];
      eachCount(text, (_dimension, value, hits) => found.push([value, hits]), wanted);
      expect(found).toEqual(
        all.filter(([dimension]) => dimension === wanted).map(([, value, hits]) => [value, hits]),
      );
    }),
  );
});
