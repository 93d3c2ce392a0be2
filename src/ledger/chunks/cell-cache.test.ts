import { describe, expect, test } from 'bun:test';
import { CellCache } from './cell-cache.ts';
import { compressCells } from './stored-cells.ts';

const kilobyte = 1_024;
const cells = (value: number): Uint8Array => new Uint8Array(kilobyte).fill(value);

/** Reads that many columns in turn, and returns how many were cached. */
function readColumns(cache: CellCache, columns: number): number {
  let found = 0;
  cache.begin();
  for (let column = 0; column < columns; column++) {
    const key = `column ${column}`;
    let cached = cache.get(key);
    if (cached === undefined) cached = cache.add(key, compressCells(cells(column)));
    else found += 1;
    expect(cache.decompressed(key, cached)).toEqual(cells(column));
  }
  return found;
}

describe('cached cells of chunks', () => {
  test('are available decompressed to the next query', () => {
    const cache = new CellCache({ compressed: 100 * kilobyte, decompressed: 100 * kilobyte });
    expect(readColumns(cache, 20)).toBe(0);
    expect(readColumns(cache, 20)).toBe(20);
    expect(cache.get('column 7')).toEqual({ cells: cells(7), isCompressed: false });
  });

  test('are available compressed if there is no space for more', () => {
    const cache = new CellCache({ compressed: 100 * kilobyte, decompressed: 4 * kilobyte });
    readColumns(cache, 20);
    expect(readColumns(cache, 20)).toBe(20);
    const isCompressed = Array.from(
      { length: 20 },
      (_, column) => cache.get(`column ${column}`)?.isCompressed,
    );
    expect(isCompressed.filter((one) => one === false)).toHaveLength(3);
    expect(isCompressed.filter(Boolean)).toHaveLength(17);
  });

  test('are those of the first part of a query that needs more space than there is', () => {
    const cache = new CellCache({ compressed: 4 * kilobyte, decompressed: 20 * kilobyte });
    readColumns(cache, 100);
    for (let round = 0; round < 5; round++) {
      const found = readColumns(cache, 100);
      expect(found).toBeGreaterThan(15);
      expect(found).toBeLessThan(40);
    }
  });

  test('are evicted for those of another query', () => {
    const cache = new CellCache({ compressed: kilobyte, decompressed: 20 * kilobyte });
    readColumns(cache, 16);
    cache.begin();
    for (let column = 0; column < 16; column++) {
      const key = `another ${column}`;
      cache.decompressed(key, cache.add(key, compressCells(cells(column))));
    }
    expect(cache.get('another 15')?.isCompressed).toBe(false);
    expect(readColumns(cache, 16)).toBeLessThan(16);
  });

  test('report that a chunk has none', () => {
    const cache = new CellCache({ compressed: kilobyte, decompressed: kilobyte });
    expect(cache.decompressed('none', cache.add('none', null))).toBeUndefined();
    expect(cache.get('none')).toEqual({ cells: null, isCompressed: false });
  });
});
