import { type RawBuilder, type Selectable, sql } from 'kysely';
import { type Dialect, dialectOf } from './dialect.ts';
import { jsonRows } from './json-rows.ts';
import { addressesOf, type ChangedLink, type LinkAddress } from './links/link-addresses.ts';
import { prepared, type Statement } from './prepared.ts';
import { deleteFound } from './rows.ts';
import type { Queries, Schema } from './schema.ts';

/** Links of a domain whose cached copies are out of date, on every node. */
export type LinkChange = Readonly<Selectable<Schema['changes']>>;

/** Identifies a change: after a restore another one may have its id. */
export type ChangeMark = Pick<LinkChange, 'id' | 'at'>;

/** No suffix contains a line break. */
export const suffixesIn = ({ suffixes }: Pick<LinkChange, 'suffixes'>): readonly string[] =>
  suffixes.split('\n');

/** Written in the transaction that changes the link. */
export const recordChange = (queries: Queries, link: ChangedLink, now: number): Promise<void> =>
  recordChanges(queries, [link], now);

const insertChanges = prepared((queries, at: number, json: string) =>
  sql`insert into changes (at, domain_id, suffixes)
    select cast(${at} as ${sql.raw(dialectOf(queries).integer)}), domain_id, suffixes
    from ${jsonRows(dialectOf(queries), { domain_id: 'integer', suffixes: 'text' }, json)} as changed`.compile(
    queries,
  ),
);

/** Suffixes per row: a poll of the feed reads a thousand rows, which must not be too much data. */
const maxPerRow = 100;

/** The same for several links. */
export async function recordChanges(
  queries: Queries,
  links: readonly ChangedLink[],
  at: number,
): Promise<void> {
  if (links.length > 0) await insertChanges(queries, at, feedRows(links));
}

/** The same, as a statement. */
export const recordingChanges = (queries: Queries, links: readonly ChangedLink[], at: number): Statement =>
  insertChanges.statement(queries, at, feedRows(links));

/** The same for the few rows of a table `made`, on a database whose statements insert into several tables. */
export const recordingMade = (dialect: Dialect, at: number): RawBuilder<unknown> => sql`
  insert into changes (at, domain_id, suffixes)
  select cast(${at} as ${sql.raw(dialect.integer)}), domain_id, string_agg(suffix, chr(10)) from made group by domain_id`;

const feedRows = (links: readonly ChangedLink[]): string =>
  JSON.stringify(
    [...Map.groupBy(links.flatMap(addressesOf), ({ domain_id }) => domain_id)].flatMap(([domain_id, some]) =>
      inRows(some).map((suffixes) => [domain_id, suffixes]),
    ),
  );

function inRows(links: readonly LinkAddress[]): string[] {
  const suffixes = links.map((link) => link.suffix);
  return Array.from({ length: Math.ceil(suffixes.length / maxPerRow) }, (_, row) =>
    suffixes.slice(row * maxPerRow, (row + 1) * maxPerRow).join('\n'),
  );
}

const firstChanges = (queries: Queries, limit: number) =>
  queries.selectFrom('changes').select(['id', 'at', 'domain_id', 'suffixes']).orderBy('id').limit(limit);

/** The changes with this id or a higher one, ordered by id. */
export const changesFrom = prepared((queries, id: number, limit: number) =>
  firstChanges(queries, limit).where('id', '>=', id).compile(),
);

/** The changes since an instant with an id above this one, ordered by id. */
export const changesSince = (queries: Queries, at: number, after: number, limit: number) =>
  firstChanges(queries, limit).where('at', '>=', at).where('id', '>', after).execute();

export const newestChange = async (queries: Queries): Promise<ChangeMark | null> =>
  (await queries
    .selectFrom('changes')
    .select(['id', 'at'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()) ?? null;

interface IdRange {
  readonly first: number;
  readonly last: number;
}

/** The missing ids above this one, between those of the changes. */
export async function missingChanges(queries: Queries, after: number): Promise<IdRange[]> {
  const { rows } = await sql<IdRange>`select first, last from (
      select coalesce(lag(id) over (order by id), ${sql.lit(after)}) + 1 as first, id - 1 as last
      from changes where id > ${sql.lit(after)}
    ) as gaps where first <= last order by first`.execute(queries);
  return rows;
}

/** The changes in these ranges, ordered by id. */
export const changesWithin = (queries: Queries, ranges: readonly IdRange[], limit: number) =>
  firstChanges(queries, limit)
    .where((is) => is.or(ranges.map(({ first, last }) => is.between('id', first, last))))
    .execute();

/**
 * Deletes some of those older than an instant; returns how many. The newest one is kept: nodes compare it with their position.
 */
export function deleteOldChanges(queries: Queries, before: number, limit: number): Promise<number> {
  const old = queries
    .selectFrom('changes')
    .where('at', '<', before)
    .where('id', '<', (all) => all.selectFrom('changes').select((of) => of.fn.max('id').as('id')))
    .orderBy('at')
    .limit(limit);
  return deleteFound(queries, 'changes', ['id'], old);
}
