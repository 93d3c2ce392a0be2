import { expect, test } from 'bun:test';
import { seededRandom } from '../../../test/support/seeded-random.ts';
import { readCoded, valueAt, writeCoded, writeDifferences } from './chunk-column.ts';
import { compressCells, decompressCells } from './stored-cells.ts';

const draw = seededRandom(20261123);

test.each([1, 2, 4, 5, 16, 17, 300])(
  'columns of %i values are read back unchanged, in less space',
  (values) => {
    for (const rows of [values, 1_001, 16_384, 16_387]) {
      const column = Float64Array.from({ length: rows }, (_, row) =>
        row < values ? row * 70_000 : draw(values) * 70_000,
      );
      const cells = writeCoded(column);
      const packed = compressCells(cells);
      if (rows > 1_000) expect(packed.length).toBeLessThan(cells.length + 20);
      const read = readCoded(decompressCells(packed), rows);
      expect(Float64Array.from({ length: rows }, (_, row) => valueAt(read, row))).toEqual(column);
      expect(new Uint8Array(decompressCells(packed))).toEqual(new Uint8Array(cells));
    }
  },
);

test('values of eight bytes and differences are read back unchanged', () => {
  const wide = Float64Array.from({ length: 999 }, () => draw(3) * 2 ** 40);
  for (const cells of [writeCoded(wide), writeDifferences(wide), writeDifferences(wide.map((_, row) => row))])
    expect(new Uint8Array(decompressCells(compressCells(cells)))).toEqual(new Uint8Array(cells));
});
