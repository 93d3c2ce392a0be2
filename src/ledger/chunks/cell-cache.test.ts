import { describe, expect, test } from 'bun:test';
import { CellCache } from './cell-cache.ts';
import { compressedCells } from './stored-cells.ts';

const kilobyte = 1_024;
const cells = (value: number): Uint8Array => new Uint8Array(kilobyte).fill(value);

/** Reads that many columns in turn, and returns how many were cached. */
function readColumns(cache: CellCache, columns: number): number {
  let found = 0;
  cache.begin();
  for (let column = 0; column < columns; column++) {
    const key = `column ${column}`;
    let cached = cache.get(key);
    if (cached === undefined) cached = cache.add(key, compressedCells(cells(column)));
    else found += 1;
    expect(cache.unpacked(key, cached)).toEqual(cells(column));
  }
  return found;
}

describe('cached cells of chunks', () => {
  test('are available unpacked to the next query', () => {
    const cache = new CellCache({ packed: 100 * kilobyte, unpacked: 100 * kilobyte });
    expect(readColumns(cache, 20)).toBe(0);
    expect(readColumns(cache, 20)).toBe(20);
    expect(cache.get('column 7')).toEqual({ cells: cells(7), isPacked: false });
  });

  test('are available packed if there is no space for more', () => {
    const cache = new CellCache({ packed: 100 * kilobyte, unpacked: 4 * kilobyte });
    readColumns(cache, 20);
    expect(readColumns(cache, 20)).toBe(20);
    const isPacked = Array.from({ length: 20 }, (_, column) => cache.get(`column ${column}`)?.isPacked);
    expect(isPacked.filter((one) => one === false)).toHaveLength(3);
    expect(isPacked.filter(Boolean)).toHaveLength(17);
  });

  test('are those of the first part of a query that needs more space than there is', () => {
    const cache = new CellCache({ packed: 4 * kilobyte, unpacked: 20 * kilobyte });
    readColumns(cache, 100);
    for (let round = 0; round < 5; round++) {
      const found = readColumns(cache, 100);
      expect(found).toBeGreaterThan(15);
      expect(found).toBeLessThan(40);
    }
  });

  test('are evicted for those of another query', () => {
    const cache = new CellCache({ packed: kilobyte, unpacked: 20 * kilobyte });
    readColumns(cache, 16);
    cache.begin();
    for (let column = 0; column < 16; column++) {
      const key = `another ${column}`;
      cache.unpacked(key, cache.add(key, compressedCells(cells(column))));
    }
    expect(cache.get('another 15')?.isPacked).toBe(false);
    expect(readColumns(cache, 16)).toBeLessThan(16);
  });

  test('report that a chunk has none', () => {
    const cache = new CellCache({ packed: kilobyte, unpacked: kilobyte });
    expect(cache.unpacked('none', cache.add('none', null))).toBeUndefined();
    expect(cache.get('none')).toEqual({ cells: null, isPacked: false });
  });
});
