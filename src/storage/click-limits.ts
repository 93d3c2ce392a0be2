import { sql } from 'kysely';
import type { Queries } from './schema.ts';

interface TakenClicks {
  readonly taken: number;
  /** These clicks have used up the link's limit. */
  readonly isEnd: boolean;
}

/**
 * Takes as many of the wanted clicks as a link has left: all of them if it has no limit any more, and none if the link is gone.
 */
export async function takeClicks(queries: Queries, linkId: number, wanted: number): Promise<TakenClicks> {
  const left = await takeIfLeft(queries, linkId, wanted);
  if (left !== undefined) return { taken: wanted, isEnd: left === 0 };
  // An update that changes nothing locks the row on every database.
  const link = await queries
    .updateTable('links')
    .set({ clicks_spent: sql<number>`clicks_spent` })
    .where('id', '=', linkId)
    .returning(['click_limit', 'clicks_spent'])
    .executeTakeFirst();
  if (!link) return { taken: 0, isEnd: false };
  if (link.click_limit === null) return { taken: wanted, isEnd: false };
  const taken = Math.min(wanted, link.click_limit - link.clicks_spent);
  if (taken <= 0) return { taken: 0, isEnd: false };
  return { taken, isEnd: (await takeIfLeft(queries, linkId, taken)) === 0 };
}

/** All or none; returns how many are left then. */
async function takeIfLeft(queries: Queries, linkId: number, wanted: number): Promise<number | undefined> {
  const link = await queries
    .updateTable('links')
    .set((link) => ({ clicks_spent: link('clicks_spent', '+', wanted) }))
    .where('id', '=', linkId)
    .where((link) => link(link('clicks_spent', '+', wanted), '<=', link.ref('click_limit')))
    .returning(['click_limit', 'clicks_spent'])
    .executeTakeFirst();
  return link && (link.click_limit ?? 0) - link.clicks_spent;
}
