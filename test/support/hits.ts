import { type Insertable, SqliteAdapter, sql } from 'kysely';
import { ChunkScan } from '../../src/ledger/chunks/chunk-scan.ts';
import { columnsInMemory } from '../../src/ledger/chunks/chunk-store.ts';
import { countEntry, mergeCounts, reasonValue } from '../../src/ledger/counts/hour-counts.ts';
import { externalHits } from '../../src/ledger/external-hits.ts';
import type { StoredHit } from '../../src/ledger/ledger.ts';
import { HitPack } from '../../src/ledger/packs/hit-pack.ts';
import { type Connection, Partitions } from '../../src/ledger/stores/partitions.ts';
import {
  classes,
  type Dimension,
  devices,
  dimensions,
  eachField,
  isSparse,
  outcomes,
  reasons,
  rollupClasses,
  sources,
  targets,
  type WordField,
  wordFields,
} from '../../src/rules/click-fields.ts';
import { shownReason } from '../../src/rules/reclassified.ts';
import { dayOf, hourOf, hoursPerDay } from '../../src/rules/utc-time.ts';
import type { Database } from '../../src/storage/database.ts';
import type { Queries, Schema } from '../../src/storage/schema.ts';
import { visitorsIn } from './stored-visitors.ts';

/** A hit as a test describes it; by default, a person on a laptop who was redirected. */
export interface SeedHit extends Partial<Readonly<Record<WordField, string>>> {
  readonly link: number;
  readonly organization: number;
  readonly at: number | string;
  readonly class?: (typeof classes)[number];
  readonly outcome?: (typeof outcomes)[number];
  readonly target?: (typeof targets)[number];
  readonly reason?: (typeof reasons)[number];
  readonly device?: (typeof devices)[number];
  readonly source?: (typeof sources)[number];
  readonly visitor?: number | null;
  readonly id?: number;
}

type Row = Insertable<Schema['hits']>;
const rowsPerInsert = 1_000;

/** The hour of the first click, by day, owner and visitor. */
type FirstHours = Map<string, number>;
const firstHoursByDatabase = new WeakMap<Database, FirstHours>();

/** Adds hits to the ledger, then rebuilds the roll-ups from the whole ledger. */
export async function seedHits(database: Database, hits: readonly SeedHit[]): Promise<void> {
  const firstHours: FirstHours = firstHoursByDatabase.get(database) ?? new Map();
  firstHoursByDatabase.set(database, firstHours);
  await insertHits(database, hits);
  await database.write((queries) => insertVisitors(queries, hits, firstHours));
  await database.write((queries) => rebuildRollups(queries, firstHours));
}

async function insertVisitors(
  queries: Queries,
  hits: readonly SeedHit[],
  firstHours: FirstHours,
): Promise<void> {
  for (const hit of hits) {
    const { visitor = null } = hit;
    const isClick = (hit.class ?? 'human') === 'human' && (hit.outcome ?? 'redirect') === 'redirect';
    if (visitor === null || !isClick) continue;
    const day = dayOf(instantOf(hit));
    const rows = [hit.link, -hit.organization].map((owner) => ({ day, owner, visitor }));
    for (const { owner } of rows) {
      const key = [day, owner, visitor].join(' ');
      const hour = hourOf(instantOf(hit));
      firstHours.set(key, Math.min(hour, firstHours.get(key) ?? hour));
    }
    await queries
      .insertInto('daily_visitors')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

const instantOf = ({ at }: SeedHit): number => (typeof at === 'string' ? Date.parse(at) : at);

/** Adds hits without roll-ups: like another node's hits, or where rebuilding the roll-ups would take too long. */
export async function insertHits(database: Database, hits: readonly SeedHit[]): Promise<void> {
  const words = await database.write((queries) => numbersOf(queries, hits));
  await insertRows(
    database,
    hits.map((hit) => rowOf(hit, words)),
  );
}

/** Assigns ids where they are missing and, on PostgreSQL, creates the partitions. */
export async function insertRows(database: Database, rows: readonly Row[]): Promise<void> {
  if (database.kind === 'postgres') await coverMonths(database, new Set(rows.map(({ at }) => at)));
  let id = await takeIds(database, rows.filter((row) => row.id === undefined).length);
  const withIds = rows.map((row) => (row.id !== undefined || id === undefined ? row : { ...row, id: id++ }));
  await database.write(async (queries) => {
    for (let start = 0; start < rows.length; start += rowsPerInsert)
      await queries
        .insertInto('hits')
        .values(withIds.slice(start, start + rowsPerInsert))
        .execute();
  });
}

/** The first of `count` new ids, reserved as a fold does; SQLite assigns ids itself. */
export async function takeIds(database: Database, count: number): Promise<number | undefined> {
  if (database.kind === 'sqlite') return undefined;
  const { rows } = await database.write((queries) =>
    sql<{ newest: number }>`update hit_ids set newest = newest + ${count} returning newest`.execute(queries),
  );
  return (rows[0]?.newest ?? 0) - count + 1;
}

async function coverMonths(database: Database, instants: Iterable<number>): Promise<void> {
  const execute =
    (queries: Queries): Connection['query'] =>
    async <Found>(text: string) =>
      (await sql.raw<Found>(text).execute(queries)).rows;
  const months = new Partitions({
    query: execute(database.read),
    transaction: (work) => database.write((queries) => work(execute(queries))),
  });
  await months.cover(instants);
}

async function numbersOf(queries: Queries, hits: readonly SeedHit[]): Promise<ReadonlyMap<string, number>> {
  const words = new Set(hits.flatMap((hit) => wordFields.map((column) => hit[column] ?? '')));
  words.delete('');
  for (const word of words) {
    await queries
      .insertInto('words')
      .values({ word })
      .onConflict((conflict) => conflict.column('word').doNothing())
      .execute();
  }
  const known = await queries.selectFrom('words').selectAll().execute();
  return new Map([...known.map(({ id, word }) => [word, id] as const), ['', 0]]);
}

function rowOf(hit: SeedHit, words: ReadonlyMap<string, number>): Row {
  const isRedirect = (hit.outcome ?? 'redirect') === 'redirect';
  return {
    ...(hit.id === undefined ? {} : { id: hit.id }),
    link_id: hit.link,
    organization_id: hit.organization,
    at: instantOf(hit),
    outcome: outcomes.indexOf(hit.outcome ?? 'redirect'),
    target: targets.indexOf(hit.target ?? (isRedirect ? 'default' : 'none')),
    class: classes.indexOf(hit.class ?? 'human'),
    reason: reasons.indexOf(hit.reason ?? 'browser'),
    device: devices.indexOf(hit.device ?? 'desktop'),
    source: sources.indexOf(hit.source ?? 'link'),
    ...eachField(wordFields, (column) => words.get(hit[column] ?? '') ?? 0),
  };
}

const clickClass = rollupClasses.indexOf('click');

/** All hits by id, from rows, packs and (on SQLite) chunks, with reasons as they are shown or as they are stored. */
export async function wholeLedger(
  queries: Queries,
  reasonsAs: 'shown' | 'stored' = 'shown',
): Promise<readonly StoredHit[]> {
  const rows = await queries.selectFrom('hits').selectAll().execute();
  const packs = await queries.selectFrom('hit_packs').selectAll().execute();
  const packed = packs.flatMap((row) => {
    const pack = new HitPack(row);
    const reasons = pack.storedReasons;
    return Array.from({ length: pack.count }, (_, row) => ({ ...pack.hit(row), reason: reasons[row] ?? 0 }));
  });
  const { hits: chunked, chunkedUpTo } = await hitsOfChunks(queries);
  const later = [...rows, ...packed].filter((hit) => hit.id > (chunkedUpTo.get(hit.organization_id) ?? 0));
  const all = [...later, ...chunked].sort((one, other) => one.id - other.id);
  return reasonsAs === 'stored' ? all : all.map((hit) => ({ ...hit, reason: shownReason(hit.reason) }));
}

/** Like `wholeLedger`, but works for a database whose hits are on another server, too. */
export async function hitsIn(
  database: Database,
  reasonsAs: 'shown' | 'stored' = 'shown',
): Promise<readonly StoredHit[]> {
  const external = externalHits(database);
  if (external === null) return wholeLedger(database.read, reasonsAs);
  const owners = await external.ledger.ownersAfter(0, 1_000_000);
  const found: StoredHit[] = [];
  for (const id of new Set(owners.map((owner) => owner.organization_id))) {
    const page = { before: undefined, limit: 1_000_000, offset: 0 };
    found.push(...(await external.ledger.before({ owner: { kind: 'organization', id } }, page)).hits);
  }
  const all = found.sort((one, other) => one.id - other.id);
  return reasonsAs === 'stored' ? all : all.map((hit) => ({ ...hit, reason: shownReason(hit.reason) }));
}

/** Rebuilds every roll-up from the hits, wherever they are stored. */
export async function rebuildFrom(database: Database): Promise<void> {
  const hits = await hitsIn(database);
  await database.write((queries) => rebuildRollups(queries, new Map(), hits));
}

/** The hits in chunks, and for each organization the last id that is in them. */
async function hitsOfChunks(queries: Queries) {
  const chunks = isSqlite(queries) ? await queries.selectFrom('hit_chunks').selectAll().execute() : [];
  const store = columnsInMemory(
    isSqlite(queries) ? await queries.selectFrom('hit_chunk_columns').selectAll().execute() : [],
  );
  return {
    hits: chunks.flatMap(
      (chunk) =>
        new ChunkScan(store, { ...chunk, first_row: 0, end_row: chunk.hits, version: '' }).storedHits,
    ),
    chunkedUpTo: new Map(chunks.map((chunk) => [chunk.organization_id, chunk.last_id])),
  };
}

const isSqlite = (queries: Queries): boolean => queries.getExecutor().adapter instanceof SqliteAdapter;

/**
 * Rebuilds every roll-up from the whole ledger, hit by hit, and from the daily visitors: under the hour of their first
 * click or, where that is unknown, the first of the day. `allHits` are those of the ledger, with reasons as they are shown.
 */
export async function rebuildRollups(
  queries: Queries,
  firstHours: FirstHours = new Map(),
  allHits?: readonly StoredHit[],
): Promise<void> {
  for (const table of ['link_hours', 'organization_rollups', 'link_clicks'] as const)
    await queries.deleteFrom(table).execute();
  const hits = allHits ?? (await wholeLedger(queries));
  const counts = { link: new Map<string, number>(), organization: new Map<string, number>() };
  const clicks = new Map<number, { clicks: number; last_clicked_at: number }>();
  for (const hit of hits) {
    const rollupClass = rollupClassOf(hit);
    for (const kind of ['link', 'organization'] as const) {
      const owner = hit[`${kind}_id`];
      const add = (dimension: Dimension, hour: number, value: number) => {
        if (kind === 'organization' && isSparse(dimension) && value === 0) return;
        const key = [owner, dimensions.indexOf(dimension), hour, rollupClass, value].join(' ');
        counts[kind].set(key, (counts[kind].get(key) ?? 0) + 1);
      };
      const hour = hourOf(hit.at);
      add('total', hour, 0);
      if (rollupClass !== clickClass) {
        add('reason', hour, hit.reason);
        continue;
      }
      add('destination', hour, hit.target);
      for (const column of ['device', 'source', ...wordFields] as const)
        add(column === 'alias' ? 'address' : column, hour, hit[column]);
    }
    if (rollupClass === clickClass) {
      const before = clicks.get(hit.link_id) ?? { clicks: 0, last_clicked_at: 0 };
      clicks.set(hit.link_id, {
        clicks: before.clicks + 1,
        last_clicked_at: Math.max(before.last_clicked_at, hit.at),
      });
    }
  }
  const visits = await visitorsIn(queries);
  for (const { day, owner, visitor } of visits) {
    const hour = firstHours.get([day, owner, visitor].join(' ')) ?? day * hoursPerDay;
    const key = [Math.abs(owner), dimensions.indexOf('visitors'), hour, clickClass, 0].join(' ');
    const ofKind = owner < 0 ? counts.organization : counts.link;
    ofKind.set(key, (ofKind.get(key) ?? 0) + 1);
  }
  const numbersIn = (counted: ReadonlyMap<string, number>) =>
    [...counted].map(([key, hits]) => [...key.split(' ').map(Number), hits]);
  for (const rows of chunks(numbersIn(counts.organization))) {
    await sql`insert into organization_rollups (organization_id, dimension, hour, class, value, hits)
      values ${sql.join(rows.map((row) => sql`(${sql.join(row.map((number) => sql.lit(number)))})`))}`.execute(
      queries,
    );
  }
  for (const rows of chunks(linkHoursOf(numbersIn(counts.link))))
    await queries
      .insertInto('link_hours')
      .values([...rows])
      .execute();
  for (const [link_id, row] of clicks)
    await queries
      .insertInto('link_clicks')
      .values({ link_id, ...row })
      .execute();
}

type LinkHour = Insertable<Schema['link_hours']>;

/** Turns rows of link, dimension, hour, class, value, hits into rows of `link_hours`. */
function linkHoursOf(rows: readonly (readonly number[])[]): LinkHour[] {
  const hours = new Map<string, LinkHour>();
  for (const [link_id = 0, rollupClass = 0, hour = 0, ofClass = 0, value = 0, hits = 0] of rows) {
    const none = { click: 0, page: 0, preview: 0, bot: 0, prefetch: 0, head: 0, repeat: 0, flood: 0 };
    const row = hours.get(`${link_id} ${hour}`) ?? {
      link_id,
      hour,
      ...none,
      visitors: 0,
      loose: 0,
      counts: '',
    };
    hours.set(`${link_id} ${hour}`, row);
    const dimension = dimensions[rollupClass];
    if (dimension === 'total') row[rollupClasses[ofClass] ?? 'click'] += hits;
    else if (dimension === 'visitors') row.visitors += hits;
    else if (dimension === 'reason') row.counts += countEntry(rollupClass, reasonValue(value, ofClass), hits);
    else if (value !== 0) row.counts += countEntry(rollupClass, value, hits);
  }
  return [...hours.values()];
}

function rollupClassOf(hit: { readonly class: number; readonly outcome: number }): number {
  const name = classes[hit.class] ?? 'bot';
  if (name !== 'human') return rollupClasses.indexOf(name);
  return outcomes[hit.outcome] === 'redirect' ? clickClass : rollupClasses.indexOf('page');
}

function* chunks<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < rows.length; start += 500) yield rows.slice(start, start + 500);
}

/** All roll-ups, in an order that doesn't depend on how they were built. */
export const rollUps = async (queries: Queries) => ({
  links: await linkHours(queries),
  visitors: await queries
    .selectFrom('link_hours')
    .select([
      'link_id',
      sql<number>`hour / 24`.as('day'),
      (sums) => sums.fn.sum<number>('visitors').as('visitors'),
    ])
    .groupBy(['link_id', sql`hour / 24`])
    .orderBy('link_id')
    .orderBy('day')
    .execute(),
  organizations: await organizationHours(queries),
  clicks: await queries.selectFrom('link_clicks').selectAll().orderBy('link_id').execute(),
});

/** Puts visitors under the first hour of their day, because no other table has their hour. */
async function organizationHours(queries: Queries) {
  const hour = sql<number>`case when dimension = ${sql.lit(dimensions.indexOf('visitors'))} then hour - hour % 24 else hour end`;
  return queries
    .selectFrom('organization_rollups')
    .select([
      'organization_id',
      'dimension',
      hour.as('hour'),
      'class',
      'value',
      (sums) => sums.fn.sum<number>('hits').as('hits'),
    ])
    .groupBy(['organization_id', 'dimension', hour, 'class', 'value'])
    .orderBy('organization_id')
    .orderBy('dimension')
    .orderBy(hour)
    .orderBy('class')
    .orderBy('value')
    .execute();
}

/** Without visitors, which may be under any hour of their day, and without hours that have only visitors. */
async function linkHours(queries: Queries) {
  const rows = await queries
    .selectFrom('link_hours')
    .selectAll()
    .orderBy('link_id')
    .orderBy('hour')
    .execute();
  return rows
    .map(({ link_id, hour, counts, ...row }) => ({
      link_id,
      hour,
      hits: rollupClasses.map((name) => row[name] ?? 0),
      counts: mergeCounts(counts),
    }))
    .filter(({ hits }) => hits.some((count) => count > 0));
}
