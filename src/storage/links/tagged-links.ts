import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { dialectOf } from '../dialect.ts';
import { jsonIds } from '../json-rows.ts';
import { prepared, preparedRow } from '../prepared.ts';
import { idsOf } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';
import type { StoredTag } from '../tags.ts';
import { type AnsweredLink, answeredColumns } from './links.ts';

/** A link with its tags, oldest first. */
export interface TaggedLink {
  readonly link: AnsweredLink;
  readonly tags: readonly StoredTag[];
}

export type TaggedRow = AnsweredLink & { readonly tags: string | null };

/**
 * The columns of links that answers of the API need, with their tags: a second statement would be another round trip. With all other
 * columns a page takes 7 % more of the node's CPU on PostgreSQL.
 */
export const withTags = (queries: Queries, links: SomeLinks = queries.selectFrom('links')) =>
  withRelated(queries, links).select(answeredColumns.map((name) => `links.${name}` as const));

export type SomeLinks = SelectQueryBuilder<Schema, 'links', object>;

/** The columns of `withRelated`. */
export const relatedColumns = ['host', 'clicks', 'last_clicked_at', 'tags'] as const;

/** The columns of other tables that answers about links need. */
export function withRelated(queries: Queries, links: SomeLinks) {
  const { jsonLists } = dialectOf(queries);
  const tags: RawBuilder<string | null> = sql`(
    select ${sql.raw(jsonLists('tags.id, tags.created_at, tags.organization_id, tags.name'))}
    from link_tags inner join tags on tags.id = link_tags.tag_id where link_tags.link_id = links.id
  )`;
  return links
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .leftJoin('link_clicks', 'link_clicks.link_id', 'links.id')
    .select(['domains.host as host', 'link_clicks.clicks', 'link_clicks.last_clicked_at', tags.as('tags')]);
}

/** The row itself, although it has one more column: copying a page's rows of sixty columns each takes as long as reading them. */
export function taggedOf<Row extends TaggedRow>(link: Row): TaggedLink & { readonly link: Row } {
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
 * The link for each of these, if the organization has it. That is checked here: with the condition in the statement, PostgreSQL may use
 * another index that begins with the organization, and read all of its links.
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
  const byId = await taggedById(queries, idsOf(keys));
  return keys.map(({ organizationId, id }) => {
    const tagged = byId.get(id);
    return tagged?.link.organization_id === organizationId ? tagged : undefined;
  });
}

const selectOne = preparedRow((queries, organizationId: number, id: number) =>
  withTags(queries)
    .where('links.organization_id', '=', organizationId)
    .where('links.id', '=', id)
    .$castTo<TaggedRow>()
    .compile(),
);

/** Those that exist, in this order. */
export async function findTaggedLinks(queries: Queries, ids: readonly number[]): Promise<TaggedLink[]> {
  if (ids.length === 0) return [];
  const byId = await taggedById(queries, ids);
  return ids.flatMap((id) => byId.get(id) ?? []);
}

async function taggedById(
  queries: Queries,
  ids: readonly number[],
): Promise<ReadonlyMap<number, TaggedLink>> {
  const rows = await selectSome(queries, JSON.stringify(ids));
  return new Map(rows.map((row) => [row.id, taggedOf(row)]));
}

/** The statement is the same for any number of ids. */
const selectSome = prepared((queries, ids: string) =>
  withTags(queries)
    .where('links.id', 'in', jsonIds(dialectOf(queries), ids))
    .$castTo<TaggedRow>()
    .compile(),
);
