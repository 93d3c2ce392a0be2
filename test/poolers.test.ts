import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { sql } from 'kysely';
import { TookTooLong } from '../src/rules/errors.ts';
import { type Database, ownTerms } from '../src/storage/database.ts';
import { openDatabase } from '../src/storage/open.ts';
import type { Queries } from '../src/storage/schema.ts';
import { type Newcomer, startApp, type TestApp } from './support/app.ts';
import { answerWhen, eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { hasPgBouncer, startPgBouncer } from './support/pgbouncer.ts';
import { stretched } from './support/stretched.ts';

const ways = ['directly', 'through PgBouncer'] as const;

describe.each(ways)('a database that is reached %s', (way) => {
  /** Only where it is installed, as with Caddy. */
  const skipped = way === 'through PgBouncer' && !hasPgBouncer;
  let direct: SQL;
  let pooler: (AsyncDisposable & { url: string }) | null = null;
  let url: string;
  let app: TestApp;
  let owner: Newcomer;
  let database: Database;

  beforeAll(async () => {
    if (skipped) return;
    url = await migratedPostgres();
    direct = new SQL({ url, max: 2 });
    if (way === 'through PgBouncer') {
      pooler = await startPgBouncer(url);
      url = pooler.url;
    }
    app = await startApp({ env: { DATABASE_URL: url } });
    owner = await app.newcomer();
    database = app.app.context.database;
  }, 120_000);
  afterAll(async () => {
    if (skipped) return;
    expect(app.faults).toEqual([]);
    await app.stop();
    await pooler?.[Symbol.asyncDispose]();
    await direct.end();
  });

  const create = () =>
    app.call('POST', '/api/v1/link?disable_png=true', {
      key: owner.key,
      body: { destination_url: 'https://destination.example' },
    });

  /** Statements of ours that the server is at, of this database. */
  const sleeping = async () =>
    Number(
      (
        await direct.unsafe(
          `select count(*)::int as n from pg_stat_activity
            where datname = current_database() and state = 'active' and query like 'select pg_sleep(3%'`,
        )
      )[0].n,
    );

  test.skipIf(skipped)('starts, makes links, redirects and counts', async () => {
    const made = await create();
    expect(made.status).toBe(201);
    expect((await app.visit(new URL(made.json.url).pathname)).status).toBe(302);
    const clicks = () => app.call('GET', `/api/v1/link/${made.json.id}/clicks?class=all`, { key: owner.key });
    await answerWhen(clicks, ({ json }) => json.clicks?.length === 1, 'the click');
    for (let time = 0; time < 2; time++) {
      const path = `/api/v1/link/${made.json.id}/stats?group_by=reason`;
      expect((await app.call('GET', path, { key: owner.key })).status).toBe(200);
    }
    expect((await app.call('GET', '/readyz')).json.status).toBe('ready');
  });

  test.skipIf(skipped)('has deadlines in each transaction', async () => {
    const limits = async (queries: Queries) =>
      (
        await sql<{ one: string; other: string }>`select current_setting('statement_timeout') as one,
          current_setting('idle_in_transaction_session_timeout') as other`.execute(queries)
      ).rows[0];
    expect(await database.write(limits)).toEqual({ one: '7500ms', other: '15s' });
  });

  test.skipIf(skipped)('finds rows by an index, where its connections are no others’', async () => {
    const cost = async (queries: Queries) =>
      (await sql<{ cost: string }>`select current_setting('random_page_cost') as cost`.execute(queries)).rows;
    const found = await cost(database.readFor({ ...ownTerms, organizationId: 1 }));
    expect(found).toEqual([{ cost: way === 'directly' ? '1.1' : '4' }]);
  });

  test.skipIf(skipped)('a read that takes too long is stopped on the server, too', async () => {
    const terms = { ...ownTerms, organizationId: 1, patience: 300 };
    const reading = sql`select pg_sleep(3600)`.execute(database.readFor(terms));
    const cause = await reading.catch((thrown) => thrown);
    expect(cause).toBeInstanceOf(TookTooLong);
    expect(cause.patience).toBe(300);
    await eventually(async () => (await sleeping()) === 0, 'the end of the statement', stretched(5_000));
  });

  test.skipIf(skipped)(
    'a change has one deadline for all its statements, and leaves nothing behind',
    async () => {
      const begun = performance.now();
      const cause = await database
        .write(
          async (queries) => {
            await sql`insert into settings (key, value) values (${`late ${way}`}, 'x')`.execute(queries);
            for (;;) await sql`select pg_sleep(0.05)`.execute(queries);
          },
          { ...ownTerms, changeDeadline: begun + 400 },
        )
        .catch((thrown) => thrown);
      expect(cause).toBeInstanceOf(TookTooLong);
      expect(performance.now() - begun).toBeLessThan(stretched(1_500));
      const rows = await direct.unsafe(`select from settings where key = 'late ${way}'`);
      expect(rows.length).toBe(0);
      expect(await database.write(async () => 'goes on')).toBe('goes on');
    },
  );

  test.skipIf(skipped)(
    'a call that waits for what another holds says after two seconds that it took too long, not that the database is away',
    async () => {
      const held = await direct.reserve();
      await held.unsafe('begin; lock table links in access exclusive mode');
      const begun = performance.now();
      const [late, alsoLate] = await Promise.all([
        create(),
        app.call('GET', '/api/v1/link/1', { key: owner.key }),
      ]);
      const took = performance.now() - begun;
      expect((await app.call('GET', '/readyz')).status).toBe(200);
      await held.unsafe('rollback');
      held.release();
      for (const { status, json } of [late, alsoLate]) {
        expect([status, json.error_code]).toEqual([504, 'TIMED_OUT']);
        expect(json.error_string).toMatch(/^This took longer than 2 seconds and was given up/);
      }
      expect(took).toBeGreaterThan(1_500);
      expect(took).toBeLessThan(stretched(3_500));
      expect((await create()).status).toBe(201);
    },
    60_000,
  );
});

test('statements are prepared where the address says so, once on each connection', async () => {
  const url = await migratedPostgres();
  const database = await openDatabase(`${url}?prepared_statements=on`, '', () => {});
  const named = async (queries: Queries) => {
    for (let time = 0; time < 3; time++) await sql`select ${time}::int as it`.execute(queries);
    const { rows } = await sql<{
      name: string;
    }>`select name from pg_prepared_statements where statement like '%as it'`.execute(queries);
    return rows.length;
  };
  expect(await database.write(named)).toBe(1);
  await database.close();
  const other = await openDatabase(url, '', () => {});
  expect(await other.write(named)).toBe(0);
  await other.close();
});
