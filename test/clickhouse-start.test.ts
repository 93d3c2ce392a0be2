import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { loadConfig } from '../src/config/load.ts';
import { StartProblem } from '../src/start-problem.ts';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { insertHits } from './support/hits.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { SECRET_KEY } from './support/secret-key.ts';

test('CLICKS_URL is a ClickHouse address, and needs a PostgreSQL one', () => {
  const CLICKS_URL = 'clickhouse://ann:hunter2@localhost/linnet';
  expect(() => loadConfig({ CLICKS_URL })).toThrow('Set DATABASE_URL to a PostgreSQL as well');
  expect(loadConfig({ CLICKS_URL, DATABASE_URL: 'postgres://localhost/linnet' }).clicksUrl?.user).toBe('ann');
  expect(() => loadConfig({ CLICKS_URL: 'clickhouse://ann:hunter2@localhost' })).toThrow(
    /^CLICKS_URL is set: give clickhouse:\/\/user:password@host:8123\/database, or .* over TLS\.$/,
  );
});

describe('while ClickHouse is away', () => {
  let requests = 0;
  // Answers every request with an error and its reason.
  const refusingServer = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch() {
      requests += 1;
      return new Response('Code: 202. DB::Exception: not now', { status: 500 });
    },
  });
  const CLICKS_URL = `clickhouse://ann:hunter2@127.0.0.1:${refusingServer.port}/linnet`;
  let DATABASE_URL: string;
  let app: TestApp;
  let owner: TestAccount;
  let link: { id: number; path: string };
  beforeAll(async () => {
    DATABASE_URL = await migratedPostgres();
    app = await startApp({ env: { DATABASE_URL, CLICKS_URL, SECRET_KEY } });
    owner = await app.createAccount();
    const body = { destination_url: 'https://example.com' };
    const { json } = await app.call('POST', '/api/v1/link', { key: owner.key, body });
    link = { id: json.id, path: new URL(json.url).pathname };
  }, 60_000);
  afterAll(async () => {
    await app.stop();
    await refusingServer.stop(true);
  });

  test('links redirect, clicks wait in the journal, and only queries for individual clicks fail', async () => {
    const before = requests;
    expect((await app.visit(link.path)).status).toBe(302);
    await eventually(() => requests > before, 'the fold to call ClickHouse');
    const get = (path: string) => app.call('GET', `/api/v1/${path}`, { key: owner.key });
    expect((await get(`link/${link.id}/stats`)).json.totals.clicks).toBe(0);
    const filtered = await get('stats?device=mobile&country=DE');
    expect([filtered.status, filtered.json.error_code]).toEqual([503, 'STORE_AWAY']);
    expect((await get('stats')).status).toBe(200);
    expect(app.faults.join('\n')).not.toContain('hunter2');
  });

  test('a node without CLICKS_URL does not start, because it would store clicks separately', async () => {
    const start = startApp({ env: { DATABASE_URL, SECRET_KEY } });
    await expect(start).rejects.toThrow('The individual clicks of this database are in ClickHouse.');
  });

  test('a node with CLICKS_URL does not start if its database already has individual clicks', async () => {
    const taken = await migratedPostgres();
    const before = await startApp({ env: { DATABASE_URL: taken, SECRET_KEY } });
    await insertHits(before.app.context.database, [{ link: 1, organization: 1, at: before.clock.now }]);
    await before.stop();
    const start = startApp({ env: { DATABASE_URL: taken, CLICKS_URL, SECRET_KEY } });
    await expect(start).rejects.toThrow('clicks move');
    await expect(start).rejects.toBeInstanceOf(StartProblem);
  });
});
