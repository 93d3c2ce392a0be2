import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../src/app.ts';
import { realDisk } from '../src/journal/disk.ts';
import { journalsIn } from '../src/journal/files.ts';
import { Journal } from '../src/journal/journal.ts';
import { eachCount } from '../src/ledger/counts/hour-counts.ts';
import { rollupClasses } from '../src/rules/click-fields.ts';
import { dayLength } from '../src/rules/durations.ts';
import { Log } from '../src/telemetry/log.ts';
import { firefoxOf } from './support/agents-of-people.ts';
import { configFor, startApp, storeKinds, type TestApp } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { hitCounter } from './support/counted-hits.ts';
import { eventually } from './support/eventually.ts';
import { wholeLedger } from './support/hits.ts';
import { migratedPostgres, storeFolder } from './support/migrated-store.ts';
import { plainHit } from './support/plain-hit.ts';
import { runServer, temporaryFolder } from './support/program.ts';
import { TcpProxy } from './support/tcp-proxy.ts';

const slack = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)';

const plain = {
  ...plainHit,
  at: Date.now(),
  userAgent: firefoxOf(1),
} as const;

const rowsOf = async (app: TestApp, linkId: number) =>
  (await wholeLedger(app.app.context.database.read)).filter((hit) => hit.link_id === linkId);

/** PostgreSQL stores null for 0. */
async function hoursOf(app: TestApp, linkId: number) {
  const rows = await app.app.context.database.read
    .selectFrom('link_hours')
    .selectAll()
    .where('link_id', '=', linkId)
    .orderBy('hour')
    .execute();
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(rollupClasses.map((name) => [name, row[name] ?? 0])),
  }));
}

const visitorsOf = async (app: TestApp, linkId: number) =>
  (await hoursOf(app, linkId)).reduce((sum, { visitors }) => sum + visitors, 0);

/** Every byte of every file in a folder. */
function contentOf(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('');
}

describe.each(storeKinds)('hits on %s', (store) => {
  const { app, owner } = appWithOwner({ store, env: { TRUSTED_PROXIES: '1', CLICK_RETENTION_DAYS: '30' } });

  test('are counted by class, each once, and in all totals', async () => {
    const link = await app.createLink(owner);
    const locked = await app.createLink(owner, { password: 'open sesame' });
    for (const version of [140, 141, 142])
      await app.visit(`/${link.suffix}?utm_source=mail`, { 'user-agent': firefoxOf(version) });
    await app.visit(`/${link.suffix}?utm_source=mail`, { 'user-agent': firefoxOf(140) });
    await app.visit(`/${link.suffix}`, { 'user-agent': slack });
    await app.visit(`/${link.suffix}`, { 'user-agent': firefoxOf(143) }, { method: 'HEAD' });
    await app.visit(`/${link.suffix}`, { 'user-agent': firefoxOf(144), 'sec-purpose': 'prefetch' });
    await app.visit('/no-such-link');
    const form = (password: string) => ({ method: 'POST', body: new URLSearchParams({ password }) });
    await app.visit(`/${locked.suffix}`);
    await app.visit(`/${locked.suffix}`, {}, form('wrong'));
    await app.visit(`/${locked.suffix}`, {}, form('open sesame'));
    await app.app.clicks.settled();

    expect((await rowsOf(app, link.id)).map((row) => row.class)).toEqual([0, 0, 0, 5, 1, 4, 3]);
    expect((await rowsOf(app, locked.id)).map((row) => row.outcome)).toEqual([2, 2, 0]);
    const [hour, ...others] = await hoursOf(app, link.id);
    expect(others).toEqual([]);
    const { click, page, preview, bot, prefetch, head, repeat, visitors } = hour ?? {};
    expect({ click, page, preview, bot, prefetch, head, repeat, visitors }).toEqual({
      ...{ click: 3, page: 0, preview: 1, bot: 0, prefetch: 1, head: 1, repeat: 1 },
      visitors: 3,
    });
    const byDimension = new Map<number, number>();
    eachCount(hour?.counts ?? '', (dimension, _value, hits) =>
      byDimension.set(dimension, (byDimension.get(dimension) ?? 0) + hits),
    );
    // Reasons of hits that are not clicks; country, system, browser, source and destination of clicks.
    expect(Object.fromEntries(byDimension)).toEqual({ 2: 4, 3: 3, 5: 3, 6: 3, 9: 3, 12: 3 });
    const counted = await app.app.context.database.read
      .selectFrom('link_clicks')
      .selectAll()
      .where('link_id', 'in', [link.id, locked.id])
      .execute();
    expect(counted.map((row) => [row.link_id, row.clicks])).toEqual([
      [link.id, 3],
      [locked.id, 1],
    ]);
  });

  test('leave no IP address behind', async () => {
    const link = await app.createLink(owner);
    for (let last = 1; last <= 20; last++)
      await app.visit(`/${link.suffix}`, { 'x-forwarded-for': `203.0.113.${last}` });
    expect(contentOf(app.dataDir)).toContain('203.0.113.7');
    await app.app.clicks.settled();
    expect(await rowsOf(app, link.id)).toHaveLength(20);
    expect(contentOf(app.dataDir)).not.toContain('203.0.113.');
    expect(await visitorsOf(app, link.id)).toBe(20);
  });

  test('that were not folded before the stop are folded at the next start', async () => {
    await using folder = await storeFolder();
    const DATABASE_URL = store === 'postgres' ? await migratedPostgres() : '';
    const config = configFor(folder.path, DATABASE_URL);
    const first = await createApp(config, { hits: 'unfolded' });
    const hit = { ...plain, linkId: 7 };
    for (let version = 0; version < 500; version++)
      await first.clicks.append({ ...hit, userAgent: firefoxOf(version) });
    await first.stop();
    expect(journalsIn(folder.path)).toHaveLength(1);

    const second = await createApp(config);
    await eventually(() => journalsIn(folder.path).length === 0, 'the journal to be folded');
    const counter = hitCounter(folder.path, DATABASE_URL);
    expect(await counter.of(7)).toEqual({
      ledger: 500,
      distinctVisitors: 500,
      linkTotal: 500,
      organizationTotal: 500,
      clicks: 500,
    });
    await counter.close();
    await second.stop();
  });

  test('older than the retention period are deleted, and their totals are kept', async () => {
    const link = await app.createLink(owner);
    await app.visit(`/${link.suffix}`);
    await app.app.clicks.settled();
    // On PostgreSQL they are dropped with the last hit of their month.
    app.clock.now += 62 * dayLength;
    app.app.clicks.cleanUp();
    await eventually(async () => (await rowsOf(app, link.id)).length === 0, 'the clicks to be deleted');
    expect((await hoursOf(app, link.id)).map((row) => row.click)).toEqual([1]);
    const { read } = app.app.context.database;
    await eventually(
      async () => (await read.selectFrom('daily_visitors').selectAll().execute()).length === 0,
      'the visitors to be deleted',
    );
    expect(readdirSync(join(app.dataDir, 'visitor-salts'))).toEqual([]);
  });
});

test('an unavailable database delays hits, but none is lost or counted twice', async () => {
  const proxy = new TcpProxy(await migratedPostgres());
  await proxy.open();
  // The change feed could report the new link at any time, and evict it from the cache.
  const lines: string[] = [];
  const log = new Log('info', (line) => void lines.push(line));
  const overrides = { pollInterval: dayLength, log };
  const app = await startApp({ env: { DATABASE_URL: proxy.url }, overrides });
  try {
    const link = await app.createLink(await app.createAccount());
    await app.visit(`/${link.suffix}`, { 'user-agent': firefoxOf(1) });
    await app.app.clicks.settled();
    await proxy.close();
    for (let version = 2; version <= 50; version++)
      expect((await app.visit(`/${link.suffix}`, { 'user-agent': firefoxOf(version) })).status).toBe(302);
    await eventually(
      () => lines.some((line) => line.includes('clicks wait in the journal')),
      'a failed attempt to fold',
    );
    await proxy.open();
    await app.app.clicks.settled();
    const rows = await rowsOf(app, link.id);
    expect(rows).toHaveLength(50);
    expect(await visitorsOf(app, link.id)).toBe(50);
  } finally {
    await app.stop();
    await proxy.close();
  }
});

test('a full disk does not prevent redirects, and the hits are stored once there is space', async () => {
  let freeBytes = Number.POSITIVE_INFINITY;
  const noSpace = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  const app = await startApp({
    overrides: {
      journalDisk: {
        ...realDisk,
        write(file, bytes, from, length, at) {
          if (freeBytes <= 0) throw noSpace;
          // The last bytes are written, the rest is not: a torn record.
          const written = realDisk.write(file, bytes, from, Math.min(length, freeBytes), at);
          freeBytes -= written;
          return written;
        },
      },
    },
  });
  try {
    const link = await app.createLink(await app.createAccount());
    const visit = async (version: number) =>
      expect((await app.visit(`/${link.suffix}`, { 'user-agent': firefoxOf(version) })).status).toBe(302);
    await visit(1);
    freeBytes = 100;
    for (let version = 2; version <= 30; version++) await visit(version);
    freeBytes = Number.POSITIVE_INFINITY;
    for (let version = 31; version <= 40; version++) await visit(version);
    await app.app.clicks.settled();
    const rows = await rowsOf(app, link.id);
    expect(await visitorsOf(app, link.id)).toBe(40);
    expect(rows).toHaveLength(40);
    expect(app.faults).toEqual([]);
  } finally {
    await app.stop();
  }
});

test("while a disk stays full, hits that don't fit in memory are lost, and their number is logged", async () => {
  let [dropped, droppedSoFar] = [0, 0];
  const log = new Log('warn', (line) => {
    const { event, hits, dropped_so_far } = JSON.parse(line);
    if (event !== 'clicks dropped') return;
    dropped += hits;
    droppedSoFar = dropped_so_far;
  });
  const app = await startApp({
    overrides: {
      log,
      journalDisk: {
        ...realDisk,
        write() {
          throw new Error('ENOSPC');
        },
      },
    },
  });
  try {
    const link = await app.createLink(await app.createAccount());
    const hit = { ...plain, linkId: link.id, referer: 'r'.repeat(2_000), query: `?${'q'.repeat(4_000)}` };
    await Promise.all(Array.from({ length: 5_000 }, () => app.app.clicks.append(hit)));
    for (let sent = 0; sent < 5_000; sent++) await app.app.clicks.append(hit);
    expect(dropped).toBeGreaterThan(1_000);
    expect(droppedSoFar).toBe(dropped);
    expect((await app.visit(`/${link.suffix}`)).status).toBe(302);
  } finally {
    await app.stop();
  }
});

/** Starts at the first instant of the 8 ms window in which hits are counted, in the middle of it, and at its last instant. */
test.each([0, 3, 7])(
  'under load each tick makes one write, however long it lasts; otherwise each hit is written at once (begun %i ms into a window)',
  async (phase) => {
    await using folder = await temporaryFolder();
    let writes = 0;
    const write: typeof realDisk.write = (...parameters) => {
      writes += 1;
      return realDisk.write(...parameters);
    };
    const journal = new Journal({
      afterTick: setImmediate,
      folder: () => folder.path,
      use: () => {},
      disk: { ...realDisk, write },
      onWritten: () => {},
      onWarning: (_what, _hits, cause) => {
        throw cause;
      },
    });
    const [ticks, hitsPerTick, idleHits] = [2_000, 40, 64];
    const begin = plain.at - (plain.at % 8) + phase;
    // 40 hits in each millisecond, with a gap of 20 ms now and then.
    for (let tick = 0; tick < ticks; tick++) {
      const at = begin + tick + Math.floor(tick / 100) * 20;
      const appends = Array.from({ length: hitsPerTick }, () => journal.append({ ...plain, at }));
      await Promise.all(appends);
    }
    // If the test begins late in a window, that window ends before it counts as busy.
    expect(writes).toBeLessThanOrEqual(ticks + idleHits + hitsPerTick);
    expect(writes).toBeGreaterThan(ticks / 2);
    const idleAt = begin + 60_000;
    expect(Array.from({ length: idleHits }, () => journal.append({ ...plain, at: idleAt }))).toEqual(
      Array(idleHits).fill(null),
    );
    expect(journal.append({ ...plain, at: idleAt })).toBeInstanceOf(Promise);
    await journal.stop();
  },
);

test('two processes with one data folder use separate journals, and each hit is counted', async () => {
  const app = await startApp();
  const link = await app.createLink(await app.createAccount());
  const otherProcess = runServer({ PORT: '0', DATA_DIR: app.dataDir, MISS_LIMIT: '0' });
  try {
    const otherUrl = await otherProcess.address();
    for (let version = 1; version <= 40; version++) {
      const path = `${version % 2 === 0 ? otherUrl : ''}/${link.suffix}`;
      expect((await app.visit(path, { 'user-agent': firefoxOf(version) })).status).toBe(302);
    }
    expect(journalsIn(app.dataDir)).toHaveLength(2);
    const counter = hitCounter(app.dataDir, '');
    await eventually(async () => (await counter.of(link.id)).ledger >= 40, 'both journals to be folded');
    expect(await counter.of(link.id)).toEqual({
      ledger: 40,
      distinctVisitors: 40,
      linkTotal: 40,
      organizationTotal: 40,
      clicks: 40,
    });
    await counter.close();
  } finally {
    otherProcess.kill('SIGTERM');
    await otherProcess.exited;
    await app.stop();
  }
});

test('identical visits that arrive out of order, from another thread, are all counted', async () => {
  const app = await startApp();
  const link = await app.createLink(await app.createAccount());
  const at = Date.now();
  for (const offset of [0, 3, 0, 0, 3, 10, 0])
    await app.app.clicks.append({ ...plain, linkId: link.id, at: at + offset });
  await app.app.clicks.settled();
  expect(await rowsOf(app, link.id)).toHaveLength(7);
  expect(app.faults).toEqual([]);
  await app.stop();
});
