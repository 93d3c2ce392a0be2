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
  const renameStatement = 'alter table organization_rollups rename to kept_rollups';
  if (url === null) {
    using file = new Sqlite(join(app.dataDir, 'linnet.sqlite'));
    file.run('pragma busy_timeout = 20000');
    file.run(renameStatement);
    file.run(`create view organization_rollups as
      with recursive endless (step) as (select 1 union all select step + 1 from endless where keep_going(step))
      select kept_rollups.* from endless cross join kept_rollups on kept_rollups.hour = -endless.step`);
    return;
  }
  await using server = new SQL({ url, max: 1 });
  await server.unsafe(renameStatement);
  await server.unsafe(
    'create view organization_rollups as select * from kept_rollups where (select pg_sleep(3600)) is not null',
  );
}

/** A call whose client disconnects when it is disposed of. */
function openCall(app: TestApp, path: string, { key }: TestAccount): Disposable {
  const { hostname, port, host } = new URL(app.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\napi-key: ${key}\r\n\r\n`);
  return { [Symbol.dispose]: () => socket.destroy() };
}

const slowPath = '/api/v1/stats';

/** Until it is disposed of, the deadlines of long calls are `earlier` milliseconds before those of production. */
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
  let otherSlow: TestAccount;
  let quick: TestAccount;

  beforeAll(async () => {
    const url = store === 'postgres' ? await migratedPostgres() : null;
    app = await startApp({ env: url === null ? {} : { DATABASE_URL: url } });
    [slow, otherSlow, quick] = [
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

  const timed = async (run: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    await run();
    return performance.now() - start;
  };

  /** Calls that must not be delayed by the slow ones. */
  async function makeOtherCalls(): Promise<void> {
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
    // The first round is slower: twenty times its duration could hide a wait of three seconds.
    await makeOtherCalls();
    const aloneTime = await timed(makeOtherCalls);
    // On SQLite the slow calls occupy the cores until they end.
    using _ = shorterDeadlines(app.app.context, store === 'sqlite' ? 6_500 : 0);
    const calls = [...Array(12).fill(slow), ...Array(12).fill(otherSlow)].map(({ key }: TestAccount) =>
      app.call('GET', slowPath, { key }),
    );
    let endedCount = 0;
    for (const call of calls) call.then(() => endedCount++);
    const besideTime = await timed(makeOtherCalls);
    // The other calls didn't wait until one of the slow calls ended.
    if (endedCount > 0) expect(besideTime).toBeLessThan(20 * aloneTime);
    const ended = await Promise.all(calls);
    for (const { status, headers, json } of ended) {
      // 504 for those that ran, and 503 for those that waited too long to run.
      expect([503, 504]).toContain(status);
      expect([json.status_code, json.error_code]).toEqual([status, status === 504 ? 'TIMED_OUT' : 'BUSY']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(ended.map(({ status }) => status)).toContain(504);
  }, 240_000);

  test('end when their clients disconnect, and those queued behind them never start', async () => {
    const calls = Array.from({ length: 30 }, () => openCall(app, slowPath, slow));
    await makeOtherCalls();
    for (const call of calls) call[Symbol.dispose]();
    // Those that ran would have taken eight more seconds, and the others would have followed.
    expect(await timed(() => app.call('GET', '/api/v1/link', { key: slow.key }))).toBeLessThan(6_000);
  }, 240_000);
});

test.each(storeKinds)('a search for text that almost matches every link stays fast on %s', async (store) => {
  const app = await startApp({ store });
  const { key } = await app.createAccount();
  const destination_url = `https://example.com/${'a'.repeat(8_000)}`;
  const links = Array.from({ length: 200 }, () => ({ destination_url }));
  expect((await app.call('POST', '/api/v1/link/bulk', { key, body: { links } })).status).toBe(200);
  const search = async (text: string) => {
    const start = performance.now();
    const { json } = await app.call('GET', `/api/v1/link?q=${text}`, { key });
    expect(json.total_links).toBe(0);
    return performance.now() - start;
  };
  const noMatch = 'z'.repeat(200);
  const nearMatch = `${'a'.repeat(199)}z`;
  await search(noMatch);
  const times = { noMatch: 0, nearMatch: 0 };
  for (let round = 0; round < 3; round++) {
    times.noMatch += await search(noMatch);
    times.nearMatch += await search(nearMatch);
  }
  expect(times.nearMatch).toBeLessThan(40 * times.noMatch);
  await app.stop();
});

test('a change that takes longer than the idle timeout of its connection still gets its response', async () => {
  const app = await startApp();
  const { key } = await app.createAccount();
  const { json: tag } = await app.call('POST', '/api/v1/tag', { key, body: { name: 'late' } });
  const { database } = app.app.context;
  const write: Database['write'] = database.write;
  Object.assign(database, {
    write: async (...[work, terms]: Parameters<typeof write>) => {
      // Longer than the ten seconds after which Bun closes an idle connection. Only changes of calls have terms.
      if (terms !== undefined) await Bun.sleep(14_000);
      return write(work, terms);
    },
  });
  const start = performance.now();
  // A request without a body: the connections of those with one are not closed.
  expect((await app.call('DELETE', `/api/v1/tag/${tag.id}`, { key })).status).toBe(204);
  expect(performance.now() - start).toBeGreaterThan(13_000);
  expect((await app.call('GET', `/api/v1/tag/${tag.id}`, { key })).status).toBe(404);
  await app.stop();
}, 240_000);
