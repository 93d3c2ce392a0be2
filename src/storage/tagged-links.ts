import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { dialectOf } from './dialect.ts';
import { type LinkTotals, totalsOf } from './link-counts.ts';
import { type AnsweredLink, answeredColumns } from './links.ts';
import { prepared, preparedRow } from './prepared.ts';
import type { Queries, Schema } from './schema.ts';
import type { StoredTag } from './tags.ts';

/** A link with its tags, oldest first. */
export interface TaggedLink {
  readonly link: AnsweredLink;
  readonly tags: readonly StoredTag[];
}

type Row = AnsweredLink & { readonly tags: string | null };

/**
 * What is answered of links, with their tags: a second statement would be another round trip. With all other columns
 * a page takes 7 % more of the node's CPU on PostgreSQL.
 */
const withTags = (queries: Queries, links = queries.selectFrom('links')) => {
  const { jsonLists } = dialectOf(queries);
  const tags: RawBuilder<string | null> = sql`(
    select ${sql.raw(jsonLists('tags.id, tags.created_at, tags.organization_id, tags.name'))}
    from link_tags inner join tags on tags.id = link_tags.tag_id where link_tags.link_id = links.id
  )`;
  return links
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .leftJoin('link_clicks', 'link_clicks.link_id', 'links.id')
    .select(answeredColumns.map((name) => `links.${name}` as const))
    .select(['domains.host as host', 'link_clicks.clicks', 'link_clicks.last_clicked_at', tags.as('tags')]);
};

/** The row itself, although it has one more column: copying a page's rows of sixty columns each takes as long as reading them. */
function taggedOf(link: Row): TaggedLink {
  const { tags } = link;
  const cells: readonly [number, number, number, string][] = tags === null ? [] : JSON.parse(tags);
  return {
    link,
    tags: cells
      .map(([id, created_at, organization_id, name]) => ({ id, created_at, organization_id, name }))
      .sort((one, other) => one.id - other.id),
  };
}

interface LinkKey {
  readonly organizationId: number;
  readonly id: number;
}

/**
 * The link for each of these, if the organization has it. That is checked here: with it in the statement, PostgreSQL may use another
 * index that begins with the organization, and read all of its links.
 */
export async function findByKeys(
  queries: Queries,
  keys: readonly LinkKey[],
): Promise<(TaggedLink | undefined)[]> {
  const [first] = keys;
  if (first && keys.length === 1) {
    const row = await selectOne(queries, first.organizationId, first.id);
    return [row && taggedOf(row)];
  }
  const rows = await selectSome(queries, JSON.stringify(keys.map(({ id }) => id)));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return keys.map(({ organizationId, id }) => {
    const row = byId.get(id);
    return row?.organization_id === organizationId ? taggedOf(row) : undefined;
  });
}

const selectOne = preparedRow((queries, organizationId: number, id: number) =>
  withTags(queries)
    .where('links.organization_id', '=', organizationId)
    .where('links.id', '=', id)
    .$castTo<Row>()
    .compile(),
);

/** Those that exist, in this order. */
export async function findTaggedLinks(queries: Queries, ids: readonly number[]): Promise<TaggedLink[]> {
  if (ids.length === 0) return [];
  const rows = await selectSome(queries, JSON.stringify(ids));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row === undefined ? [] : [taggedOf(row)];
  });
}

/** The statement is the same for any number of ids. */
const selectSome = prepared((queries, ids: string) =>
  withTags(queries)
    .where(
      'links.id',
      'in',
      sql<number>`(select cast(item.value as bigint) from ${sql.raw(dialectOf(queries).jsonEach)}(${ids}) as item)`,
    )
    .$castTo<Row>()
    .compile(),
);

interface NewestLinks {
  readonly links: readonly TaggedLink[];
  /** Of all the organization's links, whatever the page; null if the page is empty. */
  readonly totals: LinkTotals | null;
}

/** Those of an organization that are not archived, newest first. */
export async function newestLinks(
  queries: Queries,
  organizationId: number,
  { below, offset, limit }: { readonly below: number; readonly offset: number; readonly limit: number },
): Promise<NewestLinks> {
  const rows = await selectNewest(queries, organizationId, below, offset, limit);
  const [first] = rows;
  return {
    links: rows.map(taggedOf),
    totals: first ? { links: Number(first.all_links), archived: first.all_archived } : null,
  };
}

type CountedRow = Row & { readonly all_links: number | string; readonly all_archived: number };

/**
 * First the page, along the index of its order: tags and everything else are looked up for its rows only, and the totals once.
 */
const selectNewest = prepared(
  (queries, organizationId: number, below: number, offset: number, limit: number) => {
    const page = sql`(
      select * from links
      where ${dialectOf(queries).keepGoing('links.id')} and links.organization_id = ${organizationId}
        and links.archived = 0 and links.id < ${below}
      order by links.id desc limit ${limit} offset ${offset}
    )`;
    const { links, archived } = totalsOf(organizationId);
    return withTags(
      queries,
      queries.selectFrom(page.as('links')) as unknown as SelectQueryBuilder<Schema, 'links', object>,
    )
      .select([links.as('all_links'), archived.as('all_archived')])
      .orderBy('links.id', 'desc')
      .$castTo<CountedRow>()
      .compile();
  },
);
