import { expect, test } from 'bun:test';
import { HitColumns } from './hit-columns.ts';

/** Adds this many rows, each with this value in all columns that most batches don't have. */
function fill(columns: HitColumns, rows: number, value: number): void {
  for (let index = 0; index < rows; index++) {
    const row = columns.add();
    for (const column of columns.rare.flatMap((rare) => rare.use())) column[row] = value;
    columns.source[row] = value;
  }
}

const rareValues = ({ words, source, count }: HitColumns): Set<number> =>
  new Set([source, ...words.slice(4)].flatMap((column) => [...column.subarray(0, count)]));

test('a batch has nothing of the one before, whether it uses the rare columns or not', () => {
  const columns = new HitColumns();
  for (const rows of [3, 1_000, 2, 2]) {
    columns.begin();
    fill(columns, rows, 7);
    expect(rareValues(columns)).toEqual(new Set([7]));
    columns.begin(rows);
    expect(columns.wordsInUse).toHaveLength(4);
    expect(rareValues(columns)).toEqual(new Set([0]));
    for (const rare of columns.rare) rare.use();
    expect(rareValues(columns)).toEqual(new Set([0]));
  }
});

test('rows are kept when columns grow, and are taken in another order', () => {
  const columns = new HitColumns();
  columns.begin();
  for (let row = 0; row < 3_000; row++) fill(columns, 1, row);
  const taken = new HitColumns();
  taken.take(columns, Int32Array.of(2_999, 5));
  for (const column of [taken.source, ...taken.words.slice(4)])
    expect([...column.subarray(0, 2)]).toEqual([2_999, 5]);
});
