import { type Selectable, sql } from 'kysely';
import { dialectOf } from './dialect.ts';
import { jsonTexts } from './json-rows.ts';
import { deleteFound, hasRow, sumOf } from './rows.ts';
import { defaultDomainId, type Queries, type Schema } from './schema.ts';

/** How often people visited an address of a domain without a link, on one day. */
export interface NotFoundCount {
  readonly domainId: number;
  /** Days since the epoch, in UTC. */
  readonly day: number;
  readonly suffix: string;
  readonly visits: number;
}

/**
 * Addresses of one domain that are stored separately on one day. Several nodes that write at the same moment may keep a few more.
 */
const maxAddresses = 200;
/** The row for all other addresses. */
const others = '';

/**
 * Adds the counts of one domain on one day. If there are too many addresses, those with a single visit make room for new ones: a
 * day can't be filled up with addresses that are never visited again.
 */
export async function addNotFoundVisits(
  queries: Queries,
  domainId: number,
  day: number,
  counts: readonly Pick<NotFoundCount, 'suffix' | 'visits'>[],
): Promise<void> {
  if (!(await domainExists(queries, domainId))) return;
  const kept = await queries
    .selectFrom('not_found_visits')
    .select(['suffix', 'visits'])
    .where('domain_id', '=', domainId)
    .where('day', '=', day)
    .where('suffix', '<>', others)
    .execute();
  const { add, remove, unlisted } = placeIn(new Map(kept.map((row) => [row.suffix, row.visits])), counts);
  if (remove.length > 0)
    await queries
      .deleteFrom('not_found_visits')
      .where('domain_id', '=', domainId)
      .where('day', '=', day)
      .where('suffix', 'in', remove)
      .execute();
  const rows = unlisted > 0 ? [...add, { suffix: others, visits: unlisted }] : add;
  await queries
    .insertInto('not_found_visits')
    .values(rows.map(({ suffix, visits }) => ({ domain_id: domainId, day, suffix, visits })))
    .onConflict((conflict) =>
      conflict.columns(['domain_id', 'day', 'suffix']).doUpdateSet({
        visits: sql<number>`not_found_visits.visits + excluded.visits`,
      }),
    )
    .execute();
}

/** Which counts are added, and which rows they replace. */
function placeIn(
  kept: ReadonlyMap<string, number>,
  counts: readonly Pick<NotFoundCount, 'suffix' | 'visits'>[],
) {
  const known = counts.filter(({ suffix }) => kept.has(suffix));
  const newCounts = counts.filter(({ suffix }) => !kept.has(suffix)).sort((a, b) => b.visits - a.visits);
  const visitedNow = new Set(known.map(({ suffix }) => suffix));
  const free = Math.max(0, maxAddresses - kept.size);
  const needed = Math.max(0, Math.min(newCounts.length, maxAddresses) - free);
  const remove = [...kept]
    .filter(([suffix, visits]) => visits === 1 && !visitedNow.has(suffix))
    .slice(0, needed)
    .map(([suffix]) => suffix);
  const room = free + remove.length;
  const left = newCounts.slice(room).reduce((sum, { visits }) => sum + visits, 0);
  // In the same order on all nodes, so that two of them wait for each other less often.
  const add = [...known, ...newCounts.slice(0, room)].sort((a, b) => (a.suffix < b.suffix ? -1 : 1));
  return { add, remove, unlisted: left + remove.length };
}

const domainExists = async (queries: Queries, domainId: number): Promise<boolean> =>
  domainId === defaultDomainId ||
  hasRow(
    queries.selectFrom('domains').select('id').where('id', '=', domainId).where('deleted_at', 'is', null),
  );

export interface NotFoundAddress {
  readonly domain_id: number;
  readonly suffix: string;
  readonly visits: number;
  readonly first_day: number;
  readonly last_day: number;
}

/** A position in the list of such addresses. */
export interface NotFoundPosition {
  readonly visits: number;
  readonly domainId: number;
  readonly suffix: string;
}

interface NotFoundFilter {
  readonly domainIds: readonly number[];
  readonly fromDay: number;
}

/** Those that still have no link, most visited first. */
export async function listNotFound(
  queries: Queries,
  { domainIds, fromDay }: NotFoundFilter,
  { limit, after }: { readonly limit: number; readonly after: NotFoundPosition | undefined },
): Promise<NotFoundAddress[]> {
  if (domainIds.length === 0) return [];
  const visits = sql<number>`sum(not_found_visits.visits)`;
  let found = queries
    .selectFrom('not_found_visits')
    .select(['not_found_visits.domain_id', 'not_found_visits.suffix', visits.as('visits')])
    .select([sql<number>`min(day)`.as('first_day'), sql<number>`max(day)`.as('last_day')])
    .where('domain_id', 'in', domainIds)
    .where('day', '>=', fromDay)
    .where('suffix', '<>', others)
    .where(sql<boolean>`not exists (
      select 1 from links where links.domain_id = not_found_visits.domain_id and links.suffix = not_found_visits.suffix
    )`)
    // An alias of a link in the bin leads nowhere.
    .where(sql<boolean>`not exists (
      select 1 from link_aliases as alias join links on links.id = alias.link_id
      where alias.domain_id = not_found_visits.domain_id and alias.suffix = not_found_visits.suffix
    )`)
    .groupBy(['domain_id', 'suffix']);
  if (after)
    found = found.having(
      sql<boolean>`(0 - ${visits}, domain_id, suffix) > (0 - ${after.visits}, ${after.domainId}, ${after.suffix})`,
    );
  return found.orderBy(visits, 'desc').orderBy('domain_id').orderBy('suffix').limit(limit).execute();
}

/** Visits to addresses that are not stored separately. */
export async function countOtherNotFound(
  queries: Queries,
  { domainIds, fromDay }: NotFoundFilter,
): Promise<number> {
  if (domainIds.length === 0) return 0;
  const unlisted = queries
    .selectFrom('not_found_visits')
    .where('domain_id', 'in', domainIds)
    .where('day', '>=', fromDay)
    .where('suffix', '=', others);
  return sumOf(unlisted, 'visits');
}

export type SimilarLink = Pick<Selectable<Schema['links']>, 'id' | 'domain_id' | 'suffix'>;

/** An organization's links with one of these suffixes. */
export async function linksWithSuffixes(
  queries: Queries,
  organizationId: number,
  domainIds: readonly number[],
  suffixes: readonly string[],
): Promise<SimilarLink[]> {
  if (domainIds.length === 0 || suffixes.length === 0) return [];
  const texts = jsonTexts(dialectOf(queries), JSON.stringify(suffixes.map((suffix) => [suffix])));
  return queries
    .selectFrom('links')
    .select(['id', 'domain_id', 'suffix'])
    .where('organization_id', '=', organizationId)
    .where('domain_id', 'in', domainIds)
    .where('suffix', 'in', sql<string>`${texts}`)
    .execute();
}

/** Deletes some of the rows of earlier days; returns how many. */
export function deleteOldNotFound(queries: Queries, beforeDay: number, limit: number): Promise<number> {
  const old = queries.selectFrom('not_found_visits').where('day', '<', beforeDay).limit(limit);
  return deleteFound(queries, 'not_found_visits', ['domain_id', 'day', 'suffix'], old);
}

export async function deleteNotFoundOf(queries: Queries, domainId: number): Promise<void> {
  await queries.deleteFrom('not_found_visits').where('domain_id', '=', domainId).execute();
}
