import { sql } from 'kysely';
import { hasRow, idsOf } from '../rows.ts';
import type { Queries } from '../schema.ts';

/** Organizations whose administrators have not been mailed about problems found before an instant. */
export async function organizationsToMail(
  queries: Queries,
  { before, mailedBefore }: { readonly before: number; readonly mailedBefore: number },
  limit: number,
): Promise<number[]> {
  const rows = await queries
    .selectFrom('organizations')
    .select('id')
    .where(({ or, eb }) => or([eb('watch_mailed_at', 'is', null), eb('watch_mailed_at', '<=', mailedBefore)]))
    .where('id', 'in', (unmailed) =>
      unmailed.selectFrom('watched_links').select('organization_id').where('unmailed', '<=', before),
    )
    .orderBy('id')
    .limit(limit)
    .execute();
  return idsOf(rows);
}

/** Claims an organization for the node that mails it; false if another was first. */
export const claimMail = (queries: Queries, organizationId: number, now: number, mailedBefore: number) =>
  hasRow(
    queries
      .updateTable('organizations')
      .set({ watch_mailed_at: now })
      .where('id', '=', organizationId)
      .where(({ or, eb }) =>
        or([eb('watch_mailed_at', 'is', null), eb('watch_mailed_at', '<=', mailedBefore)]),
      )
      .returning('id'),
  );

export async function setMailedAt(queries: Queries, organizationId: number, at: number): Promise<void> {
  await queries
    .updateTable('organizations')
    .set({ watch_mailed_at: at })
    .where('id', '=', organizationId)
    .execute();
}

/** The first links of what is to be mailed, and their total. */
export async function linksToMail(queries: Queries, organizationId: number, until: number, limit: number) {
  const rows = await queries
    .selectFrom('watched_links')
    .select(['link_id', sql<number>`count(*) over ()`.as('total')])
    .distinct()
    .where('organization_id', '=', organizationId)
    .where('unmailed', '<=', until)
    .groupBy('link_id')
    .orderBy('link_id')
    .limit(limit)
    .execute();
  return { ids: rows.map(({ link_id }) => link_id), total: rows[0]?.total ?? 0 };
}

/** A link's destinations among what is to be mailed. */
export async function urlsToMail(queries: Queries, linkId: number, until: number): Promise<string[]> {
  const rows = await queries
    .selectFrom('watched_links')
    .innerJoin('watched_urls', 'watched_urls.id', 'watched_links.url_id')
    .select('watched_urls.url')
    .where('watched_links.link_id', '=', linkId)
    .where('watched_links.unmailed', '<=', until)
    .execute();
  return rows.map(({ url }) => url);
}

export async function setMailed(queries: Queries, organizationId: number, until: number): Promise<void> {
  await queries
    .updateTable('watched_links')
    .set({ unmailed: null })
    .where('organization_id', '=', organizationId)
    .where('unmailed', '<=', until)
    .execute();
}
