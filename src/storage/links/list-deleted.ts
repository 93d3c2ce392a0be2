import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import { countRows } from '../rows.ts';
import { defaultDomainId, type Queries, type Schema } from '../schema.ts';

const shown = ['id', 'suffix', 'destination_url', 'name', 'deleted_at'] as const;

export interface DeletedLink extends Pick<Selectable<Schema['link_bin']>, (typeof shown)[number]> {
  /** Null is the default domain. */
  readonly host: string | null;
  /** The link that has its suffix now; null: it is free. */
  readonly suffix_taken_by: number | null;
}

/** A position in the list of deleted links: that of one of them, even if it is gone. */
export interface DeletedPosition {
  readonly deletedAt: number;
  readonly id: number;
}

/** An organization's deleted links that can be restored: their domain still exists and belongs to it. */
export const isRestorable =
  (organizationId: number, deletedAfter: number) => (where: ExpressionBuilder<Schema, 'link_bin'>) =>
    where.and([
      where('link_bin.organization_id', '=', organizationId),
      where('link_bin.emptied_at', 'is', null),
      where('link_bin.deleted_at', '>', deletedAfter),
      where.or([
        where('link_bin.domain_id', '=', defaultDomainId),
        where(
          'link_bin.domain_id',
          'in',
          where
            .selectFrom('domains')
            .select('domains.id')
            .where('domains.organization_id', '=', organizationId)
            .where('domains.deleted_at', 'is', null),
        ),
      ]),
    ]);

/** Newest first, after a position: links that are restored or deleted meanwhile don't shift the page. */
export const listDeleted = (
  queries: Queries,
  organizationId: number,
  deletedAfter: number,
  page: { readonly limit: number; readonly after: DeletedPosition | undefined },
): Promise<DeletedLink[]> => {
  let matching = queries.selectFrom('link_bin').where(isRestorable(organizationId, deletedAfter));
  if (page.after) {
    const { deletedAt, id } = page.after;
    matching = matching.where(sql<boolean>`(link_bin.deleted_at, link_bin.id) < (${deletedAt}, ${id})`);
  }
  return matching
    .select(shown)
    .select((from) =>
      from
        .selectFrom('domains')
        .select('domains.host')
        .whereRef('domains.id', '=', 'link_bin.domain_id')
        .as('host'),
    )
    .select(
      sql<number | null>`coalesce((
        select links.id from links where links.domain_id = link_bin.domain_id and links.suffix = link_bin.suffix
      ), (
        select links.id from link_aliases join links on links.id = link_aliases.link_id
        where link_aliases.domain_id = link_bin.domain_id and link_aliases.suffix = link_bin.suffix
      ))`.as('suffix_taken_by'),
    )
    .orderBy('deleted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute();
};

/** How many of these links, or of all, `listDeleted` lists. */
export function countDeleted(
  queries: Queries,
  organizationId: number,
  deletedAfter: number,
  ids?: readonly number[],
): Promise<number> {
  const listed = queries.selectFrom('link_bin').where(isRestorable(organizationId, deletedAfter));
  return countRows(ids === undefined ? listed : listed.where('link_bin.id', 'in', ids));
}
