import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { ClickhouseClient } from '../src/ledger/clickhouse/clickhouse-client.ts';
import { ClickhouseHits } from '../src/ledger/clickhouse/clickhouse-hits.ts';
import { ClickhouseWriter } from '../src/ledger/clickhouse/clickhouse-writer.ts';
import { windowLength } from '../src/ledger/clickhouse/hit-window.ts';
import { deleteMoved, MoveProblem, moveHits } from '../src/ledger/clickhouse/move-hits.ts';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { PostgresFoldStore } from '../src/ledger/stores/postgres-fold-store.ts';
import { hourLength, minuteLength } from '../src/rules/durations.ts';
import { StoreUnavailable } from '../src/rules/errors.ts';
import type { Database } from '../src/storage/database.ts';
import { hasHits } from '../src/storage/has-hits.ts';
import { hitLocation, knowsAllHits } from '../src/storage/moved-hits.ts';
import type { NewHit } from './support/batch-folder.ts';
import { freshClickhouse, hasClickhouse, queryClickhouse, serverOf } from './support/clickhouse.ts';
import { ClickhouseProxy, errorResponse } from './support/clickhouse-proxy.ts';
import { type TestLedger, testLedger } from './support/ledger-of.ts';
import { type Program, runCommand } from './support/program.ts';
import { ReferenceLedger, randomHits, randomLinks } from './support/reference-ledger.ts';
import { seededRandom } from './support/seeded-random.ts';

/** Late on the last day of a month, so that hits are in two months. */
const begin = Date.UTC(2026, 10, 30, 22, 50);
const draw = seededRandom(20261125);

let ledger: TestLedger;
let clickhouse: string;
let proxy: ClickhouseProxy;
let turn = 0;

const isInstalled = await hasClickhouse();
const nextHits = (count = 900): NewHit[] => randomHits(draw, count, begin + turn++ * 12 * minuteLength);
const movedDatabase = (): Database => ({ ...ledger.database, hits: ClickhouseHits.of(serverOf(clickhouse)) });
const move = () =>
  moveHits({
    database: ledger.database,
    client: new ClickhouseClient(serverOf(proxy.url)),
    now: () => begin,
    newStoreId: () => 'this',
  });

/** Skips ids, as if many hits had been stored and deleted. */
const skipIds = (to: number) =>
  ledger.database.write((queries) => sql`update hit_ids set newest = ${to}`.execute(queries));

/** All hits of a database, in a ledger that answers by looking at each of them. */
const hitsOf = (database: Database) => ReferenceLedger.of(openLedger(database), draw, begin);

function runMove(): Program {
  const settings = { DATABASE_URL: ledger.url ?? '', CLICKS_URL: proxy.url, DATA_DIR: ledger.dataDir };
  return runCommand(['clicks', 'move'], settings);
}

test.skipIf(!isInstalled)(
  'a store without hits is moved, and counts in ClickHouse from then on',
  async () => {
    await using empty = await testLedger('postgres', randomLinks);
    const server = serverOf(await freshClickhouse());
    const moving = moveHits({
      database: empty.database,
      client: new ClickhouseClient(server),
      now: () => begin,
      newStoreId: () => 'this',
    });
    expect(await moving).toEqual({ hits: 0 });
    const location = await hitLocation(empty.database.read);
    expect(location).toEqual({ storeId: 'this', hasTables: true, move: null, movedAt: String(begin) });
    const store = new PostgresFoldStore(empty.url ?? '', undefined, () =>
      ClickhouseWriter.open(server, 'this', 0),
    );
    await empty.append(nextHits(50), 'rows', undefined, store);
    const moved = { ...empty.database, hits: ClickhouseHits.of(server) };
    expect((await hitsOf(moved)).hits.map(({ id }) => id)).toEqual(
      Array.from({ length: 50 }, (_, n) => n + 1),
    );
    await store.close();
  },
  120_000,
);

describe.skipIf(!isInstalled)('moving hits from PostgreSQL to ClickHouse', () => {
  beforeEach(async () => {
    turn = 0;
    ledger = await testLedger('postgres', randomLinks);
    clickhouse = await freshClickhouse();
    proxy = new ClickhouseProxy(clickhouse);
    // Hits around the limits of a window, as rows, packs and chunks, and one window without hits.
    await ledger.append(nextHits(), 'packs');
    await skipIds(windowLength - 500);
    await ledger.append(nextHits(), 'packs');
    await skipIds(3 * windowLength - 100);
    await ledger.append(nextHits(300), 'rows');
    await ledger.append(nextHits(), 'packs');
    await ledger.merge(begin);
  });
  afterEach(async () => {
    proxy[Symbol.dispose]();
    await ledger[Symbol.asyncDispose]();
  });

  test('works while a node counts, with the same results as before', async () => {
    let insertions = 0;
    proxy.onInsertion = async (forward) => {
      insertions += 1;
      if (insertions <= 2) await ledger.append(nextHits(100), 'rows');
      return forward();
    };
    await move();
    proxy.onInsertion = null;
    expect(insertions).toBe(4);
    const before = await hitsOf(ledger.database);
    const after = await hitsOf(movedDatabase());
    expect(after.hits.length).toBe(3_200);
    expect(after.hits).toEqual(before.hits);
    await before.expectSameAnswers(openLedger(movedDatabase()), 10);
    expect(await openLedger(movedDatabase()).newestId()).toBe(before.hits.at(-1)?.id ?? 0);
  }, 120_000);

  test("makes later clicks wait on a node that hasn't noticed the switch, and count once on one that has", async () => {
    await move();
    const before = await hitsOf(movedDatabase());
    const next = nextHits(50);
    const appending = ledger.append(next, 'rows');
    await expect(appending).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(appending).rejects.toThrow('CLICKS_URL');
    expect([await knowsAllHits(ledger.database), await knowsAllHits(movedDatabase())]).toEqual([false, true]);
    const store = new PostgresFoldStore(ledger.url ?? '', undefined, () =>
      ClickhouseWriter.open(serverOf(clickhouse), 'this', 0),
    );
    await ledger.append(next, 'rows', undefined, store);
    const after = await hitsOf(movedDatabase());
    expect(after.hits.slice(0, before.hits.length)).toEqual([...before.hits]);
    expect(after.hits.length).toBe(before.hits.length + 50);
    // PostgreSQL keeps what was moved for a day.
    await store.deleteHitsBefore(0, begin + 23 * hourLength);
    expect(await hasHits(ledger.database.read)).toBe(true);
    await store.deleteHitsBefore(0, begin + 25 * hourLength);
    expect(await hasHits(ledger.database.read)).toBe(false);
    expect((await hitLocation(ledger.database.read)).movedAt).toBeNull();
    await store.close();
  }, 120_000);

  test('works if the program is killed at its first or last insertion, and restarted', async () => {
    const before = await hitsOf(ledger.database);
    // The first one, and the last one before the switch.
    for (const kill of [1, 3]) {
      const program = runMove();
      let insertions = 0;
      proxy.onInsertion = async (forward) => {
        insertions += 1;
        const response = await forward();
        if (insertions === kill) program.kill('SIGKILL');
        return response;
      };
      await program.exited;
      expect(insertions).toBe(kill);
    }
    proxy.onInsertion = null;
    const last = runMove();
    expect([await last.exited, last.output().out]).toEqual([
      0,
      expect.stringContaining('ClickHouse has all of them'),
    ]);
    expect((await hitsOf(movedDatabase())).hits).toEqual(before.hits);
  }, 240_000);

  test('works if ClickHouse is away for a while, or one of its responses is lost', async () => {
    const before = await hitsOf(ledger.database);
    proxy.onInsertion = errorResponse;
    await expect(move()).rejects.toBeInstanceOf(StoreUnavailable);
    let insertions = 0;
    proxy.onInsertion = async (forward) => {
      insertions += 1;
      const response = await forward();
      return insertions === 2 ? errorResponse() : response;
    };
    await expect(move()).rejects.toBeInstanceOf(StoreUnavailable);
    expect((await hitLocation(ledger.database.read)).storeId).toBeNull();
    expect(await knowsAllHits(ledger.database)).toBe(false);
    proxy.onInsertion = null;
    await move();
    expect((await hitsOf(movedDatabase())).hits).toEqual(before.hits);
    await deleteMoved(ledger.database);
    const { rows: tables } = await sql<{ name: string }>`
      select relname as name from pg_class where relkind = 'p' and relname ~ '^hit'`.execute(
      ledger.database.read,
    );
    expect(tables.length).toBeGreaterThan(5);
    for (const { name } of tables) {
      const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(ledger.database.read);
      expect([name, rows.length]).toEqual([name, 0]);
    }
  }, 120_000);

  test('does not switch over if ClickHouse has other hits than PostgreSQL', async () => {
    proxy.onInsertion = async (forward) => {
      const response = await forward();
      await queryClickhouse(clickhouse, 'delete from hits where id = 7');
      return response;
    };
    const problem = await move().catch((cause) => cause);
    expect(problem).toBeInstanceOf(MoveProblem);
    expect(problem.message).toContain('Nothing was switched over');
    expect(await hitLocation(ledger.database.read)).toEqual({
      storeId: null,
      hasTables: false,
      move: null,
      movedAt: null,
    });
    await ledger.append(nextHits(10), 'rows');
  }, 120_000);
});
