import type { Queries } from '../schema.ts';

interface TakenClicks {
  readonly taken: number;
  /** These clicks have used up the link's limit. */
  readonly isLimitReached: boolean;
}

/**
 * Takes as many of the requested clicks as a link has left: all of them if it has no limit any more, and none if the link was deleted.
 */
export async function takeClicks(queries: Queries, linkId: number, requested: number): Promise<TakenClicks> {
  const left = await takeIfLeft(queries, linkId, requested);
  if (left !== undefined) return { taken: requested, isLimitReached: left === 0 };
  const link = await queries
    .selectFrom('links')
    .select(['click_limit', 'clicks_spent'])
    .where('id', '=', linkId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!link) return { taken: 0, isLimitReached: false };
  if (link.click_limit === null) return { taken: requested, isLimitReached: false };
  const taken = Math.min(requested, link.click_limit - link.clicks_spent);
  if (taken <= 0) return { taken: 0, isLimitReached: false };
  return { taken, isLimitReached: (await takeIfLeft(queries, linkId, taken)) === 0 };
}

/** Takes all or none; returns how many are left after that, or undefined if none were taken. */
async function takeIfLeft(queries: Queries, linkId: number, requested: number): Promise<number | undefined> {
  const link = await queries
    .updateTable('links')
    .set((link) => ({ clicks_spent: link('clicks_spent', '+', requested) }))
    .where('id', '=', linkId)
    .where((link) => link(link('clicks_spent', '+', requested), '<=', link.ref('click_limit')))
    .returning(['click_limit', 'clicks_spent'])
    .executeTakeFirst();
  return link && (link.click_limit ?? 0) - link.clicks_spent;
}
