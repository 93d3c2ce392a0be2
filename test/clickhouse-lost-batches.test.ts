import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { ClickhouseWriter } from '../src/ledger/clickhouse/clickhouse-writer.ts';
import { JournalTaken } from '../src/ledger/fold-store.ts';
import { PostgresFoldStore } from '../src/ledger/stores/postgres-fold-store.ts';
import { hitColumns } from '../src/rules/click-fields.ts';
import { hourLength } from '../src/rules/durations.ts';
import { StoreUnavailable } from '../src/rules/errors.ts';
import { Log } from '../src/telemetry/log.ts';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { freshClickhouse, hasClickhouse, queryClickhouse, serverOf } from './support/clickhouse.ts';
import { ClickhouseProxy } from './support/clickhouse-proxy.ts';
import { emptyBatch } from './support/empty-batch.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { SECRET_KEY } from './support/secret-key.ts';

describe.skipIf(!(await hasClickhouse()))('batches that PostgreSQL has lost', () => {
  const lines: string[] = [];
  let clickhouse: string;
  let databaseUrl: string;
  let proxy: ClickhouseProxy;
  let app: TestApp;
  let owner: TestAccount;
  let path: string;

  beforeAll(async () => {
    clickhouse = await freshClickhouse();
    proxy = new ClickhouseProxy(clickhouse);
    databaseUrl = await migratedPostgres();
    const env = { DATABASE_URL: databaseUrl, CLICKS_URL: proxy.url, SECRET_KEY };
    app = await startApp({ env, overrides: { log: new Log('info', (line) => lines.push(line)) } });
    owner = await app.createAccount();
    const body = { destination_url: 'https://example.com' };
    path = new URL((await app.call('POST', '/api/v1/link', { key: owner.key, body })).json.url).pathname;
  }, 60_000);
  afterAll(async () => {
    await app?.stop();
    proxy?.[Symbol.dispose]();
  });

  /** Two hours ago, a batch of one hit each second. With a `step` above 1, other ids are between them. */
  async function loseBatches(journal: string, count: number, firstId: number, step = 1): Promise<void> {
    const id = `${firstId} + ${step} * number`;
    await queryClickhouse(
      clickhouse,
      `insert into hit_batches select '${journal}', 1, 1 + number, ${id}, ${id}, [${app.clock.now}],
       ${app.clock.now - 2 * hourLength} - 1000 * number from numbers(${count})`,
    );
    await queryClickhouse(
      clickhouse,
      `insert into hits (id, link_id, organization_id, at) select first_id, 1, ${owner.organizationId}, ${app.clock.now}
       from hit_batches where journal = '${journal}'`,
    );
  }

  const newStore = (url = proxy.url) =>
    new PostgresFoldStore(databaseUrl, undefined, (storeId) =>
      ClickhouseWriter.open(serverOf(url), storeId, 0),
    );

  const count = async (rows: string) =>
    Number(await queryClickhouse(clickhouse, `select count() from ${rows} format TSV`));

  const totals = async () => {
    const get = async (path: string) => (await app.call('GET', `/api/v1/${path}`, { key: owner.key })).json;
    return [(await get('stats')).totals.clicks, (await get('clicks?limit=1')).total_clicks];
  };

  test('are all deleted before the fold begins, without a failed try', async () => {
    const claims: unknown[] = [];
    let hasLost = false;
    proxy.onStatement = async (statement, forward) => {
      if (statement.startsWith('delete from hits '))
        claims.push(
          ...(await sql`select turn from click_claims`.execute(app.app.context.database.read)).rows,
        );
      const journal = /from hit_batches\s+where journal = '([^']+)'/.exec(statement)?.[1];
      if (journal !== undefined) {
        if (!hasLost) await loseBatches(journal, 1_200, 1);
        hasLost = true;
      }
      return forward();
    };
    expect((await app.visit(path)).status).toBe(302);
    await eventually(async () => (await totals())[0] === 1, 'the click to be counted');
    expect(await totals()).toEqual([1, 1]);
    proxy.onStatement = null;
    expect(claims).toEqual([]);
    // Otherwise the operator would see no reason for the wait.
    expect(lines.join('')).toContain('hits of lost batches are being deleted first');
  }, 100_000);

  test('of a journal that no node folds are listed once, however many they are', async () => {
    // Enough for several parts, even if the app's own hourly clean-up deletes some of them at the same time.
    await loseBatches('gone/1', 4_000, 10_000);
    using own = new ClickhouseProxy(clickhouse);
    let lists = 0;
    own.onStatement = (sql, forward) => {
      if (sql.includes("journal != 'moved'")) lists += 1;
      return forward();
    };
    const store = newStore(own.url);
    let parts = 1;
    while (await store.deleteUncounted(app.clock.now)) parts += 1;
    await store.close();
    expect(await totals()).toEqual([1, 1]);
    expect(parts).toBeGreaterThan(2);
    expect(lists).toBe(1);
  }, 100_000);

  test('are deleted in smaller parts by a server that is too slow for many', async () => {
    const journal = 'slow/1';
    await loseBatches(journal, 40, 15_000, 2);
    proxy.onStatement = async (statement, forward) =>
      statement.split(' between ').length > 11
        ? new Response('Code: 159. DB::Exception: Timeout exceeded', {
            status: 500,
            headers: { 'X-ClickHouse-Exception-Code': '159' },
          })
        : forward();
    const store = newStore();
    const deleteSome = () => store.deleteUncountedOf(journal, app.clock.now);
    for (let tries = 0; tries < 2; tries++)
      await expect(deleteSome()).rejects.toThrow('a statement took too long');
    while (await deleteSome());
    await store.close();
    proxy.onStatement = null;
    expect(await count(`hit_batches where journal = '${journal}'`)).toBe(0);
    expect(await count('hits where id between 15000 and 16000')).toBe(0);
  }, 100_000);

  test('are deleted by two nodes at once, one of which ends after any statement', async () => {
    const journal = 'shared/1';
    await loseBatches(journal, 1_200, 20_000);
    const [ending, other] = [newStore(), newStore()];
    const deleteAll = async (store: PostgresFoldStore) => {
      while (await store.deleteUncountedOf(journal, app.clock.now));
    };
    for (const last of ['delete from hits ', 'delete from hit_batches ']) {
      proxy.onStatement = async (sql, forward) => {
        const response = await forward();
        if (!sql.startsWith(last)) return response;
        proxy.onStatement = null;
        return new Response('Code: 999. DB::Exception: the answer is lost', { status: 500 });
      };
      await expect(deleteAll(ending)).rejects.toBeInstanceOf(StoreUnavailable);
    }
    const hits = {
      columns: hitColumns.map((name) => Float64Array.of(name === 'link_id' ? 1 : 0)),
      count: 1,
    };
    const batch = { ...emptyBatch(journal), to: { segment: 1, offset: 9 }, hits };
    const results = await Promise.allSettled(
      [ending, other].map(async (store) => {
        await deleteAll(store);
        await store.fold(batch, () => []);
      }),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const reasons = results.map((result) => (result.status === 'rejected' ? result.reason : null));
    expect(reasons.find((reason) => reason !== null)).toBeInstanceOf(JournalTaken);
    await Promise.all([ending.close(), other.close()]);
    expect(await count('hits where id between 20000 and 30000')).toBe(0);
    expect(await count('hits where id > 30000')).toBe(1);
    expect(await count(`hit_batches where journal = '${journal}'`)).toBe(1);
  }, 100_000);
});
