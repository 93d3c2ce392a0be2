import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { hitColumns } from '../../rules/click-fields.ts';
import { HitPack } from '../packs/hit-pack.ts';
import { PackWriter } from '../packs/pack-writer.ts';
import { valueIn } from './chunk-column.ts';
import { chunkOf } from './hit-chunk.ts';
import { BatchPart, StoredColumns } from './stored-columns.ts';

/** Of few values, so that columns with one value, with several, and with a second one only in a later pack all occur. */
const cell = fc.constantFrom<number>(0, 0, 0, 1, 70_000);
const hit = fc.tuple(
  ...hitColumns.map((name) => (name === 'class' || name === 'outcome' ? fc.constantFrom(0, 1) : cell)),
);
const column = (hits: readonly (readonly number[])[], index: number) =>
  Float64Array.from(hits, (cells) => cells[index] ?? 0);

function packOf(id: number, hits: readonly (readonly number[])[]): HitPack {
  const columns = hitColumns.map((_, index) => column(hits, index));
  const writer = new PackWriter();
  writer.begin({ columns, count: hits.length }, null);
  return new HitPack({ id, hits: hits.length, cells: writer.pack(0, hits.length).slice() });
}

test('packs and rows are read back, and make the same chunk as the hits themselves', () => {
  const pieces = fc.array(fc.array(hit, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(pieces, fc.boolean(), (given, beginsWithRows) => {
      // Of one organization, as in a chunk.
      const all = given.map((hits) =>
        hits.map((cells) => cells.with(hitColumns.indexOf('organization_id'), 3)),
      );
      const hits = all.flat();
      const stored = new StoredColumns(hits.length);
      for (const [index, some] of all.entries()) {
        const id = stored.count + 1;
        if (index % 2 === Number(beginsWithRows)) stored.addPack(packOf(id, some));
        else for (const [row, cells] of some.entries()) stored.addRow(id + row, cells);
      }
      expect(stored.count).toBe(hits.length);
      for (const [index, name] of hitColumns.entries())
        expect(hits.map((_, row) => valueIn(stored.column(name), row))).toEqual([...column(hits, index)]);
      const columns = hitColumns.map((_, index) => column(hits, index));
      expect(chunkOf(stored)).toEqual(chunkOf(new BatchPart(columns, null, { from: 0, to: hits.length }, 1)));
    }),
    { numRuns: 50 },
  );
});

test('a column with one value takes no memory', () => {
  const stored = new StoredColumns(4);
  for (const id of [1, 2]) stored.addPack(packOf(id, [hitColumns.map((name) => (name === 'at' ? id : 7))]));
  expect(stored.column('at')).toEqual(Float64Array.of(1, 2));
  expect(stored.column('referrer')).toBe(7);
});
