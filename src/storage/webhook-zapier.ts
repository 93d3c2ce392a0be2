import { sql } from 'kysely';
import { hasRow } from './rows.ts';
import type { Queries } from './schema.ts';

/** Replaces the hook, and returns its number. Null when the link is gone. */
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

/** False when there was none, or not this one. Without a number, whichever there is goes. */
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

/** A hook that says "gone" has ended its subscription. */
export async function forgetZapierHook(queries: Queries, linkId: number, target: string): Promise<void> {
  await queries
    .updateTable('links')
    .set({ zapier_hook_url: null })
    .where('id', '=', linkId)
    .where('zapier_hook_url', '=', target)
    .execute();
}
