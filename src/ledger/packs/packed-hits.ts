import { type RawBuilder, sql } from 'kysely';
import { monthBegin, monthOf } from '../../rules/utc-time.ts';
import type { Database } from '../../storage/database.ts';
import { type Dialect, dialects } from '../../storage/dialect.ts';
import type { Schema } from '../../storage/schema.ts';
import { firstNotBelow } from '../../structures/sorted-numbers.ts';
import { type HitFilter, type Owner, organizationOf, type Times } from '../ledger.ts';
import { HitPack, type PackRow } from './hit-pack.ts';
import { maxInPack } from './pack-layout.ts';

/** The hits of an owner in a pack: the rows from `from` up to `to`. */
export interface PackedHits {
  readonly pack: HitPack;
  readonly from: number;
  readonly to: number;
}

/** Which packs are read: those of an owner with hits in a time range and ids above `above`. No pack has hits on both sides of it. */
type PackFilter = Pick<HitFilter, 'owner' | 'from' | 'to' | 'above'>;

/** The newest packs that begin before an id. */
export const packsBefore = (database: Database, filter: PackFilter, before: number, limit: number) => {
  const isBefore = (key: RawBuilder<unknown>) => sql`${key} > ${filter.above ?? 0} and ${key} < ${before}`;
  return packsWhere(database, filter, isBefore, sql`desc`, limit);
};

/** The oldest packs that have hits after an id, wherever `above` is. */
export const packsAfter = (database: Database, filter: PackFilter, after: number, limit: number) =>
  packsWhere(database, filter, (key) => reachesBeyond(after, key), sql`asc`, limit);

async function packsWhere(
  { read, kind }: Database,
  { owner, ...times }: PackFilter,
  condition: (key: RawBuilder<unknown>) => RawBuilder<unknown>,
  order: RawBuilder<unknown>,
  limit: number,
): Promise<readonly PackedHits[]> {
  const key = keyOf(owner, dialects[kind]);
  const { rows } = await sql<PackRow>`
    ${ofOwner(owner, dialects[kind])} and ${condition(key)}${within(times, dialects[kind])}
    order by ${key} ${order} limit ${sql.lit(limit)}`.execute(read);
  return rows.map((row) => ofOwnerIn(new HitPack(row), owner));
}

/** Packs read at once for a count: they are counted before the next ones are read. */
const countedAtOnce = 64;

export async function* eachPack(
  database: Database,
  filter: PackFilter,
): AsyncGenerator<PackedHits, void, undefined> {
  for (let after = filter.above ?? 0; ; ) {
    const packs = await packsAfter(database, filter, after, countedAtOnce);
    yield* packs;
    const last = packs.at(-1)?.pack;
    if (!last || packs.length < countedAtOnce) return;
    after = last.id + last.count - 1;
  }
}

type PackSpan = Pick<Schema['hit_packs'], 'id' | 'hits' | 'organization_id'>;

/** The packs after an id, oldest first. */
export async function packSpansAfter(
  { read }: Database,
  after: number,
  limit: number,
): Promise<readonly PackSpan[]> {
  const { rows } = await sql<PackSpan>`
    select packs.id, packs.hits, packs.organization_id from hit_packs as packs where ${reachesBeyond(after, sql`packs.id`)}
    order by packs.id limit ${sql.lit(limit)}`.execute(read);
  return rows;
}

/** The id of the newest hit in a pack. */
export async function newestPackedId({ read }: Database): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select packs.id + packs.hits - 1 as id from hit_packs as packs order by packs.id desc limit 1`.execute(
    read,
  );
  return rows[0]?.id ?? 0;
}

/** A pack has no more than `maxInPack` hits, so the search can begin that many ids earlier. */
const reachesBeyond = (after: number, key: RawBuilder<unknown>) =>
  sql`${key} > ${after - maxInPack} and packs.id + packs.hits > ${after + 1}`;

const columns = sql`packs.id, packs.hits, packs.cells`;

/**
 * SQLite has an index of the packs of each link. PostgreSQL reads the organization's packs that may contain the link: nearly all
 * hits are in chunks, and a row for each link of a pack took twice the space of its hits.
 */
function ofOwner(owner: Owner, { partitions }: Dialect) {
  const ofOrganization = sql`select ${columns} from hit_packs as packs where packs.organization_id = ${organizationOf(owner)}`;
  if (owner.kind === 'organization') return ofOrganization;
  if (partitions)
    return sql`${ofOrganization} and coalesce(${owner.id} between packs.first_link and packs.last_link, true)`;
  return sql`select ${columns} from hit_pack_links as links cross join hit_packs as packs
    where links.link_id = ${owner.id} and packs.id = links.pack_id`;
}

/** The column that an owner's packs are ordered by. */
const keyOf = ({ kind }: Owner, { partitions }: Dialect) =>
  kind === 'organization' || partitions ? sql`packs.id` : sql`links.pack_id`;

/** Where months have partitions, no pack extends beyond the end of its month: earlier months are skipped. */
function within({ from, to }: Times, { partitions }: Dialect) {
  const month =
    from === undefined || !partitions ? sql`` : sql` and packs.first_at >= ${monthBegin(monthOf(from))}`;
  const since = from === undefined ? sql`` : sql`${month} and packs.last_at >= ${from}`;
  return to === undefined ? since : sql`${since} and packs.first_at < ${to}`;
}

/** Hits of a link are adjacent. */
function ofOwnerIn(pack: HitPack, owner: Owner): PackedHits {
  if (owner.kind === 'organization') return { pack, from: 0, to: pack.count };
  const links = pack.column('link_id');
  return { pack, from: firstNotBelow(links, owner.id), to: firstNotBelow(links, owner.id + 1) };
}
