import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { codeOf, readCoded, valueAt, writeCoded } from './chunk-column.ts';

const anyValue = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 2 ** 45 }));
const anyCells = fc.array(anyValue, { minLength: 1, maxLength: 400 });
const anyColumn = fc.oneof(
  anyCells,
  anyCells.map((cells) => cells.toSorted((one, other) => one - other)),
);

test('a coded column is read as it was written, sorted or not, whatever the range of its values', () => {
  fc.assert(
    fc.property(anyColumn, (cells) => {
      const column = readCoded(writeCoded(Float64Array.from(cells)), cells.length);
      expect(cells.map((_, row) => valueAt(column, row))).toEqual(cells);
      expect(Array.from(column.values)).toEqual([...new Set(cells)].sort((one, other) => one - other));
      for (const value of cells) expect(column.values[codeOf(column, value)]).toBe(value);
    }),
    { numRuns: 200 },
  );
});
