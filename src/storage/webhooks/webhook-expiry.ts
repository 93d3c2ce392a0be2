import { type StoredLink, withHost } from '../links/links.ts';
import { hasRow, idsOf } from '../rows.ts';
import type { Queries } from '../schema.ts';

/** Links that have expired and whose webhook wasn't called yet: each of them once, on any node. */
export async function takeExpired(
  queries: Queries,
  now: number,
  limit: number,
): Promise<{ readonly taken: number; readonly links: readonly StoredLink[] }> {
  const taken = await queries
    .selectFrom('links')
    .select('id')
    .where('expiry_event_at', '<=', now)
    .orderBy('expiry_event_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  if (taken.length === 0) return { taken: 0, links: [] };
  const ids = idsOf(taken);
  await queries.updateTable('links').set({ expiry_event_at: null }).where('id', 'in', ids).execute();
  const withWebhook = withHost(queries).where('links.webhook_url', 'is not', null);
  return {
    taken: ids.length,
    links: await withWebhook.where('links.id', 'in', ids).orderBy('links.expires_at').execute(),
  };
}

export const hasExpired = (queries: Queries, now: number): Promise<boolean> =>
  hasRow(queries.selectFrom('links').select('id').where('expiry_event_at', '<=', now).limit(1));
