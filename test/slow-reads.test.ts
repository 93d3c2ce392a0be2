import { Database as Sqlite } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { join } from 'node:path';
import { SQL } from 'bun';
import type { Database, ReadTerms } from '../src/storage/database.ts';
import { type StoreKind, startApp, storeKinds, type TestAccount, type TestApp } from './support/app.ts';
import { migratedPostgres } from './support/migrated-store.ts';

/** From now on a query for an organization's statistics never ends. */
async function makeEndless(app: TestApp, url: string | null): Promise<void> {
  const away = 'alter table organization_rollups rename to kept_rollups';
  if (url === null) {
    using file = new Sqlite(join(app.dataDir, 'linnet.sqlite'));
    file.run('pragma busy_timeout = 20000');
    file.run(away);
    file.run(`create view organization_rollups as
      with recursive endless (step) as (select 1 union all select step + 1 from endless where keep_going(step))
      select kept_rollups.* from endless cross join kept_rollups on kept_rollups.hour = -endless.step`);
    return;
  }
  await using server = new SQL({ url, max: 1 });
  await server.unsafe(away);
  await server.unsafe(
    'create view organization_rollups as select * from kept_rollups where (select pg_sleep(3600)) is not null',
  );
}

/** A call whose client hangs up when it is disposed of. */
function openCall(app: TestApp, path: string, { key }: TestAccount): Disposable {
  const { hostname, port, host } = new URL(app.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\napi-key: ${key}\r\n\r\n`);
  return { [Symbol.dispose]: () => socket.destroy() };
}

const slowPath = '/api/v1/stats';

/** Until it is disposed of, long calls end so many milliseconds earlier than in production. */
function shorterDeadlines({ database }: TestApp['app']['context'], earlier: number): Disposable {
  const { readFor, computeFor } = database;
  const shorter = (terms: ReadTerms): ReadTerms => ({
    ...terms,
    deadline: terms.timeout > earlier ? terms.deadline - earlier : terms.deadline,
  });
  Object.assign(database, {
    readFor: (terms: ReadTerms) => readFor(shorter(terms)),
    computeFor: (terms: ReadTerms) => computeFor(shorter(terms)),
  });
  return { [Symbol.dispose]: () => Object.assign(database, { readFor, computeFor }) };
}

describe.each(storeKinds)('slow reads on %s', (store: StoreKind) => {
  let app: TestApp;
  let slow: TestAccount;
  let slowToo: TestAccount;
  let quick: TestAccount;

  beforeAll(async () => {
    const url = store === 'postgres' ? await migratedPostgres() : null;
    app = await startApp({ env: url === null ? {} : { DATABASE_URL: url } });
    [slow, slowToo, quick] = [
      await app.createAccount(),
      await app.createAccount(),
      await app.createAccount(),
    ];
    const body = { destination_url: 'https://example.com' };
    for (const { key } of [slow, quick]) await app.call('POST', '/api/v1/link', { key, body });
    await makeEndless(app, url);
  }, 240_000);
  afterAll(async () => {
    expect(app.faults).toEqual([]);
    await app.stop();
  });

  const timed = async (ask: () => Promise<unknown>): Promise<number> => {
    const begun = performance.now();
    await ask();
    return performance.now() - begun;
  };

  /** Calls that must not be delayed by the slow ones. */
  async function othersGoOn(): Promise<void> {
    for (const path of ['/api/v1/link', '/api/v1/tag', '/api/v1/link/deleted', '/api/v1/domain']) {
      expect((await app.call('GET', path, { key: quick.key })).status).toBe(200);
    }
    const { email, password } = slow;
    const signedIn = await app.call('POST', '/api/v1/auth/create_tokens', { body: { email, password } });
    expect(signedIn.status).toBe(201);
    expect((await app.call('GET', '/api/v1/user', { key: slow.key })).status).toBe(200);
    const body = { destination_url: 'https://example.com' };
    expect((await app.call('POST', '/api/v1/link', { key: slow.key, body })).status).toBe(201);
  }

  test('end with a plain error, and delay no other call', async () => {
    // The first round is slower, and a wait of three seconds could hide in twenty times as much.
    await othersGoOn();
    const alone = await timed(othersGoOn);
    // On SQLite the slow calls occupy the cores until they end.
    using _ = shorterDeadlines(app.app.context, store === 'sqlite' ? 5_000 : 0);
    const calls = [...Array(12).fill(slow), ...Array(12).fill(slowToo)].map(({ key }: TestAccount) =>
      app.call('GET', slowPath, { key }),
    );
    let over = 0;
    for (const call of calls) call.then(() => over++);
    const beside = await timed(othersGoOn);
    // They didn't wait until one of the slow calls was over.
    if (over > 0) expect(beside).toBeLessThan(20 * alone);
    const ended = await Promise.all(calls);
    for (const { status, headers, json } of ended) {
      // 504 for those that ran, and 503 for those that waited too long to run.
      expect([503, 504]).toContain(status);
      expect([json.status_code, json.error_code]).toEqual([status, status === 504 ? 'TIMED_OUT' : 'BUSY']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(ended.map(({ status }) => status)).toContain(504);
  }, 240_000);

  test('end with their callers, and those waiting behind them never start', async () => {
    const calls = Array.from({ length: 30 }, () => openCall(app, slowPath, slow));
    await othersGoOn();
    for (const call of calls) call[Symbol.dispose]();
    // Those that ran would have taken eight more seconds, and the others would have followed.
    expect(await timed(() => app.call('GET', '/api/v1/link', { key: slow.key }))).toBeLessThan(6_000);
  }, 240_000);
});

test.each(storeKinds)(
  'a search takes no longer for text that almost occurs everywhere on %s',
  async (store) => {
    const app = await startApp({ store });
    const { key } = await app.createAccount();
    const destination_url = `https://example.com/${'a'.repeat(8_000)}`;
    const links = Array.from({ length: 200 }, () => ({ destination_url }));
    expect((await app.call('POST', '/api/v1/link/bulk', { key, body: { links } })).status).toBe(200);
    const search = async (text: string) => {
      const begun = performance.now();
      const { json } = await app.call('GET', `/api/v1/link?q=${text}`, { key });
      expect(json.total_links).toBe(0);
      return performance.now() - begun;
    };
    const never = 'z'.repeat(200);
    const nearly = `${'a'.repeat(199)}z`;
    await search(never);
    const times = { never: 0, nearly: 0 };
    for (let round = 0; round < 3; round++) {
      times.never += await search(never);
      times.nearly += await search(nearly);
    }
    expect(times.nearly).toBeLessThan(40 * times.never);
    await app.stop();
  },
);

test('a change that takes longer than an idle connection is kept still gets its result', async () => {
  const app = await startApp();
  const { key } = await app.createAccount();
  const { json: tag } = await app.call('POST', '/api/v1/tag', { key, body: { name: 'late' } });
  const { database } = app.app.context;
  const write: Database['write'] = database.write;
  Object.assign(database, {
    write: async (...[work, terms]: Parameters<typeof write>) => {
      // Longer than the ten seconds after which Bun closes a silent connection. Only changes of calls have terms.
      if (terms !== undefined) await Bun.sleep(14_000);
      return write(work, terms);
    },
  });
  const begun = performance.now();
  // A request without a body: the connections of those with one are not closed.
  expect((await app.call('DELETE', `/api/v1/tag/${tag.id}`, { key })).status).toBe(204);
  expect(performance.now() - begun).toBeGreaterThan(13_000);
  expect((await app.call('GET', `/api/v1/tag/${tag.id}`, { key })).status).toBe(404);
  await app.stop();
}, 240_000);
