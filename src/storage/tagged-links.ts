import { type RawBuilder, sql } from 'kysely';
import { dialectOf } from './dialect.ts';
import { type StoredLink, withHost } from './links.ts';
import { prepared, preparedRow } from './prepared.ts';
import type { Queries } from './schema.ts';
import type { StoredTag } from './tags.ts';

/** A link with its tags, the oldest first. */
export interface TaggedLink {
  readonly link: StoredLink;
  readonly tags: readonly StoredTag[];
}

type Row = StoredLink & { readonly tags: string | null };

/** In the statement that reads the link: a second one would be another round trip to a server. */
const withTags = (queries: Queries) => {
  const { jsonLists } = dialectOf(queries);
  const tags: RawBuilder<string | null> = sql`(
    select ${sql.raw(jsonLists('tags.id, tags.created_at, tags.organization_id, tags.name'))}
    from link_tags inner join tags on tags.id = link_tags.tag_id where link_tags.link_id = links.id
  )`;
  return withHost(queries).select(tags.as('tags'));
};

function taggedOf({ tags, ...link }: Row): TaggedLink {
  const cells: readonly [number, number, number, string][] = tags === null ? [] : JSON.parse(tags);
  return {
    link,
    tags: cells
      .map(([id, created_at, organization_id, name]) => ({ id, created_at, organization_id, name }))
      .sort((one, other) => one.id - other.id),
  };
}

export async function findTaggedLink(
  queries: Queries,
  organizationId: number,
  id: number,
): Promise<TaggedLink | undefined> {
  const row = await selectOne(queries, organizationId, id);
  return row && taggedOf(row);
}

const selectOne = preparedRow((queries, organizationId: number, id: number) =>
  withTags(queries)
    .where('links.organization_id', '=', organizationId)
    .where('links.id', '=', id)
    .$castTo<Row>()
    .compile(),
);

/** In this order, those that there are. */
export async function findTaggedLinks(queries: Queries, ids: readonly number[]): Promise<TaggedLink[]> {
  if (ids.length === 0) return [];
  const rows = await selectSome(queries, JSON.stringify(ids));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row === undefined ? [] : [taggedOf(row)];
  });
}

/** However many there are, the statement is the same. */
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

/** Those of an organization that are not archived, the newest first. */
export const newestLinks = async (
  queries: Queries,
  organizationId: number,
  { below, offset, limit }: { readonly below: number; readonly offset: number; readonly limit: number },
): Promise<TaggedLink[]> => (await selectNewest(queries, organizationId, below, offset, limit)).map(taggedOf);

/** The ids first, by the index of their order; what was passed over is not read. */
const selectNewest = prepared(
  (queries, organizationId: number, below: number, offset: number, limit: number) => {
    const page = sql<number>`(
      select links.id from links
      where ${dialectOf(queries).keepGoing('links.id')} and links.organization_id = ${organizationId}
        and links.archived = 0 and links.id < ${below}
      order by links.id desc limit ${limit} offset ${offset}
    )`;
    return withTags(queries)
      .where('links.id', 'in', page)
      .orderBy('links.id', 'desc')
      .$castTo<Row>()
      .compile();
  },
);
