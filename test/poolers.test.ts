import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { sql } from 'kysely';
import { TimeoutExceeded } from '../src/rules/errors.ts';
import { type Database, internalReadTerms } from '../src/storage/database.ts';
import { openPostgres } from '../src/storage/drivers/postgres.ts';
import { openDatabase } from '../src/storage/open.ts';
import { prepared } from '../src/storage/prepared.ts';
import type { Queries } from '../src/storage/schema.ts';
import { settleAll } from '../src/storage/settle-all.ts';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { eventually, pollUntil } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { hasPgBouncer, startPgBouncer } from './support/pgbouncer.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';

const accessKinds = ['directly', 'through PgBouncer'] as const;

describe.each(accessKinds)('a database reached %s', (access) => {
  /** PgBouncer is tested only where it is installed. */
  const isSkipped = access === 'through PgBouncer' && !hasPgBouncer;
  let direct: SQL;
  let pooler: (AsyncDisposable & { url: string }) | null = null;
  let url: string;
  let app: TestApp;
  let owner: TestAccount;
  let database: Database;

  beforeAll(async () => {
    if (isSkipped) return;
    url = await migratedPostgres();
    direct = new SQL({ url, max: 2 });
    if (access === 'through PgBouncer') {
      pooler = await startPgBouncer(url);
      url = pooler.url;
    }
    app = await startApp({ env: { DATABASE_URL: url } });
    owner = await app.createAccount();
    database = app.app.context.database;
  }, 120_000);
  afterAll(async () => {
    if (isSkipped) return;
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

  /** The number of `pg_sleep` statements of these tests that the server is running. */
  const runningSleeps = async () =>
    Number(
      (
        await direct.unsafe(
          `select count(*)::int as n from pg_stat_activity
            where datname = current_database() and state = 'active' and query like 'select pg_sleep(3%'`,
        )
      )[0].n,
    );

  test.skipIf(isSkipped)('starts, creates links, redirects and counts', async () => {
    const created = await create();
    expect(created.status).toBe(201);
    expect((await app.visit(new URL(created.json.url).pathname)).status).toBe(302);
    const clicks = () =>
      app.call('GET', `/api/v1/link/${created.json.id}/clicks?class=all`, { key: owner.key });
    await pollUntil(clicks, ({ json }) => json.clicks?.length === 1, 'the click');
    for (let time = 0; time < 2; time++) {
      const path = `/api/v1/link/${created.json.id}/stats?group_by=reason`;
      expect((await app.call('GET', path, { key: owner.key })).status).toBe(200);
    }
    expect((await app.call('GET', '/readyz')).json.status).toBe('ready');
  });

  test.skipIf(isSkipped)('has timeouts in each transaction', async () => {
    const limits = async (queries: Queries) =>
      (
        await sql<{ one: string; other: string }>`select current_setting('statement_timeout') as one,
          current_setting('idle_in_transaction_session_timeout') as other`.execute(queries)
      ).rows[0];
    expect(await database.write(limits)).toEqual({ one: '7500ms', other: '15s' });
  });

  test.skipIf(isSkipped)('finds rows by an index, if no other client uses its connections', async () => {
    const cost = async (queries: Queries) =>
      (await sql<{ cost: string }>`select current_setting('random_page_cost') as cost`.execute(queries)).rows;
    const found = await cost(database.readFor({ ...internalReadTerms, organizationId: 1 }));
    expect(found).toEqual([{ cost: access === 'directly' ? '1.1' : '4' }]);
  });

  test.skipIf(isSkipped)('a read that takes too long is stopped on the server, too', async () => {
    const terms = { ...internalReadTerms, organizationId: 1, timeout: 300 };
    const reading = sql`select pg_sleep(3600)`.execute(database.readFor(terms));
    const cause = await reading.catch((thrown) => thrown);
    expect(cause).toBeInstanceOf(TimeoutExceeded);
    expect(cause.timeout).toBe(300);
    await eventually(
      async () => (await runningSleeps()) === 0,
      'the end of the statement',
      scaledToLoad(5_000),
    );
  });

  test.skipIf(isSkipped)('a write has one deadline for all its statements, and is rolled back', async () => {
    const startedAt = performance.now();
    const cause = await database
      .write(
        async (queries) => {
          await sql`insert into settings (key, value) values (${`late ${access}`}, 'x')`.execute(queries);
          for (;;) await sql`select pg_sleep(0.05)`.execute(queries);
        },
        { ...internalReadTerms, changeDeadline: startedAt + 400 },
      )
      .catch((thrown) => thrown);
    expect(cause).toBeInstanceOf(TimeoutExceeded);
    expect(performance.now() - startedAt).toBeLessThan(scaledToLoad(1_500));
    const rows = await direct.unsafe(`select from settings where key = 'late ${access}'`);
    expect(rows.length).toBe(0);
    expect(await database.write(async () => 'goes on')).toBe('goes on');
  });

  test.skipIf(isSkipped)(
    'a call that waits for the lock of another transaction gets a timeout after two seconds, not an unavailable database',
    async () => {
      const lockHolder = await direct.reserve();
      await lockHolder.unsafe('begin; lock table links in access exclusive mode');
      const startedAt = performance.now();
      const [createResponse, readResponse] = await Promise.all([
        create(),
        app.call('GET', '/api/v1/link/1', { key: owner.key }),
      ]);
      const duration = performance.now() - startedAt;
      expect((await app.call('GET', '/readyz')).status).toBe(200);
      await lockHolder.unsafe('rollback');
      lockHolder.release();
      for (const { status, json } of [createResponse, readResponse]) {
        expect([status, json.error_code]).toEqual([504, 'TIMED_OUT']);
        expect(json.error_string).toMatch(/^This took longer than 2 seconds and was given up/);
      }
      expect(duration).toBeGreaterThan(1_500);
      expect(duration).toBeLessThan(scaledToLoad(3_500));
      expect((await create()).status).toBe(201);
    },
    60_000,
  );
});

describe('repeated statements', () => {
  const selectNumber = prepared((queries, it: number) =>
    sql<{ it: number }>`select ${it}::int as it`.compile(queries),
  );
  const preparedCount = async (queries: Queries) => {
    for (let time = 0; time < 3; time++) await selectNumber(queries, time);
    const { rows } = await sql<{
      name: string;
    }>`select name from pg_prepared_statements where statement like '%as it%'`.execute(queries);
    return rows.length;
  };

  test('are named and prepared once on each connection, unless the URL turns that off', async () => {
    const url = await migratedPostgres();
    for (const [parameters, names] of [
      ['', 1],
      ['?prepared_statements=on', 1],
      ['?prepared_statements=off', 0],
    ] as const) {
      const database = await openDatabase(`${url}${parameters}`, '', () => {});
      expect([parameters, await database.write(preparedCount)]).toEqual([parameters, names]);
      await database.close();
    }
  });

  test.skipIf(!hasPgBouncer)(
    'are sent without names if an unrecognised pooler drops them, and none fails or is repeated',
    async () => {
      const url = await migratedPostgres();
      await using pooler = await startPgBouncer(url, {
        ignore_startup_parameters: 'extra_float_digits,statement_timeout,idle_in_transaction_session_timeout',
      });
      const [database, otherDatabase] = [pooler.url, pooler.url].map((address) =>
        openPostgres(address, () => {}),
      );
      if (!database || !otherDatabase) throw new Error('unreachable');
      const insertSetting = prepared((queries, key: string, value: string) =>
        queries.insertInto('settings').values({ key, value }).compile(),
      );
      const calls = Array.from({ length: 60 }, async (_, index) => {
        const chosen = index % 2 === 0 ? database : otherDatabase;
        const [{ it } = { it: -1 }] = await selectNumber(chosen.lookup, index);
        await chosen.write(async (queries) => {
          await settleAll(insertSetting(queries, `named ${index}`, `${it}`), selectNumber(queries, index));
        });
        return it;
      });
      expect(await Promise.all(calls)).toEqual(Array.from({ length: 60 }, (_, index) => index));
      const stored = await database.read
        .selectFrom('settings')
        .select(['key', 'value'])
        .where('key', 'like', 'named %')
        .execute();
      expect(stored.toSorted((one, next) => Number(one.value) - Number(next.value))).toEqual(
        Array.from({ length: 60 }, (_, index) => ({ key: `named ${index}`, value: `${index}` })),
      );
      await Promise.all([database.close(), otherDatabase.close()]);
    },
  );
});
