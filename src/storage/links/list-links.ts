import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { LinkOrder } from '../../rules/link-order.ts';
import { type Dialect, dialectOf } from '../dialect.ts';
import { countRows, idsOf, pageOf } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';
import type { Start } from './link-blocks.ts';
import { isAfter, isUnnamedAfter, keyColumn, type LinkPosition, orderOf } from './link-position.ts';
import { holds, type SearchedText } from './link-search.ts';
import { findTaggedLinks, type TaggedLink } from './tagged-links.ts';

export interface FilterTag {
  readonly id: number;
  /** How many links have it. */
  readonly links: number;
}

export interface LinkFilter {
  readonly text?: SearchedText | undefined;
  /** Links with all of these tags: the rarest first. */
  readonly tags?: readonly FilterTag[] | undefined;
  readonly ids?: readonly number[] | undefined;
  readonly domainId?: number | undefined;
  /** Only archived links, or all others. */
  readonly archived?: boolean | undefined;
  /** Only links that are in print, or all others. */
  readonly onPaper?: boolean | undefined;
  /** Only links with a problem at a destination, or all others. */
  readonly hasProblem?: boolean | undefined;
  /** Only links older than this one: keyset paging, which new links don't shift. */
  readonly before?: number | undefined;
}

export interface LinkPage {
  readonly limit: number;
  readonly offset: number;
  readonly order: LinkOrder;
  /** Only links after this position. */
  readonly after?: LinkPosition | undefined;
}

export interface ListedLinks {
  readonly links: TaggedLink[];
  /** The position of the last link if there are more; otherwise null. */
  readonly next: LinkPosition | null;
}

type LinkQuery<Selected> = SelectQueryBuilder<Schema, 'links', Selected>;

/** First the page's ids, from an index if possible; then only the rows of the page. */
export async function listLinks(
  queries: Queries,
  organizationId: number,
  filter: LinkFilter,
  page: LinkPage,
): Promise<ListedLinks> {
  const found = await positionsOf(queries, organizationId, filter, { ...page, limit: page.limit + 1 });
  return listedLinksOf(queries, found, page.limit);
}

/** A page of search results and their total: the links are scanned once for both. */
export async function searchLinks(
  queries: Queries,
  organizationId: number,
  filter: LinkFilter,
  page: LinkPage,
): Promise<ListedLinks & { readonly total: number }> {
  const dialect = dialectOf(queries);
  const { direction, key } = orderOf(page.order);
  const column = keyColumn(dialect, key);
  const shownKey: RawBuilder<string | number | null> =
    key === 'name' ? sql`case when links.name is not null then ${column} end` : column;
  const matching = withKey(queries, key)
    .select(['links.id', shownKey.as('key'), sql<number>`count(*) over ()`.as('total')])
    .where(matches(dialect, organizationId, filter, 'set'));
  const inOrder =
    key === 'name'
      ? byKey(
          matching
            .orderBy(sql`case when links.name is null then 1 else 0 end`)
            .orderBy(sql`case when links.name is null then -links.id end`),
          column,
          direction,
        )
      : byKey(matching, column, direction);
  const rows = await inOrder
    .limit(page.limit + 1)
    .offset(page.offset)
    .execute();
  const [first] = rows;
  // Beyond the end there is no row with the total.
  const total = first?.total ?? (page.offset > 0 ? await countLinks(queries, organizationId, filter) : 0);
  return { ...(await listedLinksOf(queries, rows, page.limit)), total };
}

/** A page by id of all of an organization's links, from a start that was looked up. */
export async function listFrom(
  queries: Queries,
  organizationId: number,
  { below = Number.MAX_SAFE_INTEGER, from = 0, offset }: Start,
  limit: number,
  order: 'asc' | 'desc',
): Promise<ListedLinks> {
  const rows = await queries
    .selectFrom('links')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '<', below)
    .where('id', '>=', from)
    .orderBy('id', order)
    .limit(limit + 1)
    .offset(offset)
    .execute();
  const positions = rows.map(({ id }) => ({ key: id, id }));
  return listedLinksOf(queries, positions, limit);
}

async function listedLinksOf(
  queries: Queries,
  found: readonly LinkPosition[],
  limit: number,
): Promise<ListedLinks> {
  const { rows, last } = pageOf(found, limit);
  const links = await findTaggedLinks(queries, idsOf(rows));
  return { links, next: last && { key: last.key, id: last.id } };
}

async function positionsOf(
  queries: Queries,
  organizationId: number,
  filter: LinkFilter,
  page: LinkPage,
): Promise<readonly LinkPosition[]> {
  const { order, limit, offset, after } = page;
  const dialect = dialectOf(queries);
  const { direction, key } = orderOf(order);
  if (key === 'created_at' && filter.tags !== undefined)
    return taggedById(queries, organizationId, filter, page, direction);
  const tagged = (filter.tags?.[0]?.links ?? 0) > fewTagged && key !== 'created_at' ? 'walk' : 'set';
  const matching = withKey(queries, key)
    .select('links.id')
    .where(matches(dialect, organizationId, filter, tagged));
  const column = keyColumn(dialect, key);
  const keyed = matching.select(column.as('key'));
  const following = after === undefined ? keyed : keyed.where(isAfter(dialect, order, after));
  if (key !== 'name') return byKey(following, column, direction).limit(limit).offset(offset).execute();
  // Links without a name come last in either direction, as people who search for names expect.
  const named = following.where('links.name', 'is not', null);
  const first = await byKey(named, column, direction).limit(limit).offset(offset).execute();
  if (first.length === limit) return first;
  const passed = first.length > 0 ? offset : await countRows(named.clearSelect());
  const unnamed = matching.where('links.name', 'is', null);
  const rest = await (after === undefined ? unnamed : unnamed.where(isUnnamedAfter(after)))
    .orderBy('links.id', 'desc')
    .limit(limit - first.length)
    .offset(first.length > 0 ? 0 : offset - passed)
    .execute();
  return [...first, ...rest.map(({ id }) => ({ key: null, id }))];
}

/**
 * In the order of clicks, all links are sorted for each page: an index would have to be updated with every click, which made the
 * fold of a link twice as slow, and sorting a million takes less than half a second.
 */
function withKey(queries: Queries, key: ReturnType<typeof orderOf>['key']): LinkQuery<object> {
  const links = queries.selectFrom('links');
  if (key !== 'clicks') return links;
  const joined: unknown = links.leftJoin('link_clicks', 'link_clicks.link_id', 'links.id');
  return joined as LinkQuery<object>;
}

/** By id: the index of the rarest tag has its links in order and is scanned, checking each link. */
async function taggedById(
  queries: Queries,
  organizationId: number,
  filter: LinkFilter,
  { limit, offset, after }: LinkPage,
  direction: 'asc' | 'desc',
): Promise<readonly LinkPosition[]> {
  const [rarest, ...others] = filter.tags ?? [];
  let scanned = queries
    .selectFrom('link_tags')
    .innerJoin('links', 'links.id', 'link_tags.link_id')
    .select('link_tags.link_id as id')
    .where('link_tags.tag_id', '=', rarest?.id ?? 0);
  if (filter.before !== undefined) scanned = scanned.where('link_tags.link_id', '<', filter.before);
  if (after !== undefined)
    scanned = scanned.where('link_tags.link_id', direction === 'asc' ? '>' : '<', after.id);
  const rows = await scanned
    .where(matches(dialectOf(queries), organizationId, { ...filter, tags: others }, 'walk'))
    .orderBy('link_tags.link_id', direction)
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(({ id }) => ({ key: id, id }));
}

const byKey = <Selected>(query: LinkQuery<Selected>, key: RawBuilder<unknown>, direction: 'asc' | 'desc') =>
  query.orderBy(key, direction).orderBy('links.id', direction);

/** The lowest matching ids, in order. */
export async function matchingIds(
  queries: Queries,
  organizationId: number,
  filter: LinkFilter,
  limit: number,
): Promise<number[]> {
  const isMatch = matches(dialectOf(queries), organizationId, filter, 'set');
  const matching = queries.selectFrom('links').select('links.id').where(isMatch);
  return idsOf(await matching.orderBy('links.id').limit(limit).execute());
}

export const countLinks = (queries: Queries, organizationId: number, filter: LinkFilter): Promise<number> =>
  countRows(queries.selectFrom('links').where(matches(dialectOf(queries), organizationId, filter, 'set')));

/**
 * Up to this many links with a tag are sorted; beyond that, the index of the order is scanned and links without the tag are
 * skipped.
 */
const fewTagged = 20_000;

/** A filter as one condition. */
function matches(
  dialect: Dialect,
  organizationId: number,
  filter: LinkFilter,
  tagged: 'set' | 'walk',
): RawBuilder<boolean> {
  const { before, domainId, archived, onPaper, hasProblem, ids, tags, text } = filter;
  const conditions = [sql`links.organization_id = ${organizationId}`];
  // Without a filter, links are counted along an index: millions of entries in a fraction of a second.
  if ([domainId, tags, archived, onPaper, hasProblem].some((value) => value !== undefined))
    conditions.unshift(dialect.keepGoing('links.id'));
  if (before !== undefined) conditions.push(sql`links.id < ${before}`);
  if (domainId !== undefined) conditions.push(sql`links.domain_id = ${domainId}`);
  if (archived !== undefined) conditions.push(sql`links.archived = ${sql.lit(archived ? 1 : 0)}`);
  if (onPaper !== undefined) conditions.push(sql`links.on_paper = ${sql.lit(onPaper ? 1 : 0)}`);
  if (hasProblem !== undefined)
    conditions.push(sql`links.destination_problems is ${sql.raw(hasProblem ? 'not null' : 'null')}`);
  if (ids !== undefined) conditions.push(sql`links.id in (${sql.join(ids)})`);
  // SQLite would try each pair of two sets of ids: for as long as that takes, nothing else would be read.
  const asSet = tagged === 'set' && ids === undefined && text?.reach !== 'bounded';
  for (const [index, { id }] of (tags ?? []).entries()) {
    conditions.push(
      index === 0 && asSet
        ? sql`links.id in (select link_id from link_tags where tag_id = ${id})`
        : sql`exists (select 1 from link_tags where link_tags.link_id = links.id and link_tags.tag_id = ${id})`,
    );
  }
  if (text !== undefined) conditions.push(holds(dialect, organizationId, text));
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}
