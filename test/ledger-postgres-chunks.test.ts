import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { deleteSomeChunks } from '../src/ledger/chunks/delete-chunks.ts';
import { chunkColumns, talliedColumns } from '../src/ledger/chunks/hit-chunk.ts';
import type { StoredHit } from '../src/ledger/ledger.ts';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { PostgresFoldStore } from '../src/ledger/stores/postgres-fold-store.ts';
import { secondLength } from '../src/rules/durations.ts';
import { StoreUnavailable } from '../src/rules/errors.ts';
import { type Database, internalReadTerms } from '../src/storage/database.ts';
import { openDatabase } from '../src/storage/open.ts';
import { BatchFolder, type NewHit, zeroColumns } from './support/batch-folder.ts';
import { eventually } from './support/eventually.ts';
import { pidsWaitingForLock } from './support/lock-waits.ts';
import { migratedPostgres } from './support/migrated-store.ts';

const december = Date.UTC(2026, 11);
const january = Date.UTC(2027, 0);
const hitsPerChunk = 40;
const owner = { kind: 'organization', id: 1 } as const;

/** Hits of one organization with three links, a second apart, around an instant. */
const hitsAround = (at: number, count: number): NewHit[] =>
  Array.from({ length: count }, (_, index) => ({
    ...zeroColumns,
    at: at + (index - Math.floor(count / 2)) * secondLength,
    link_id: 1 + (index % 3),
    organization_id: owner.id,
    country: index % 5,
  }));

let url: string;
let database: Database;
let sql: SQL;
beforeAll(async () => {
  url = await migratedPostgres();
  database = await openDatabase(url, '', () => {});
  sql = new SQL({ url, max: 3 });
  await sql`insert into organizations (id, name, created_at) values (1, '', 1), (2, '', 1)`;
});
afterAll(async () => {
  await sql.end();
  await database.close();
});

const merge = async (store: PostgresFoldStore) => {
  while (await store.chunkSome(december));
};
const chunksOf = async (
  organization: number,
): Promise<{ first_id: number; last_id: number; hits: number }[]> => {
  const rows = await sql`select first_id::int, last_id::int, hits::int from hit_chunks
    where organization_id = ${organization} order by id`;
  return [...rows];
};

const groupsOf = async (organization: number): Promise<number> => {
  const [row] = await sql`select count(*)::int as groups from hit_link_groups
    where chunk_id in (select min(id) from hits where organization_id = ${organization})`;
  return row.groups;
};

/** All hits, page by page in both directions. */
async function pagedIds(limit: number): Promise<{ newest: number[]; oldest: number[] }> {
  const ledger = openLedger(database);
  const newest: StoredHit[] = [];
  for (let before: number | undefined; ; before = newest.at(-1)?.id) {
    const { hits } = await ledger.before({ owner }, { before, limit, offset: 0 });
    newest.push(...hits);
    if (hits.length < limit) break;
  }
  const oldest: StoredHit[] = [];
  const upTo = await ledger.newestId();
  for (;;) {
    const hits = await ledger.after({ owner }, { after: oldest.at(-1)?.id ?? 0, upTo, limit });
    oldest.push(...hits);
    if (hits.length < limit) break;
  }
  return { newest: newest.map(({ id }) => id), oldest: oldest.map(({ id }) => id) };
}

describe('chunks on PostgreSQL', () => {
  test('have a table column for each chunk column', async () => {
    const rows = await sql`select attname as name from pg_attribute
      where attrelid = 'hit_chunks'::regclass and atttypid = 'bytea'::regtype order by attnum`;
    const expected = [
      ...chunkColumns.map((name) => `c_${name}`),
      ...talliedColumns.map((name) => `t_${name}`),
    ];
    expect(rows.map(({ name }: { name: string }) => name).sort()).toEqual(expected.sort());
  });

  test('are built per month if hits of two months are folded together, and keep their order', async () => {
    const store = new PostgresFoldStore(url, hitsPerChunk);
    const folding = new BatchFolder(store, 'here/months');
    const ids: number[] = [];
    for (const isByLink of [true, false, true])
      ids.push(...(await folding.fold(hitsAround(december, 50), isByLink)).map(({ id }) => id));
    await merge(store);
    const chunks = await chunksOf(owner.id);
    expect(chunks.length).toBeGreaterThan(3);
    expect(new Set(chunks.map(({ last_id }) => last_id)).size).toBeLessThan(chunks.length);
    const ascending = ids.toSorted((one, other) => one - other);
    for (const limit of [7, 1_000])
      expect(await pagedIds(limit)).toEqual({ newest: ascending.toReversed(), oldest: ascending });
    const page = await openLedger(database).before({ owner }, { before: 120, limit: 20, offset: 60 });
    expect(page.hits.map(({ id }) => id)).toEqual(ascending.slice(39, 59).toReversed());
    await store.close();
  });

  test('are dropped with their month', async () => {
    const store = new PostgresFoldStore(url, hitsPerChunk);
    await eventually(async () => !(await store.deleteHitsBefore(december)), 'the end of the drop');
    const names = await sql`select inhrelid::regclass::text as name from pg_inherits
      where inhparent in ('hit_chunks'::regclass, 'hit_link_groups'::regclass)`;
    expect(names.filter(({ name }: { name: string }) => /2026_11/.test(name))).toEqual([]);
    const counts = await openLedger(database).count({ owner, from: december }, 'class');
    expect(counts.reduce((sum, { hits }) => sum + hits, 0)).toBe(75);
    await store.close();
  });

  test('wait for transactions that took earlier ids', async () => {
    const [store, lateStore] = [
      new PostgresFoldStore(url, hitsPerChunk),
      new PostgresFoldStore(url, hitsPerChunk),
    ];
    const lateFold = new BatchFolder(lateStore, 'here/late');
    const february = hitsAround(Date.UTC(2027, 1, 2), 6);
    await lateFold.fold(february, false);
    await merge(store);
    const before = await chunksOf(owner.id);
    const lockHolder = await sql.reserve();
    await lockHolder`begin`;
    await lockHolder`lock table hits_2027_02 in share mode`;
    const folded = lateFold.fold(february, false);
    const isFoldWaiting = async () => (await pidsWaitingForLock(sql, 'hits_2027_02')).length > 0;
    await eventually(isFoldWaiting, 'the fold to wait for the lock');
    await new BatchFolder(store, 'here/settled').fold(hitsAround(january + 1_000 * secondLength, 60), false);
    await merge(store);
    expect(await chunksOf(owner.id)).toEqual(before);
    await lockHolder`commit`;
    lockHolder.release();
    const hits = await folded;
    await merge(store);
    expect((await chunksOf(owner.id)).length).toBeGreaterThan(before.length);
    const { newest } = await pagedIds(1_000);
    for (const { id } of hits) expect(newest).toContain(id);
    await store.close();
    await lateStore.close();
  });

  test('take no ids from a fold that is committed later, which gets new ids', async () => {
    const [store, lateStore] = [
      new PostgresFoldStore(url, hitsPerChunk),
      new PostgresFoldStore(url, hitsPerChunk),
    ];
    const lockHolder = await sql.reserve();
    await lockHolder`begin`;
    await lockHolder`lock table journal_watermarks in exclusive mode`;
    const folded = new BatchFolder(lateStore, 'here/second').fold(hitsAround(january, 6), false);
    const isFoldWaiting = async () => (await pidsWaitingForLock(sql, 'journal_watermarks')).length > 0;
    await eventually(isFoldWaiting, 'the fold to have its ids');
    const [{ settled }] = await sql`update hit_ids set settled = newest returning settled::int`;
    await lockHolder`commit`;
    lockHolder.release();
    const ids = (await folded).map(({ id }) => id);
    expect(Math.min(...ids)).toBeGreaterThan(settled);
    expect((await pagedIds(1_000)).newest.slice(0, 6)).toEqual(ids.toReversed());
    await store.close();
    await lateStore.close();
  });

  test('are not built during a correction, and not twice by two nodes', async () => {
    const nodes = [new PostgresFoldStore(url, hitsPerChunk), new PostgresFoldStore(url, hitsPerChunk)];
    const [firstNode, secondNode] = nodes as [PostgresFoldStore, PostgresFoldStore];
    const hits = hitsAround(january + 1_000 * secondLength, 200).map((hit) => ({
      ...hit,
      organization_id: 2,
      link_id: 9,
    }));
    await new BatchFolder(firstNode, 'here/two').fold(hits, false);
    await sql`insert into click_corrections (id, created_at, organization_id, user_id, to_at, due_at, hits, not_kept, place, phase, seen_id)
      values (900, 1, 2, 1, 1, 1, 0, 0, 0, 0, 0)`;
    await Promise.all(nodes.map(merge));
    expect(await chunksOf(2)).toEqual([]);
    await sql`delete from click_corrections where id = 900`;
    await Promise.all([merge(firstNode), merge(secondNode)]);
    await Promise.all([merge(firstNode), merge(secondNode)]);
    const chunks = await chunksOf(2);
    expect(chunks.reduce((sum, chunk) => sum + chunk.hits, 0)).toBe(200);
    for (const [index, { first_id }] of chunks.entries())
      expect(first_id).toBeGreaterThan(chunks[index - 1]?.last_id ?? 0);
    await Promise.all(nodes.map((node) => node.close()));
  });

  test('are read from the server once, and again after they are rebuilt', async () => {
    const module = new URL('./support/watched-chunk-job.ts', import.meta.url).href;
    const filter = { owner: { kind: 'organization', id: 2 }, values: [['country', 1]] };
    const countHits = async () => {
      const upTo = (await chunksOf(2)).at(-1)?.last_id ?? 0;
      const { answer, copies } = await database.compute<{ answer: { hits: number }[]; copies: number }>(
        module,
        { kind: 'count', filter, upTo, by: 'class', starts: [] },
      );
      return { hits: answer.reduce((sum, { hits }) => sum + hits, 0), isRead: copies > 0 };
    };
    const before = await chunksOf(2);
    expect(await countHits()).toEqual({ hits: 40, isRead: true });
    expect(await countHits()).toEqual({ hits: 40, isRead: false });
    const store = new PostgresFoldStore(url, hitsPerChunk);
    await sql`delete from hit_link_groups where chunk_id in (select id from hit_chunks where organization_id = 2)`;
    await sql`delete from hit_chunks where organization_id = 2`;
    await sql`update hits set country = 1 where organization_id = 2 and country = 2`;
    await merge(store);
    expect(await chunksOf(2)).toEqual(before);
    expect(await countHits()).toEqual({ hits: 80, isRead: true });
    await store.close();
  });

  test('are deleted with their organization, and those of other organizations are kept', async () => {
    const others = await chunksOf(owner.id);
    const groups = await groupsOf(2);
    expect(groups).toBeGreaterThan(0);
    expect(others.length).toBeGreaterThan(0);
    while (await database.write((queries) => deleteSomeChunks(queries, 2)));
    expect(await chunksOf(2)).toEqual([]);
    expect(await chunksOf(owner.id)).toEqual(others);
    expect(await groupsOf(2)).toBe(0);
  });
});

describe('PostgreSQL jobs', () => {
  const module = new URL('./support/slow-job.ts', import.meta.url).href;

  test('are stopped when their result is no longer awaited, and others continue', async () => {
    const abort = new AbortController();
    const compute = database.computeFor({ ...internalReadTerms, signal: abort.signal });
    const jobs = [compute(module, { times: 1e9 }), compute(module, { times: 1e9 })];
    const results = Promise.allSettled(jobs);
    await eventually(async () => (await runningJobs()) > 0, 'the jobs to run');
    abort.abort();
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await database.compute<number>(module, { times: 3 })).toBe(3);
  });

  test('get a new connection if one has failed', async () => {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'linnet statistics'
      and datname = current_database()`;
    await eventually(async () => {
      const answer = await database.compute<number>(module, { times: 2 }).catch((cause: Error) => cause.name);
      expect(['StoreUnavailable', 2]).toContain(answer);
      return answer === 2;
    }, 'an answer');
  });

  test('fail if their connection breaks between two statements: the next would see another snapshot', async () => {
    const terminated = new URL('./support/terminated-job.ts', import.meta.url).href;
    await expect(database.compute(terminated, { url })).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await database.compute<number>(module, { times: 3 })).toBe(3);
  });

  test('read nothing more once they have ended', async () => {
    const connections = async () => [
      ...(await sql`select pid from pg_stat_activity where application_name = 'linnet statistics'
        and datname = current_database() order by pid`),
    ];
    const before = await connections();
    expect(await database.compute<number>(module, { times: 1, goesOn: true })).toBe(1);
    // In the same thread: its transaction continues on the connection that it began with.
    expect(await database.compute<number>(module, { times: 20 })).toBe(20);
    expect(await connections()).toEqual(before);
  });

  test("fail like statements, with the server's message", () =>
    expect(database.compute(module, { times: 0 })).rejects.toThrow('division by zero'));
});

const runningJobs = async (): Promise<number> => {
  const rows = await sql`select pid from pg_stat_activity where application_name = 'linnet statistics'
    and datname = current_database()`;
  return rows.length;
};

test('while other nodes make chunks over the ids of each attempt, a batch waits like one without a store', async () => {
  const own = await migratedPostgres();
  const store = new PostgresFoldStore(own);
  await using writer = new SQL({ url: own, max: 1 });
  await writer.unsafe(`
    create function settle() returns trigger language plpgsql
      as $$ begin new.settled := new.newest; return new; end $$;
    create trigger settle before update on hit_ids for each row execute function settle()`);
  const folder = new BatchFolder(store);
  const hits = hitsAround(december, 2);
  await expect(folder.fold(hits, false)).rejects.toThrow(StoreUnavailable);
  await writer.unsafe('drop trigger settle on hit_ids');
  expect(await folder.fold(hits, false)).toHaveLength(2);
  await store.close();
});
