import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { sql as sqlText } from 'kysely';
import type { StoredHit } from '../src/ledger/ledger.ts';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { PostgresFoldStore } from '../src/ledger/stores/postgres-fold-store.ts';
import { aliasFields, hitColumns, placeFields, ruleFields } from '../src/rules/click-fields.ts';
import { dayLength } from '../src/rules/durations.ts';
import type { Database } from '../src/storage/database.ts';
import { openPostgres } from '../src/storage/drivers/postgres.ts';
import { migrationsTable, statementsOf } from '../src/storage/migrate.ts';
import { openDatabase } from '../src/storage/open.ts';
import { BatchFolder, type NewHit, zeroColumns } from './support/batch-folder.ts';
import { eventually, pollUntil } from './support/eventually.ts';
import { wholeLedger } from './support/hits.ts';
import { pidsWaitingForLock } from './support/lock-waits.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { freshPostgres } from './support/postgres.ts';

const december = Date.UTC(2026, 11);
const january = Date.UTC(2027, 0);

/** Hits that alternate between links and between organizations. */
const hitsAt = (instants: readonly number[], links = 3): NewHit[] =>
  instants.map((at, index) => {
    const link_id = 1 + (index % links);
    return { ...zeroColumns, at, link_id, organization_id: 1 + (link_id % 2) };
  });
/** `count` instants, a second apart; the middle one is the first in the new month. */
const instantsAround = (monthStart: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => monthStart + (index - Math.floor(count / 2)) * 1_000);

class Store {
  readonly url: string;
  readonly database: Database;
  readonly fold: PostgresFoldStore;
  readonly sql: SQL;

  private constructor(url: string, database: Database) {
    this.url = url;
    this.database = database;
    this.fold = new PostgresFoldStore(url);
    this.sql = new SQL({ url, max: 3 });
  }

  static async open(url?: string): Promise<Store> {
    const address = url ?? (await migratedPostgres());
    return new Store(address, await openDatabase(address, '', () => {}));
  }

  async [Symbol.asyncDispose]() {
    await this.fold.close();
    await this.sql.end();
    await this.database.close();
  }

  /** The names of the ledger's partitions. */
  async partitions(): Promise<string[]> {
    const rows = await this.sql`select inhrelid::regclass::text as name from pg_inherits
      where inhparent in ('hits'::regclass, 'hit_packs'::regclass, 'hit_pack_links'::regclass,
        'hit_chunks'::regclass, 'hit_chunk_links'::regclass, 'hit_link_groups'::regclass) order by 1`;
    return rows.map(({ name }: { name: string }) => name);
  }

  async tables(): Promise<string[]> {
    const rows = await this
      .sql`select relname as name from pg_class where relkind = 'r' and relname ~ '^hit' order by 1`;
    return rows.map(({ name }: { name: string }) => name);
  }

  async dropBefore(at: number): Promise<void> {
    await eventually(async () => !(await this.fold.deleteHitsBefore(at)), 'the end of the drop');
  }

  ledger = () => wholeLedger(this.database.read);
}

const sortedById = (hits: readonly StoredHit[]) => hits.toSorted((one, other) => one.id - other.id);
const months = (...names: string[]) =>
  ['hit_chunk_links', 'hit_chunks', 'hit_link_groups', 'hit_pack_links', 'hit_packs', 'hits'].flatMap(
    (table) => names.map((name) => `${table}_${name}`),
  );

describe('the ledger on PostgreSQL, partitioned by month,', () => {
  test('has no pack that spans two months, and one id for each hit, in any month and row', async () => {
    await using store = await Store.open();
    const folding = new BatchFolder(store.fold);
    const folded = [
      ...(await folding.fold(hitsAt(instantsAround(december, 900)), true)),
      ...(await folding.fold(hitsAt(instantsAround(december, 5)), false)),
      ...(await folding.fold(
        hitsAt([...instantsAround(december, 30), ...instantsAround(january, 30)]),
        true,
      )),
    ];
    expect([...(await store.ledger())]).toEqual(sortedById(folded));
    expect(folded.map(({ id }) => id).toSorted((one, other) => one - other)).toEqual(
      folded.map((_, row) => 1 + row),
    );
    const packs = await store.sql`select tableoid::regclass::text as name, first_at, last_at from hit_packs`;
    expect(new Set(packs.map(({ name }: { name: string }) => name))).toEqual(
      new Set(['hit_packs_2026_11', 'hit_packs_2026_12', 'hit_packs_2027_01']),
    );
    for (const { name, first_at, last_at } of packs)
      for (const at of [first_at, last_at])
        expect(`hit_packs_${new Date(Number(at)).toISOString().slice(0, 7).replace('-', '_')}`).toBe(name);
    const ledger = openLedger(store.database);
    for (const owner of [
      { kind: 'link', id: 2, organizationId: 1 },
      { kind: 'organization', id: 1 },
    ] as const) {
      for (const times of [
        {},
        { from: december },
        { to: december },
        { from: december + 9_000, to: january },
      ]) {
        const { from = 0, to = Number.POSITIVE_INFINITY } = { from: undefined, to: undefined, ...times };
        const expected = sortedById(folded)
          .filter((hit) => hit[`${owner.kind}_id`] === owner.id && hit.at >= from && hit.at < to)
          .toReversed();
        const { hits: found } = await ledger.before(
          { owner, ...times },
          { before: undefined, limit: 2_000, offset: 0 },
        );
        expect([...found]).toEqual(expected);
      }
    }
  });

  test('has the next month before it begins', async () => {
    await using store = await Store.open();
    await new BatchFolder(store.fold).fold(hitsAt([december - 1]), false);
    expect(await store.partitions()).toEqual(months('2026_11', '2026_12').toSorted());
  });

  test('is dropped by month, and hits with wrong times neither prevent that nor are lost', async () => {
    await using store = await Store.open();
    const folding = new BatchFolder(store.fold);
    const wrongInstants = [0, -5, Date.UTC(2019, 3), Date.UTC(2027, 8, 3), Date.UTC(2185, 2), 9e15];
    const folded = await folding.fold(hitsAt([...wrongInstants, ...instantsAround(december, 20)]), true);
    expect([...(await store.ledger())]).toEqual(sortedById(folded));
    await store.dropBefore(december - 1);
    expect((await store.ledger()).filter(({ at }) => at < Date.UTC(2026, 10))).toEqual([]);
    expect((await store.ledger()).filter(({ at }) => at > Date.UTC(2026, 10))).toHaveLength(
      folded.length - 3,
    );
    await store.dropBefore(december);
    expect((await store.ledger()).every(({ at }) => at >= december)).toBe(true);
    expect((await store.ledger()).length).toBe(13);
    const names = await store.partitions();
    expect(names).toEqual(months('2026_12', '2027_01', '2027_09', '2027_10', 'far_future').toSorted());
    expect(await store.tables()).toEqual([...names, 'hit_ids'].toSorted());
    // A node that folds into a dropped month finds it missing, and creates it again.
    const lateHits = await folding.fold(hitsAt([0, december - 5]), false);
    expect((await store.ledger()).filter(({ at }) => at < december)).toEqual(
      sortedById(lateHits) as StoredHit[],
    );
  });

  test('is written by many nodes at the turn of a month, each hit once', async () => {
    await using store = await Store.open();
    const stores = Array.from({ length: 5 }, () => new PostgresFoldStore(store.url));
    const folded = await Promise.all(
      stores.map(async (foldStore, node) => {
        const folding = new BatchFolder(foldStore, `node${node}/own`);
        const hits: StoredHit[] = [];
        for (let round = 0; round < 4; round++)
          hits.push(
            ...(await folding.fold(hitsAt(instantsAround(december + node, 40 + round)), round % 2 === 0)),
          );
        return hits;
      }),
    );
    expect([...(await store.ledger())]).toEqual(sortedById(folded.flat()));
    expect(new Set(folded.flat().map(({ id }) => id)).size).toBe(folded.flat().length);
    for (const foldStore of stores) await foldStore.close();
  });

  test('is dropped during a long read, while others read and the fold continues', async () => {
    await using store = await Store.open();
    const folding = new BatchFolder(store.fold);
    await folding.fold(hitsAt(instantsAround(december, 100)), true);
    const reader = await store.sql.reserve();
    await reader`begin`;
    await reader`select count(*) from hits, hit_packs, hit_pack_links`;
    expect(await store.fold.deleteHitsBefore(december)).toBe(true);
    const isDropWaiting = async () =>
      (
        await store.sql`select 1 from pg_stat_activity where application_name = 'linnet retention'
        and wait_event_type = 'Lock' and datname = current_database()`
      ).length > 0;
    await eventually(isDropWaiting, 'the drop to wait for the reader');
    await folding.fold(hitsAt(instantsAround(december + dayLength, 50)), true);
    // Also into a month whose partitions must be created for it.
    await folding.fold(hitsAt([december + 90 * dayLength]), false);
    expect((await store.ledger()).length).toBeGreaterThan(50);
    await reader`commit`;
    reader.release();
    await store.dropBefore(december);
    expect(await store.ledger()).toHaveLength(101);
  });

  test('is folded into by a node that starts while a drop waits for a reader of a partition', async () => {
    await using store = await Store.open();
    await new BatchFolder(store.fold).fold(hitsAt(instantsAround(december, 20)), false);
    const reader = await store.sql.reserve();
    await reader`begin`;
    await reader`select count(*) from hits_2026_11`;
    expect(await store.fold.deleteHitsBefore(december)).toBe(true);
    const waitingForPartition = () => pidsWaitingForLock(store.sql, 'hits_2026_11');
    await eventually(
      async () => (await waitingForPartition()).length === 1,
      'the drop to wait for the reader',
    );
    await using startingNode = await Store.open(store.url);
    await new BatchFolder(startingNode.fold, 'here/starting').fold(hitsAt([december]), false);
    expect(await waitingForPartition()).toHaveLength(1);
    await reader`commit`;
    reader.release();
    await store.dropBefore(december);
    expect(await store.ledger()).toHaveLength(11);
  });

  test('is dropped completely by the next node if one fails in the middle', async () => {
    await using store = await Store.open();
    await new BatchFolder(store.fold).fold(hitsAt(instantsAround(december, 100)), true);
    const reader = await store.sql.reserve();
    await reader`begin`;
    await reader`select count(*) from hits`;
    await using interruptedNode = await Store.open(store.url);
    expect(await interruptedNode.fold.deleteHitsBefore(december)).toBe(true);
    const isDetachPending = async () =>
      (await store.sql`select 1 from pg_inherits where inhdetachpending`).length === 1;
    await eventually(isDetachPending, 'the drop to have begun');
    await store.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'linnet retention' and datname = current_database()`;
    await reader`commit`;
    reader.release();
    await store.sql.unsafe('alter table hit_pack_links detach partition hit_pack_links_2026_11');
    // A hit of that month still arrives: partitions that were dropped halfway are created again.
    const lateFold = new BatchFolder(store.fold, 'here/late');
    await lateFold.fold(hitsAt([december - 7]), false);
    await store.dropBefore(december);
    expect(await store.tables()).toEqual([...months('2026_12', '2027_01'), 'hit_ids'].toSorted());
    expect((await store.ledger()).every(({ at }) => at >= december)).toBe(true);
  });

  test('is dropped although dropping a later month was interrupted', async () => {
    await using store = await Store.open();
    const october = Date.UTC(2026, 9, 20);
    await new BatchFolder(store.fold).fold(hitsAt([october, december - 5, december]), false);
    const reader = await store.sql.reserve();
    await reader`begin`;
    await reader`select count(*) from hits`;
    const detach = 'alter table hits detach partition hits_2026_11 concurrently';
    const detaching = store.sql.unsafe(detach).then(
      () => 'done',
      () => 'broken',
    );
    const isDetachPending = async () =>
      (await store.sql`select 1 from pg_inherits where inhdetachpending`).length === 1;
    await eventually(isDetachPending, 'the drop to have begun');
    await store.sql`select pg_cancel_backend(pid) from pg_stat_activity
      where query = ${detach} and state = 'active' and datname = current_database()`;
    expect(await detaching).toBe('broken');
    await reader`commit`;
    reader.release();
    await store.dropBefore(december);
    expect((await store.tables()).filter((name) => /2026_1[01]/.test(name))).toEqual([]);
    expect(await store.ledger()).toHaveLength(1);
  });

  test('loses no hit and counts none twice if a node fails between reserving ids and its commit', async () => {
    await using store = await Store.open();
    const before = await new BatchFolder(store.fold, 'here/one').fold(
      hitsAt(instantsAround(december, 40)),
      true,
    );
    const killedStore = new PostgresFoldStore(store.url);
    const batch = hitsAt(instantsAround(december, 60));
    const lockHolder = await store.sql.reserve();
    await lockHolder`begin`;
    await lockHolder`lock table hit_packs in exclusive mode`;
    const interruptedFold = new BatchFolder(killedStore, 'here/two')
      .fold(batch, true)
      .catch((cause: Error) => cause.name);
    const [pid] = await pollUntil(
      () => pidsWaitingForLock(store.sql, 'hit_packs'),
      (waiting) => waiting.length > 0,
      'the fold to wait for the lock',
    );
    await store.sql`select pg_terminate_backend(${pid})`;
    expect(await interruptedFold).toBe('StoreUnavailable');
    await lockHolder`commit`;
    lockHolder.release();
    const retried = await new BatchFolder(killedStore, 'here/two').fold(batch, true);
    expect([...(await store.ledger())]).toEqual(sortedById([...before, ...retried]));
    expect(Math.min(...retried.map(({ id }) => id))).toBe(40 + 60 + 1);
    await killedStore.close();
  });
});

describe('a PostgreSQL store of the previous version', () => {
  const now = Date.now();
  let store: Store;
  const oldInstants = [
    now - 400 * dayLength,
    now - 200 * dayLength,
    now - dayLength,
    now,
    now + 90 * dayLength,
    Date.UTC(2150, 1),
  ];

  beforeAll(async () => {
    const url = await freshPostgres();
    const oldDatabase = openPostgres(url, () => {});
    await oldDatabase.write((queries) => sqlText.raw(migrationsTable('postgres')).execute(queries));
    for (let number = 1; !statementsOf('postgres', number).join().includes('hits_before'); number++)
      await oldDatabase.migrate(async (queries) => {
        for (const statement of [
          ...statementsOf('postgres', number),
          `insert into migrations values (${number})`,
        ])
          await sqlText.raw(statement).execute(queries);
      });
    const columns = ['link_id', 'organization_id', 'at'] as const;
    // The columns of that version.
    const newerColumns = [...ruleFields, ...placeFields, ...aliasFields];
    const otherColumns = hitColumns.filter((name) => ![...columns, ...newerColumns].includes(name as 'at'));
    const sql = new SQL({ url, max: 1 });
    for (const at of oldInstants)
      await sql.unsafe(
        `insert into hits (${[...columns, ...otherColumns].join(', ')}) values (2, 1, ${at}${', 0'.repeat(otherColumns.length)})`,
      );
    await sql.end();
    await oldDatabase.close();
    store = await Store.open(url);
  });
  afterAll(() => store[Symbol.asyncDispose]());

  test('keeps its hits and their ids, along with new ones', async () => {
    expect((await store.ledger()).map(({ id, at }) => [id, at])).toEqual(
      oldInstants.map((at, index) => [index + 1, at]),
    );
    const folded = await new BatchFolder(store.fold).fold(hitsAt(instantsAround(now, 20)), true);
    expect(Math.min(...folded.map(({ id }) => id))).toBe(oldInstants.length + 1);
    const owner = { kind: 'link', id: 2, organizationId: 1 } as const;
    const { hits: found } = await openLedger(store.database).before(
      { owner },
      { before: undefined, limit: 50, offset: 0 },
    );
    expect(found.map(({ at }) => at)).toEqual([
      ...sortedById(folded)
        .filter((hit) => hit.link_id === 2)
        .map(({ at }) => at)
        .toReversed(),
      ...oldInstants.toReversed(),
    ]);
  });

  test('deletes its old hits one by one, until all of them have expired', async () => {
    await store.dropBefore(now - 180 * dayLength);
    expect((await store.ledger()).slice(0, 2).map(({ at }) => at)).toEqual([now - dayLength, now]);
    expect(await store.partitions()).toContain('hits_before');
    await store.dropBefore(now + 32 * dayLength);
    expect(await store.tables()).not.toContain('hits_before');
    expect((await store.ledger()).map(({ at }) => at)).toContain(Date.UTC(2150, 1));
  });
});
