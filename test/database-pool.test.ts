import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { sql } from 'kysely';
import { internalReadTerms } from '../src/storage/database.ts';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { migratedPostgres } from './support/migrated-store.ts';

const limit = 4;
/** Connections for lookups, the fold and statistics, according to the help of DB_POOL. */
const others = 11;
let app: TestApp;
let owner: TestAccount;
let direct: SQL;
beforeAll(async () => {
  const url = await migratedPostgres();
  direct = new SQL({ url, max: 1 });
  app = await startApp({ env: { DATABASE_URL: url, DB_POOL: String(limit) } });
  owner = await app.createAccount();
});
afterAll(async () => {
  await app.stop();
  await direct.end();
});

/** All connections of the program. */
const connections = async (): Promise<number> => {
  const [row] = await direct.unsafe(
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name = 'linnet'",
  );
  return row.n;
};

test('calls wait for each other if there are fewer connections than calls, and all are answered', async () => {
  const body = (index: number) => ({ destination_url: `https://destination.example/${index}` });
  const calls = Array.from({ length: 40 }, (_, index) =>
    index % 2 === 0
      ? app.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body: body(index) })
      : app.call('GET', `/api/v1/link?limit=10&q=${index}`, { key: owner.key }),
  );
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(statuses.filter((status) => status >= 300)).toEqual([]);
  expect(await connections()).toBeLessThanOrEqual(limit + others);
});

test('changes have connections that reads do not use', async () => {
  const { database } = app.app.context;
  await direct.unsafe('select pg_advisory_lock(7)');
  const reads = Array.from({ length: 2 * limit }, (_, index) =>
    sql`select pg_advisory_xact_lock_shared(7)`.execute(
      database.readFor({ ...internalReadTerms, organizationId: 1_000 + index }),
    ),
  );
  const body = { destination_url: 'https://destination.example/while-others-read' };
  const { status } = await app.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body });
  await direct.unsafe('select pg_advisory_unlock(7)');
  await Promise.all(reads);
  expect(status).toBe(201);
});
