import { findAnyLink, type StoredLink } from './links.ts';
import { hasRow } from './rows.ts';
import type { Queries } from './schema.ts';

/** Links that have expired and whose webhook wasn't called yet: each of them once, on any node. */
export async function takeExpired(
  queries: Queries,
  now: number,
  limit: number,
): Promise<{ readonly taken: number; readonly links: readonly StoredLink[] }> {
  const taken = await queries
    .selectFrom('links')
    .select(['id', 'webhook_url'])
    .where('expiry_event_at', '<=', now)
    .orderBy('expiry_event_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  const ids = taken.map((link) => link.id);
  if (ids.length > 0) {
    await queries.updateTable('links').set({ expiry_event_at: null }).where('id', 'in', ids).execute();
  }
  const links = await Promise.all(
    taken.filter((link) => link.webhook_url !== null).map(({ id }) => findAnyLink(queries, id)),
  );
  return { taken: ids.length, links: links.flatMap((link) => link ?? []) };
}

export const hasExpired = (queries: Queries, now: number): Promise<boolean> =>
  hasRow(queries.selectFrom('links').select('id').where('expiry_event_at', '<=', now).limit(1));
