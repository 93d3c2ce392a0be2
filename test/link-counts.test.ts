import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { countEntry } from '../src/ledger/counts/hour-counts.ts';
import { openCounts } from '../src/ledger/open-counts.ts';
import { dimensionCodes, eachField, rollupClasses } from '../src/rules/click-fields.ts';
import type { Database } from '../src/storage/database.ts';
import { SqliteConnection } from '../src/storage/drivers/sqlite-connection.ts';
import { storeKinds } from './support/app.ts';
import { testLedger } from './support/ledger-of.ts';

const links = [1, 2, 3];
const hours = 150;
const totals = {
  kind: 'rollups',
  dimension: dimensionCodes.total,
  value: undefined,
  classes: undefined,
} as const;
const owner = { kind: 'organization', id: 1, links } as const;
const manyBuckets = Array.from({ length: hours / 1.5 + 1 }, (_, index) => ({
  from: Math.floor(index * 1.5),
  to: Math.floor((index + 1) * 1.5),
}));

async function storeWithHours(kind: (typeof storeKinds)[number]) {
  const store = await testLedger(kind, new Map([[1, links]]));
  const none = { ...eachField(rollupClasses, () => 0), visitors: 0, loose: 0 };
  const rows = links.flatMap((link_id) =>
    Array.from({ length: hours }, (_, hour) => ({ ...none, link_id, hour, click: link_id, counts: '' })),
  );
  await store.database.write((queries) => queries.insertInto('link_hours').values(rows).execute());
  return store;
}

describe.each(storeKinds)('hours of chosen links on %s', (kind) => {
  test('are added up by the database, so that their number does not depend on that of the links', async () => {
    await using store = await storeWithHours(kind);
    const counts = await openCounts(store.database, owner, totals).byBucket(manyBuckets);
    expect(counts.length).toBeLessThanOrEqual(hours);
    expect(counts.reduce((sum, { hits }) => sum + hits, 0)).toBe(hours * (1 + 2 + 3));
    const [first, second] = [0, 1].map((bucket) =>
      counts.filter((count) => count.bucket === bucket).reduce((sum, { hits }) => sum + hits, 0),
    );
    expect([first, second]).toEqual([6, 12]);
  });

  test('with many values are grouped outside the main thread, which gets only the largest groups', async () => {
    await using store = await storeWithHours(kind);
    const values = 400;
    const country = dimensionCodes.country;
    const counts = Array.from({ length: values }, (_, value) =>
      countEntry(country, value + 1, value + 1),
    ).join('');
    const click = (values * (values + 1)) / 2;
    await store.database.write((queries) =>
      queries.updateTable('link_hours').set({ counts, click }).where('hour', '<', 2).execute(),
    );
    const answers: (readonly unknown[])[] = [];
    const { compute } = store.database;
    const database: Database = {
      ...store.database,
      async compute<Answer>(module: string, input: unknown) {
        const answer = await compute<Answer>(module, input);
        answers.push(answer as readonly unknown[]);
        return answer;
      },
    };
    const byCountry = openCounts(database, owner, { ...totals, dimension: country });
    const groups = await byCountry.groups('country', { from: 0, to: 2 }, 3);
    const all = { all_clicks: click * 6, all_hits: click * 6 };
    expect(groups).toEqual(
      [400, 399, 398].map((value) => ({ value, clicks: value * 6, hits: value * 6, ...all })),
    );
    expect(await byCountry.byBucket([{ from: 0, to: 2 }])).toEqual([
      { bucket: 0, class: 0, hits: click * 6 },
    ]);
    expect(answers.map(({ length }) => length)).toEqual([3, 1]);
  });
});

test('on SQLite each statement that adds up hours of links can be stopped', async () => {
  await using store = await storeWithHours('sqlite');
  const { statements, database } = recording(store.database);
  const counts = openCounts(database, owner, totals);
  await counts.byBucket([{ from: 0, to: hours }]);
  await counts.byBucket(manyBuckets);
  expect(statements.length).toBe(2);
  for (const { sql, parameters } of statements) {
    let checks = 0;
    const file = new SqliteConnection(join(store.dataDir, 'linnet.sqlite'), 'read', () => ++checks === 3);
    expect(() => file.run(sql, parameters)).toThrow('stopped');
    expect(checks).toBe(3);
    file.close();
  }
});

/** A database that records its reading statements. */
function recording(database: Database) {
  const statements: { readonly sql: string; readonly parameters: readonly unknown[] }[] = [];
  const executor = database.read.getExecutor();
  const read = database.read.withPlugin({
    transformQuery({ node, queryId }) {
      statements.push(executor.compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { statements, database: { ...database, read } };
}
