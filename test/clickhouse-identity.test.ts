import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Overrides } from '../src/app.ts';
import { backup as makeBackup } from '../src/cli/backup.ts';
import { ClickhouseWriter } from '../src/ledger/clickhouse/clickhouse-writer.ts';
import { Log } from '../src/telemetry/log.ts';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { freshClickhouse, hasClickhouse, queryClickhouse, serverOf } from './support/clickhouse.ts';
import { ClickhouseProxy } from './support/clickhouse-proxy.ts';
import { eventually, pollUntil } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { runCommand, temporaryFolder } from './support/program.ts';
import { runHere } from './support/run-here.ts';
import { SECRET_KEY } from './support/secret-key.ts';

const away = async () => new Response('Code: 202. DB::Exception: not now', { status: 500 });

async function linkIn(app: TestApp): Promise<{ readonly owner: TestAccount; readonly path: string }> {
  const owner = await app.createAccount();
  return { owner, path: (await app.createLink(owner)).path };
}

const tablesIn = async (url: string) =>
  Number(
    await queryClickhouse(
      url,
      'select count() from system.tables where database = currentDatabase() format TSV',
    ),
  );

describe.skipIf(!(await hasClickhouse()))('the ClickHouse of CLICKS_URL', () => {
  let clickhouse: string;
  let DATABASE_URL: string;
  let app: TestApp;
  let owner: TestAccount;
  const start = (env: Record<string, string>, overrides: Overrides = {}) =>
    startApp({ env: { DATABASE_URL, SECRET_KEY, ...env }, overrides });
  const clicks = (of: TestApp, { key }: TestAccount) =>
    of.call('GET', '/api/v1/clicks?class=all&limit=1', { key });

  beforeAll(async () => {
    clickhouse = await freshClickhouse();
    DATABASE_URL = await migratedPostgres();
    app = await start({ CLICKS_URL: clickhouse });
    const link = await linkIn(app);
    owner = link.owner;
    await app.visit(link.path);
    await eventually(async () => (await clicks(app, owner)).json.total_clicks === 1, 'the click');
  }, 60_000);
  afterAll(() => app?.stop());

  test('that was away at the start is asked which store it belongs to before any question', async () => {
    const proxy = new ClickhouseProxy(clickhouse);
    proxy.onStatement = away;
    const other = await startApp({
      env: { DATABASE_URL: await migratedPostgres(), CLICKS_URL: proxy.url, SECRET_KEY },
    });
    const otherLink = await linkIn(other);
    expect(otherLink.owner.organizationId).toBe(owner.organizationId);
    expect((await clicks(other, otherLink.owner)).status).toBe(503);
    proxy.onStatement = null;
    expect((await clicks(other, otherLink.owner)).status).toBe(503);
    await other.stop();
    proxy[Symbol.dispose]();
    // The right one is used as soon as it is back.
    const late = new ClickhouseProxy(clickhouse);
    late.onStatement = away;
    const second = await start({ CLICKS_URL: late.url });
    late.onStatement = null;
    expect((await clicks(second, owner)).json.total_clicks).toBe(1);
    await second.stop();
    late[Symbol.dispose]();
  }, 60_000);

  test('is left as it is if it belongs to another store', async () => {
    await queryClickhouse(clickhouse, 'alter table hits drop projection by_origin');
    const starting = startApp({
      env: { DATABASE_URL: await migratedPostgres(), CLICKS_URL: clickhouse, SECRET_KEY },
    });
    await expect(starting).rejects.toThrow('has the clicks of another store');
    expect(await queryClickhouse(clickhouse, 'show create table hits format TSVRaw')).not.toContain(
      'by_origin',
    );
  }, 60_000);

  test('is not backed up if it belongs to another store', async () => {
    const other = await migratedPostgres();
    const [first, second] = [await freshClickhouse(), clickhouse];
    await (await startApp({ env: { DATABASE_URL: other, CLICKS_URL: first, SECRET_KEY } })).stop();
    const env = { DATABASE_URL: other, CLICKS_URL: second, SECRET_KEY };
    await using folder = await temporaryFolder();
    const backup = runHere(makeBackup, [join(folder.path, 'linnet.backup')], env);
    await expect(backup).rejects.toThrow('has the clicks of another store');
  }, 60_000);

  test('is not filled with empty tables in place of lost ones, unless the operator says so', async () => {
    const empty = await freshClickhouse();
    const logged: string[] = [];
    const waiting = await start(
      { CLICKS_URL: empty },
      { log: new Log('info', (line) => void logged.push(line)) },
    );
    const link = await linkIn(waiting);
    // Redirects don't depend on it, and the click waits.
    expect((await waiting.visit(link.path)).status).toBe(302);
    const lines = () => logged.map((line) => JSON.parse(line));
    await eventually(() => lines().some(({ event }) => event === 'clicks wait in the journal'), 'the wait');
    expect(lines().filter(({ event }) => event === 'clicks server away')).toMatchObject([
      { error: expect.stringContaining('lost'), to_do: expect.stringContaining('start-empty') },
    ]);
    expect((await clicks(waiting, owner)).status).toBe(503);
    expect(await tablesIn(empty)).toBe(0);
    const command = runCommand(['clicks', 'start-empty'], { DATABASE_URL, CLICKS_URL: empty });
    expect(await command.exited).toBe(0);
    // Totals stay, and the list has no earlier clicks.
    const counted = async () => (await clicks(waiting, link.owner)).json;
    const isThere = (json: Awaited<ReturnType<typeof counted>>) =>
      json.total_clicks === 2 && json.clicks.length === 1;
    await pollUntil(counted, isThere, 'the click');
    await waiting.stop();
    await queryClickhouse(empty, 'drop table hit_batches');
    await expect(ClickhouseWriter.open(serverOf(empty), 'this', 0, true)).rejects.toThrow();
  }, 60_000);
});
