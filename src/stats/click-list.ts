import { type RawBuilder, sql } from 'kysely';
import { minInPack, type StoredHit } from '../ledger/hit-pack.ts';
import type { Owner } from '../ledger/owner.ts';
import {
  eachPack,
  hasPacks,
  newestPackedId,
  type PackedHits,
  packSpansAfter,
  packsAfter,
  packsBefore,
  type Times,
} from '../ledger/packed-hits.ts';
import { rollupClass } from '../ledger/rollup-class.ts';
import type { Database } from '../storage/database.ts';
import { dialects } from '../storage/dialect.ts';

export type { StoredHit } from '../ledger/hit-pack.ts';

export interface HitFilter extends Times {
  readonly owner: Owner;
  /** Classes of the roll-ups; all of them when not given. */
  readonly classes?: readonly number[] | undefined;
}

/** The first look is short: often a page is filled by then. */
const fewPacks = 2;
const manyPacks = 16;

/**
 * Newest first, by key: what has been read already is never looked at again. Rows and packs of the ledger share their
 * ids, so both are read from a greatest id downwards: hits that come in meanwhile have greater ones.
 */
export async function hitsBefore(
  database: Database,
  filter: HitFilter,
  page: { readonly before: number | undefined; readonly limit: number; readonly offset: number },
): Promise<readonly StoredHit[]> {
  if (!hasPacks(database)) return rowsDown(database, filter, { from: 0, ...page });
  const found: StoredHit[] = [];
  let { offset } = page;
  let before = page.before ?? (await newestHitId(database)) + 1;
  for (let most = fewPacks; ; most = manyPacks) {
    const packs = await packsBefore(database, filter.owner, filter, before, most);
    const isLast = packs.length < most;
    const from = isLast ? 0 : (packs.at(-1)?.pack.id ?? 0);
    const packed = packs.flatMap((hits) => matching(hits, filter, 0, before - 1).reverse());
    const rows = offset > 0 && !isLast ? await countRows(database, filter, { from, before }) : 0;
    if (offset > 0 && !isLast && rows + packed.length <= offset) {
      offset -= rows + packed.length;
    } else {
      // However packed hits lie among the rows, so many rows come before the page.
      const passed = Math.max(0, offset - packed.length);
      offset -= passed;
      const limit = page.limit - found.length;
      const span = { from, before, offset: passed, limit: limit + offset };
      const merged = newestFirst(await rowsDown(database, filter, span), packed.slice(0, limit + offset));
      found.push(...merged.slice(offset, offset + limit));
      offset = 0;
    }
    if (isLast || found.length === page.limit) return found;
    before = from;
  }
}

/** Oldest first, of those whose place in the ledger is settled. */
export async function hitsAfter(
  database: Database,
  filter: HitFilter,
  page: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<readonly StoredHit[]> {
  const { upTo, limit } = page;
  if (!hasPacks(database)) return rowsUp(database, filter, page);
  const found: StoredHit[] = [];
  for (let { after } = page; ; ) {
    const packs = await packsAfter(database, filter.owner, filter, after, fewPacks);
    const last = packs.at(-1)?.pack;
    const isLast = packs.length < fewPacks || last === undefined;
    const end = isLast ? upTo : Math.min(upTo, last.id + last.count - 1);
    const rows = await rowsUp(database, filter, { after, upTo: end, limit: limit - found.length });
    const packed = packs.flatMap((hits) => matching(hits, filter, after, end)).slice(0, limit);
    found.push(
      ...newestFirst(rows.toReversed(), packed.toReversed())
        .toReversed()
        .slice(0, limit - found.length),
    );
    if (isLast || found.length === limit || end === upTo) return found;
    after = end;
  }
}

export async function countHits(database: Database, filter: HitFilter): Promise<number> {
  let count = await countRows(database, filter, {});
  for await (const hits of eachPack(database, filter.owner, filter))
    eachMatching(hits, filter, () => {
      count += 1;
    });
  return count;
}

/** The newest id that can be seen; 0 in an empty ledger. */
export async function newestHitId(database: Database): Promise<number> {
  const row = await database.read
    .selectFrom('hits')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const packed = hasPacks(database) ? await newestPackedId(database) : 0;
  return Math.max(row?.id ?? 0, packed);
}

export interface HitOwner {
  readonly id: number;
  readonly organization_id: number;
}

export async function hitOwnersAfter(
  database: Database,
  id: number,
  most: number,
): Promise<readonly HitOwner[]> {
  const rows = await database.read
    .selectFrom('hits')
    .select(['id', 'organization_id'])
    .where('id', '>', id)
    .orderBy('id')
    .limit(most)
    .execute();
  if (!hasPacks(database)) return rows;
  const owners: HitOwner[] = [...rows];
  // The first may have but one hit that is new.
  const packs = await packSpansAfter(database, id, 1 + Math.ceil(most / minInPack));
  for (const { id: first, hits, organization_id } of packs) {
    if (owners.length >= rows.length + most) break;
    for (let place = 0; place < hits; place++)
      if (first + place > id) owners.push({ id: first + place, organization_id });
  }
  return owners.sort((one, other) => one.id - other.id).slice(0, most);
}

/** A packed hit, by its place. */
interface Packed {
  readonly pack: PackedHits['pack'];
  readonly row: number;
}

/** Those that a filter lets through, after an id and up to another, oldest first. */
function matching(hits: PackedHits, filter: HitFilter, after: number, upTo: number): Packed[] {
  const { pack } = hits;
  const from = Math.max(hits.from, after + 1 - pack.id);
  const to = Math.min(hits.to, upTo + 1 - pack.id);
  const found: Packed[] = [];
  eachMatching({ pack, from, to }, filter, (row) => found.push({ pack, row }));
  return found;
}

function eachMatching(
  { pack, from, to }: PackedHits,
  { classes, ...times }: HitFilter,
  take: (row: number) => void,
): void {
  const at = pack.column('at');
  const since = times.from ?? Number.NEGATIVE_INFINITY;
  const until = times.to ?? Number.POSITIVE_INFINITY;
  for (let row = from; row < to; row++) {
    const instant = at[row] ?? 0;
    if (instant < since || instant >= until) continue;
    if (classes === undefined || classes.includes(pack.rollupClass(row))) take(row);
  }
}

/** Both come newest first. */
function newestFirst(rows: readonly StoredHit[], packed: readonly Packed[]): StoredHit[] {
  const merged: StoredHit[] = [];
  let next = 0;
  for (const { pack, row } of packed) {
    for (let hit = rows[next]; hit && hit.id > pack.id + row; hit = rows[++next]) merged.push(hit);
    merged.push(pack.hit(row));
  }
  return [...merged, ...rows.slice(next)];
}

async function rowsDown(
  { read, kind }: Database,
  filter: HitFilter,
  span: {
    readonly from: number;
    readonly before: number | undefined;
    readonly limit: number;
    readonly offset: number;
  },
): Promise<readonly StoredHit[]> {
  const { rows } = await sql<StoredHit>`
    select * from hits where ${matches(kind, filter, inSpan(span))}
    order by id desc limit ${span.limit} offset ${span.offset}`.execute(read);
  return rows;
}

async function rowsUp(
  { read, kind }: Database,
  filter: HitFilter,
  { after, upTo, limit }: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<readonly StoredHit[]> {
  const { rows } = await sql<StoredHit>`
    select * from hits where ${matches(kind, filter, [sql`id > ${after}`, sql`id <= ${upTo}`])}
    order by id limit ${limit}`.execute(read);
  return rows;
}

interface Span {
  readonly from?: number | undefined;
  /** The first id that is no longer in it. */
  readonly before?: number | undefined;
}

async function countRows({ read, kind }: Database, filter: HitFilter, span: Span): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from hits where ${matches(kind, filter, inSpan(span))}`.execute(read);
  return rows[0]?.count ?? 0;
}

const inSpan = ({ from = 0, before }: Span): RawBuilder<unknown>[] => [
  ...(from === 0 ? [] : [sql`id >= ${from}`]),
  ...(before === undefined ? [] : [sql`id < ${before}`]),
];

function matches(
  kind: Database['kind'],
  { owner, classes, from, to }: HitFilter,
  further: readonly RawBuilder<unknown>[],
): RawBuilder<unknown> {
  const conditions = [
    dialects[kind].keepGoing('id'),
    sql`${sql.ref(`${owner.kind}_id`)} = ${owner.id}`,
    ...(classes === undefined
      ? []
      : [sql`${rollupClass} in (${sql.join(classes.map((place) => sql.lit(place)))})`]),
    ...(from === undefined ? [] : [sql`at >= ${from}`]),
    ...(to === undefined ? [] : [sql`at < ${to}`]),
    ...further,
  ];
  return sql.join(conditions, sql` and `);
}
