import { prepared } from './prepared.ts';
import type { Queries } from './schema.ts';

/** Links of a domain whose cached copies are out of date, on every node. */
export interface LinkChange {
  readonly id: number;
  readonly domain_id: number;
  /** One to a line: no suffix has a line break. */
  readonly suffixes: string;
}

export const suffixesIn = ({ suffixes }: LinkChange): readonly string[] => suffixes.split('\n');

/** A link's domain and suffix. */
export interface LinkAddress {
  readonly domain_id: number;
  readonly suffix: string;
}

/** Written in the transaction that changes the link. */
export async function recordChange(queries: Queries, link: LinkAddress, now: number): Promise<void> {
  await insertChange(queries, now, link.domain_id, link.suffix);
}

const insertChange = prepared((queries, at: number, domain_id: number, suffixes: string) =>
  queries.insertInto('changes').values({ at, domain_id, suffixes }).compile(),
);

/** Suffixes in one row: a poll of the feed reads a thousand rows, which must not be too much at once. */
const maxPerRow = 100;

/** The same for several links. */
export async function recordChanges(
  queries: Queries,
  links: readonly LinkAddress[],
  at: number,
): Promise<void> {
  const rows = feedRows(links);
  const [first, ...others] = rows;
  if (first === undefined) return;
  if (others.length === 0) await insertChange(queries, at, first.domain_id, first.suffixes);
  else
    await queries
      .insertInto('changes')
      .values(rows.map((row) => ({ at, ...row })))
      .execute();
}

const feedRows = (links: readonly LinkAddress[]) =>
  [...Map.groupBy(links, (link) => link.domain_id)].flatMap(([domain_id, some]) =>
    inRows(some).map((suffixes) => ({ domain_id, suffixes })),
  );

function inRows(links: readonly LinkAddress[]): string[] {
  const suffixes = links.map((link) => link.suffix);
  return Array.from({ length: Math.ceil(suffixes.length / maxPerRow) }, (_, row) =>
    suffixes.slice(row * maxPerRow, (row + 1) * maxPerRow).join('\n'),
  );
}

export const changesAfter = (queries: Queries, id: number, limit: number): Promise<LinkChange[]> =>
  queries
    .selectFrom('changes')
    .select(['id', 'domain_id', 'suffixes'])
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute();

export async function newestChangeId(queries: Queries): Promise<number> {
  const row = await queries
    .selectFrom('changes')
    .select((of) => of.fn.max('id').as('id'))
    .executeTakeFirst();
  return Number(row?.id ?? 0);
}

/** Some of those that are older than an instant; returns how many. */
export async function deleteOldChanges(queries: Queries, before: number, limit: number): Promise<number> {
  const rows = await queries
    .deleteFrom('changes')
    .where('id', 'in', (old) =>
      old.selectFrom('changes').select('id').where('at', '<', before).orderBy('at').limit(limit),
    )
    .returning('id')
    .execute();
  return rows.length;
}

export const changesAmong = (queries: Queries, ids: readonly number[]): Promise<LinkChange[]> =>
  queries.selectFrom('changes').select(['id', 'domain_id', 'suffixes']).where('id', 'in', ids).execute();
