import { describe, expect, test } from 'bun:test';
import { type App, createApp } from '../src/app.ts';
import { loadConfig } from '../src/config/load.ts';
import { ServerClock } from '../src/ledger/fold/server-clock.ts';
import { deleteExpired } from '../src/ledger/retention/retention.ts';
import { PostgresFoldStore } from '../src/ledger/stores/postgres-fold-store.ts';
import { SqliteFoldStore } from '../src/ledger/stores/sqlite-fold-store.ts';
import { dayLength, hourLength } from '../src/rules/durations.ts';
import { hitsSince } from '../src/stats/raw-since.ts';
import { openDatabase } from '../src/storage/open.ts';
import { Log } from '../src/telemetry/log.ts';
import { storeKinds } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { insertHits, wholeLedger } from './support/hits.ts';
import { migratedPostgres, migratedSqlite } from './support/migrated-store.ts';
import { plainHit } from './support/plain-hit.ts';
import { temporaryFolder } from './support/program.ts';

const year = 365 * dayLength;
const hit = {
  ...plainHit,
  userAgent: '',
} as const;

describe.each(storeKinds)('on %s', (kind) => {
  async function storeIn(dataDir: string): Promise<string> {
    if (kind === 'postgres') return migratedPostgres();
    await migratedSqlite(dataDir);
    return '';
  }
  const open = (dataDir: string, url: string) => openDatabase(url || null, dataDir, () => {});
  const foldStore = (dataDir: string, url: string) =>
    kind === 'postgres' ? new PostgresFoldStore(url) : new SqliteFoldStore(dataDir);

  test("hits are never later than the server's clock allows, and those slightly ahead keep their time", async () => {
    await using folder = await temporaryFolder();
    const url = await storeIn(folder.path);
    const config = loadConfig({ PORT: '0', DATA_DIR: folder.path, DATABASE_URL: url, MISS_LIMIT: '0' });
    const lines: string[] = [];
    const log = new Log('warn', (line) => lines.push(line));
    const append = async (app: App, at: number) => app.clicks.append({ ...hit, at });
    const before = Date.now();
    const app = await createApp(config, { log });
    for (const at of [before - year / 12, before + 30_000, before + 90_000, before + year])
      await append(app, at);
    await app.clicks.settled();
    const after = Date.now();
    const instants = (await wholeLedger(app.context.database.read)).map(({ at }) => at);
    const hours = await app.context.database.read.selectFrom('link_hours').select('hour').execute();
    await app.stop();
    expect(instants).toHaveLength(4);
    expect(instants.slice(0, 2)).toEqual([before - year / 12, before + 30_000]);
    for (const at of instants.slice(2)) {
      expect(at).toBeGreaterThanOrEqual(before - 1_000);
      expect(at).toBeLessThanOrEqual(after + 1_000);
    }
    for (const { hour } of hours) expect(hour).toBeLessThanOrEqual(Math.floor((after + 60_000) / hourLength));
  });

  test("hits from a clock that had jumped ahead don't prevent older ones from being deleted", async () => {
    await using folder = await temporaryFolder();
    const url = await storeIn(folder.path);
    const database = await open(folder.path, url);
    const now = Date.now();
    const hitsAt = (instant: number, count: number) =>
      Array.from({ length: count }, () => ({ link: 1, organization: 1, at: instant }));
    await insertHits(database, [
      ...hitsAt(now + year, 4_500),
      ...hitsAt(now - 200 * dayLength, 2_500),
      ...hitsAt(now - 10 * dayLength, 50),
    ]);
    const store = foldStore(folder.path, url);
    const salts = { forgetBefore: async () => {} } as unknown as Parameters<typeof deleteExpired>[1];
    const fortyDays = 40 * dayLength;
    await deleteExpired(
      store,
      salts,
      now + (kind === 'postgres' ? fortyDays : 0),
      180,
      () => false,
      async () => {},
    );
    const remaining = (await wholeLedger(database.read)).map((hit) => hit.at);
    expect(remaining.filter((instant) => instant < now - 180 * dayLength)).toEqual([]);
    expect(remaining).toHaveLength(4_550);
    await store.close();
    await database.close();
  });

  test('a deletion by a clock that was ahead does not leave an instant in the future since which hits are kept', async () => {
    await using folder = await temporaryFolder();
    const url = await storeIn(folder.path);
    const database = await open(folder.path, url);
    const store = foldStore(folder.path, url);
    const salts = { forgetBefore: async () => {} } as unknown as Parameters<typeof deleteExpired>[1];
    const now = Date.now();
    const since: number[] = [];
    for (const instant of [now, now + year, now + 1, now + 2, now + 365 * dayLength]) {
      const noPause = async () => {};
      await deleteExpired(store, salts, instant, 180, () => false, noPause);
      since.push((await hitsSince(database.read, 0)) - now);
    }
    expect(since).toEqual([-180 * dayLength, year - 180 * dayLength, 1, 1, 185 * dayLength]);
    await store.close();
    await database.close();
  });
});

describe('a node whose clock has jumped a year ahead', () => {
  test('deletes no hits because of their age on PostgreSQL, and logs a warning', async () => {
    await using folder = await temporaryFolder();
    const url = await migratedPostgres();
    const database = await openDatabase(url, '', () => {});
    const now = Date.now();
    await insertHits(database, [{ link: 1, organization: 1, at: now - 10 * dayLength }]);
    const config = loadConfig({ PORT: '0', DATA_DIR: folder.path, DATABASE_URL: url, MISS_LIMIT: '0' });
    const lines: string[] = [];
    const log = new Log('warn', (line) => lines.push(line));
    const realNow = Date.now;
    Date.now = () => realNow() + year;
    try {
      const app = await createApp(config, { log });
      await app.clicks.append({ ...hit, at: Date.now() });
      await app.clicks.settled();
      app.clicks.cleanUp();
      await eventually(
        () => lines.some((line) => line.includes('clock ahead of the database')),
        'the warning',
      );
      await app.clicks.settled();
      await app.stop();
    } finally {
      Date.now = realNow;
    }
    const instants = (await wholeLedger(database.read)).map(({ at }) => at);
    expect(instants).toHaveLength(2);
    for (const at of instants) expect(at).toBeLessThan(now + 120_000);
    await database.close();
  });
});

test("the server's clock is read once a minute, and extrapolated in between; without one the process's clock is used", async () => {
  let reads = 0;
  const ahead: number[] = [];
  const clock = new ServerClock(
    async () => 1_000_000 + reads++,
    () => 2_000_000,
    (milliseconds) => ahead.push(milliseconds),
  );
  expect(clock.now).toBe(2_000_000);
  await clock.read();
  await clock.read();
  expect(reads).toBe(1);
  expect(clock.now).toBeWithin(1_000_000, 1_010_000);
  expect(clock.bound.latest - clock.bound.now).toBeWithin(60_000, 60_100);
  expect(ahead).toEqual([1_000_000]);
  const withoutServer = new ServerClock(
    async () => null,
    () => 5,
    () => {},
  );
  await withoutServer.read();
  expect(withoutServer.now).toBe(5);
});
