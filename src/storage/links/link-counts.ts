import { type RawBuilder, type Selectable, sql } from 'kysely';
import { dialectOf } from '../dialect.ts';
import { jsonRows } from '../json-rows.ts';
import { prepared, preparedRow, type Statement } from '../prepared.ts';
import { countRows, hasRow, sumOf } from '../rows.ts';
import type { Queries } from '../schema.ts';
import type { LinkRow } from './link-columns.ts';

/** Enough rows that parallel creations in one organization rarely update the same one. */
export const countShards = 16;

type Counted = Pick<Selectable<LinkRow>, 'id' | 'organization_id' | 'domain_id'>;

/** Adds links to the counts (`each` is 1) or subtracts them (-1), for any organizations and domains. */
export async function countLinksIn(queries: Queries, links: readonly Counted[], each: 1 | -1): Promise<void> {
  if (links.length > 0) await addToCounts(queries, countRowsOf(links, each));
}

/** The same, as a statement. */
export const countingIn = (queries: Queries, links: readonly Counted[]): Statement =>
  addToCounts.statement(queries, countRowsOf(links, 1));

function countRowsOf(links: readonly Counted[], each: 1 | -1): string {
  const byDomain = Map.groupBy(links, (link) => `${link.organization_id} ${link.domain_id}`);
  const rows = [...byDomain.values()].flatMap((some) => {
    const [first] = some;
    if (!first) return [];
    const { id, organization_id, domain_id } = first;
    return { organization_id, domain_id, shard: id % countShards, links: each * some.length };
  });
  // Always in the same order, so that two transactions on the same counts don't deadlock.
  rows.sort((one, other) => one.organization_id - other.organization_id || one.domain_id - other.domain_id);
  return JSON.stringify(rows.map((row) => [row.organization_id, row.domain_id, row.shard, row.links]));
}

/**
 * Adds the links that the statement before this one inserted, all of them in one organization and on one domain. Only on SQLite:
 * its `changes()` counts what this connection's last statement changed.
 */
export const countInserted = prepared((queries, organizationId: number, domainId: number, shard: number) =>
  addingCounts(sql`select ${organizationId}, ${domainId}, ${shard}, changes() where changes() > 0`).compile(
    queries,
  ),
);

/** Adds the rows of a query: organization, domain, shard and links. */
const addingCounts = (query: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into link_counts (organization_id, domain_id, shard, links) ${query}
  on conflict (organization_id, domain_id, shard) do update set links = link_counts.links + excluded.links`;

const countColumns = {
  organization_id: 'integer',
  domain_id: 'integer',
  shard: 'integer',
  links: 'integer',
} as const;

const addToCounts = prepared((queries, json: string) =>
  addingCounts(sql`select organization_id, domain_id, shard, links
    from ${jsonRows(dialectOf(queries), countColumns, json)} as counted where true`).compile(queries),
);

/**
 * The same for the rows of a table `made`, on a database whose statements insert into several tables. Always in the same order, so
 * that two of them on the same counts don't deadlock.
 */
export const countingMade = addingCounts(sql`
  select organization_id, domain_id, min(id) % ${sql.lit(countShards)}, count(*) from made
  group by organization_id, domain_id order by organization_id, domain_id`);

const archivedLinks = (queries: Queries, organizationId: number) =>
  queries
    .selectFrom('links')
    .where('organization_id', '=', organizationId)
    .where('archived', '=', sql.lit(1));

export const hasArchived = (queries: Queries, organizationId: number): Promise<boolean> =>
  hasRow(archivedLinks(queries, organizationId).select('id').limit(1));

/** How many of them are archived: counted along a partial index. */
export function archivedCount(queries: Queries, organizationId: number, domainId?: number): Promise<number> {
  const archived = archivedLinks(queries, organizationId);
  return countRows(domainId === undefined ? archived : archived.where('domain_id', '=', domainId));
}

/** How many links on a domain are in print. */
export const onPaperCount = (queries: Queries, organizationId: number, domainId: number): Promise<number> =>
  countRows(
    queries
      .selectFrom('links')
      .where('organization_id', '=', organizationId)
      .where('domain_id', '=', domainId)
      .where('on_paper', '=', sql.lit(1)),
  );

export interface LinkTotals {
  readonly links: number;
  readonly archived: number;
}

export const linkTotals = async (queries: Queries, organizationId: number): Promise<LinkTotals> =>
  (await selectTotals(queries, organizationId)) ?? { links: 0, archived: 0 };

const selectTotals = preparedRow((queries, organizationId: number) => {
  const { links, archived } = totalsOf(organizationId);
  return sql<LinkTotals>`select ${links} as links, ${archived} as archived`.compile(queries);
});

/** The same, as columns of a statement. */
export const totalsOf = (organizationId: number) => ({
  links: sql<number>`(select coalesce(sum(link_counts.links), 0) from link_counts where organization_id = ${organizationId})`,
  archived: sql<number>`(select count(*) from links as one where one.organization_id = ${organizationId} and one.archived = 1)`,
});

/** All of an organization's links, or those on one domain. */
export function linkCount(queries: Queries, organizationId: number, domainId?: number): Promise<number> {
  const counts = queries.selectFrom('link_counts').where('organization_id', '=', organizationId);
  return sumOf(domainId === undefined ? counts : counts.where('domain_id', '=', domainId), 'links');
}
