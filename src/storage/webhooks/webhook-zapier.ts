import { sql } from 'kysely';
import { hasRow } from '../rows.ts';
import type { Queries } from '../schema.ts';

/** Replaces the hook, and returns its number. Null if the link was deleted. */
export async function setZapierHook(
  queries: Queries,
  linkId: number,
  target: string,
): Promise<number | null> {
  const row = await queries
    .updateTable('links')
    .set({ zapier_hook_url: target, zapier_hook_id: sql<number>`zapier_hook_id + 1` })
    .where('id', '=', linkId)
    .returning('zapier_hook_id')
    .executeTakeFirst();
  return row?.zapier_hook_id ?? null;
}

/** False if there was none, or another one. Without a number, any hook is removed. */
export async function clearZapierHook(
  queries: Queries,
  linkId: number,
  hookId: number | null,
): Promise<boolean> {
  let clearing = queries
    .updateTable('links')
    .set({ zapier_hook_url: null })
    .where('id', '=', linkId)
    .where('zapier_hook_url', 'is not', null);
  if (hookId !== null) clearing = clearing.where('zapier_hook_id', '=', hookId);
  return hasRow(clearing.returning('id'));
}

/** A hook that answers 410 Gone has ended its subscription. */
export async function forgetZapierHook(queries: Queries, linkId: number, target: string): Promise<void> {
  await queries
    .updateTable('links')
    .set({ zapier_hook_url: null })
    .where('id', '=', linkId)
    .where('zapier_hook_url', '=', target)
    .execute();
}
