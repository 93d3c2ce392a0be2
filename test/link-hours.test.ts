import { describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import type { RollupSlice } from '../src/ledger/counts/counts.ts';
import { countEntry, mergeCounts } from '../src/ledger/counts/hour-counts.ts';
import type { FoldBatch, FoldStore } from '../src/ledger/fold-store.ts';
import { openCounts } from '../src/ledger/open-counts.ts';
import { PostgresFoldStore } from '../src/ledger/stores/postgres-fold-store.ts';
import { SqliteFoldStore } from '../src/ledger/stores/sqlite-fold-store.ts';
import { dimensions, eachField, rollupClasses } from '../src/rules/click-fields.ts';
import type { Database } from '../src/storage/database.ts';
import { dialects } from '../src/storage/dialect.ts';
import { clicks } from '../src/storage/migrations/002-clicks.ts';
import { linkHours } from '../src/storage/migrations/012-link-hours.ts';
import { floods } from '../src/storage/migrations/018-floods.ts';
import { openDatabase } from '../src/storage/open.ts';
import { storeKinds } from './support/app.ts';
import { emptyBatch } from './support/empty-batch.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { temporaryFolder } from './support/program.ts';

const hour = 490_000;
const dimensionIndex = (name: (typeof dimensions)[number]) => dimensions.indexOf(name);
const slice = (name: (typeof dimensions)[number]): RollupSlice => ({
  kind: 'rollups',
  dimension: dimensionIndex(name),
  value: undefined,
  classes: undefined,
});

describe.each(storeKinds)('hours of links on %s', (store) => {
  async function withStore(
    work: (database: Database, foldStore: () => FoldStore) => Promise<void>,
  ): Promise<void> {
    await using folder = await temporaryFolder();
    const url = store === 'postgres' ? await migratedPostgres() : null;
    const database = await openDatabase(url, folder.path, () => {});
    try {
      await work(database, () =>
        url === null ? new SqliteFoldStore(folder.path) : new PostgresFoldStore(url),
      );
    } finally {
      await database.close();
    }
  }

  /** Clicks of some links in one hour; their country and browser depend on the round. */
  const batch = (journal: string, round: number, links: readonly number[]): FoldBatch => ({
    ...emptyBatch(journal),
    from: round === 0 ? null : { segment: 1, offset: round },
    to: { segment: 1, offset: round + 1 },
    visitors: [{ hour, owner: links[0] ?? 0, variant: 0, visitors: Float64Array.of(round + 1) }],
    linkHours: {
      numbers: Float64Array.from(links.flatMap((link) => [link, hour, 2, 0, 0, 0, 0, 0, 1, 0])),
      counts: links.map(
        () =>
          countEntry(dimensionIndex('country'), 1 + (round % 3), 1) +
          countEntry(dimensionIndex('browser'), 1 + (round % 7), 2) +
          countEntry(dimensionIndex('reason'), 14 * 8 + 6, 1),
      ),
    },
  });

  test(
    'that are added to repeatedly stay short, and lose nothing, even if two nodes add at once',
    () =>
      withStore(async (database, foldStore) => {
        const links = [3, 5, 8];
        const rounds = 60;
        const nodes = [foldStore(), foldStore()];
        const add = (index: number, round: number) =>
          nodes[index]?.fold(batch(`node/${index}`, round, links), () => []);
        const addAll = async (...indexes: readonly number[]) => {
          for (let round = 0; round < rounds; round++) for (const index of indexes) await add(index, round);
        };
        // Waiting for SQLite's lock would block the thread that holds it.
        if (store === 'sqlite') await addAll(0, 1);
        else await Promise.all([addAll(0), addAll(1)]);
        for (const node of nodes) await node.close();
        const rows = await database.read.selectFrom('link_hours').selectAll().orderBy('link_id').execute();
        expect(rows.map((row) => [row.link_id, row.click, row.repeat])).toEqual(
          links.map((link) => [link, 2 * rounds * 2, 2 * rounds]),
        );
        const expected =
          [1, 2, 3].map((value) => countEntry(dimensionIndex('country'), value, (2 * rounds) / 3)).join('') +
          mergeCounts(
            Array.from({ length: rounds }, (_, round) =>
              countEntry(dimensionIndex('browser'), 1 + (round % 7), 4),
            ).join(''),
          );
        for (const { counts, loose } of rows) {
          expect(counts.length).toBeLessThan(1_200);
          expect(loose).toBeLessThan(1_100);
          expect(mergeCounts(counts)).toBe(
            mergeCounts(expected + countEntry(dimensionIndex('reason'), 118, 2 * rounds)),
          );
        }
        // Both nodes counted the same visitors.
        expect(rows.map((row) => row.visitors)).toEqual([rounds, 0, 0]);
        const hours = { from: hour, to: hour + 1 };
        const owner = { kind: 'link', id: 5, organizationId: 1 } as const;
        const groups = await openCounts(database, owner, slice('country')).groups('country', hours, 2);
        // Half of the clicks have no country: they are the first group, and are not stored as one.
        expect(groups.map(({ value, clicks, all_clicks }) => [value, clicks, all_clicks])).toEqual([
          [0, 2 * rounds, 4 * rounds],
          [1, (2 * rounds) / 3, 4 * rounds],
        ]);
        expect(await openCounts(database, owner, slice('browser')).byBucket([hours])).toEqual([
          { bucket: 0, class: 0, hits: 4 * rounds },
        ]);
      }),
    240_000,
  );

  test.skipIf(store === 'sqlite')('with many values are merged once their length has doubled', () =>
    withStore(async (database, foldStore) => {
      const node = foldStore();
      const values = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, index) =>
          countEntry(dimensionIndex('country'), from + index, 1),
        ).join('');
      const loose = async () =>
        (await database.read.selectFrom('link_hours').select('loose').executeTakeFirstOrThrow()).loose ?? 0;
      const add = async (round: number, counts: string) => {
        const plainBatch = batch('node/0', round, [1]);
        await node.fold(
          { ...plainBatch, linkHours: { ...plainBatch.linkHours, counts: [counts] } },
          () => [],
        );
        return loose();
      };
      const half = values(2_000, 2_500);
      expect(await add(0, values(1_000, 2_000))).toBe(0);
      expect(await add(1, half)).toBe(half.length);
      expect(await add(2, half)).toBe(0);
      await node.close();
    }),
  );

  test('are migrated from the rows of values, with the same results', () =>
    withStore(async (database) => {
      const dialect = dialects[database.kind];
      const rows = [
        [1, 'total', hour, 'click', 0, 5],
        [1, 'total', hour, 'bot', 0, 2],
        [1, 'visitors', hour - (hour % 24), 'click', 0, 4],
        [1, 'reason', hour, 'bot', 11, 2],
        [1, 'country', hour, 'click', 7, 3],
        [1, 'country', hour, 'click', 8, 1],
        [1, 'country', hour, 'click', 0, 1],
        [1, 'device', hour, 'click', 0, 5],
        [1, 'total', hour + 1, 'click', 0, 1],
        [1, 'country', hour + 1, 'click', 7, 1],
        [2, 'total', hour, 'repeat', 0, 9],
        [2, 'reason', hour, 'repeat', 14, 9],
      ] as const;
      await database.migrate(async (queries) => {
        const run = (statement: string) => sql.raw(statement).execute(queries);
        await run('drop table link_hours');
        await run('drop index links_hooked');
        for (const statement of clicks(dialect))
          if (statement.includes('table link_rollups')) await run(statement);
        for (const [link, dimension, at, ofClass, value, hits] of rows)
          await run(
            `insert into link_rollups values (${link}, ${dimensionIndex(dimension)}, ${at}, ${rollupClasses.indexOf(ofClass)}, ${value}, ${hits})`,
          );
        for (const statement of [...linkHours(dialect), ...floods(dialect)]) await run(statement);
      });
      const migrated = await database.read
        .selectFrom('link_hours')
        .selectAll()
        .orderBy('link_id')
        .orderBy('hour')
        .execute();
      const zeros = { ...eachField(rollupClasses, () => 0), visitors: 0, loose: 0 };
      expect(migrated.map(({ counts, ...row }) => ({ ...row, counts: mergeCounts(counts) }))).toEqual([
        { link_id: 1, hour: hour - (hour % 24), ...zeros, visitors: 4, counts: '' },
        { link_id: 1, hour, ...zeros, click: 5, bot: 2, counts: 'c91x2d7x3d8' },
        { link_id: 1, hour: hour + 1, ...zeros, click: 1, counts: 'd7' },
        { link_id: 2, hour, ...zeros, repeat: 9, counts: 'c118x9' },
      ]);
      const owner = { kind: 'link', id: 1, organizationId: 1 } as const;
      const hours = { from: hour - 24, to: hour + 2 };
      const groups = await openCounts(database, owner, slice('country')).groups('country', hours, 10);
      expect(groups.map(({ value, hits }) => [value, hits])).toEqual([
        [7, 4],
        [0, 1],
        [8, 1],
      ]);
      const byDevice = await openCounts(database, owner, slice('device')).groups('device', hours, 10);
      expect(byDevice.map(({ value, hits }) => [value, hits])).toEqual([[0, 6]]);
      const byReason = await openCounts(database, owner, slice('reason')).groups('class', hours, 10);
      expect(byReason.map(({ value, clicks: none, hits }) => [value, none, hits])).toEqual([
        [rollupClasses.indexOf('bot'), 0, 2],
      ]);
      expect(await openCounts(database, owner, slice('visitors')).byBucket([hours])).toEqual([
        { bucket: 0, class: 0, hits: 4 },
      ]);
    }));
});
