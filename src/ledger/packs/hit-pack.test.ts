import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type HitColumn, hitColumns } from '../../rules/click-fields.ts';
import { HitPack } from './hit-pack.ts';
import { PackWriter } from './pack-writer.ts';

const isDouble = (name: HitColumn): boolean => ['link_id', 'organization_id', 'at'].includes(name);

function packOf(rows: readonly Partial<Record<HitColumn, number>>[]): Uint8Array {
  const columns = hitColumns.map((name) => {
    const values = rows.map((row) => row[name] ?? 0);
    return isDouble(name) ? Float64Array.from(values) : Int32Array.from(values);
  });
  const writer = new PackWriter();
  writer.begin({ columns, count: rows.length }, null);
  return writer.pack(0, rows.length).slice();
}

const read = (cells: Uint8Array, count: number, names: readonly HitColumn[] = hitColumns): number[][] => {
  const pack = new HitPack({ id: 1, hits: count, cells });
  return names.map((name) => [...pack.column(name)]);
};

/**
 * Three hits as written by the last release whose packs had no places and aliases: the second one was redirected by a rule and
 * a variant, the third by the rule.
 */
const previousPack = Buffer.from(
  'AgQEBAAAAAAAAAAAAAAAAAAAAAABAgABAAAAAAAAAAAAAAAAAECPQAAAAAAAQJ9AAAAAAAAACEAAAAAAAAAQQAAAAAAAABRAAAAAAAAAGEAAAAAAAAAcQAAAAAAAACBAAAAAAAAAIkAAAAAAAAAkQAAAAAAAACZAAAAAAAAAKEAAAAAAAAAqQAAAAAAAACxAAAAAAAAALkAAAAAAAAAwQAAAAAAAADFAAAAAAAAAMkAAAAAAAQAAAHARAQAAAAAAAAAAAAEAAABwEQEAAAAAAAAAAAABAAAAcBEBAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAcHAAAAAAAAACwBAAAAAA==',
  'base64',
);
const previousRows = [0, 1, 70_000].map((more, row) => ({
  ...Object.fromEntries(
    hitColumns.map((name, index) => [name, isDouble(name) ? index * 1_000 + more : index]),
  ),
  rule: [0, 7, 7][row] ?? 0,
  variant: [0, 300, 0][row] ?? 0,
  region: 0,
  city: 0,
  alias: 0,
}));

test('a pack of the previous release is read, and written with the same bytes if no hit has a place or an alias', () => {
  expect(read(previousPack, 3)).toEqual(
    hitColumns.map((name) => previousRows.map((row: Partial<Record<HitColumn, number>>) => row[name] ?? 0)),
  );
  expect(Buffer.from(packOf(previousRows)).toString('base64')).toBe(previousPack.toString('base64'));
});

test('the previous release finds its fields in a pack with places and aliases', () => {
  const pack = packOf(previousRows.map((row, index) => ({ ...row, region: 5, city: index, alias: 70_000 })));
  // That release reads only the version, the widths of its columns and the flag of the second part in the head.
  const head = 24;
  const known = [...pack.subarray(0, head)];
  known[22] = 0;
  expect(known).toEqual([...previousPack.subarray(0, head)]);
  expect([...pack.subarray(head, previousPack.length)]).toEqual([...previousPack.subarray(head)]);
  expect(read(pack, 3, ['region', 'city', 'alias'])).toEqual([
    [5, 5, 5],
    [0, 1, 2],
    [70_000, 70_000, 70_000],
  ]);
});

test('a pack returns any hits unchanged', () => {
  const value = fc.oneof(fc.constant(0), fc.nat(), fc.nat({ max: 3 }));
  const sometimes = (of: fc.Arbitrary<number>) => fc.boolean().chain((has) => (has ? of : fc.constant(0)));
  const column = sometimes(value);
  fc.assert(
    fc.property(
      fc.array(fc.record(Object.fromEntries(hitColumns.map((name) => [name, column]))), {
        minLength: 1,
        maxLength: 40,
      }),
      fc.subarray([...hitColumns]),
      (drawn, empty) => {
        const rows = drawn.map((row) => ({
          ...row,
          ...Object.fromEntries(empty.map((name) => [name, 0])),
        })) as Record<HitColumn, number>[];
        // Reasons are shown differently if a user has changed the class.
        const names = hitColumns.filter((name) => name !== 'reason');
        expect(read(packOf(rows), rows.length, names)).toEqual(
          names.map((name) => rows.map((row) => row[name])),
        );
      },
    ),
    { numRuns: 500 },
  );
});

test("packs of one writer don't affect each other", () => {
  const columns = hitColumns.map((name) =>
    name === 'city' ? Int32Array.of(0, 0, 4, 500, 0, 0) : new Int32Array(6),
  );
  const writer = new PackWriter();
  writer.begin({ columns, count: 6 }, null);
  const packs = [0, 2, 4].map((from) => writer.pack(from, from + 2).slice());
  expect(packs.map((pack) => read(pack, 2, ['city'])[0])).toEqual([
    [0, 0],
    [4, 500],
    [0, 0],
  ]);
  expect(packs[2]).toEqual(packs[0]);
});
