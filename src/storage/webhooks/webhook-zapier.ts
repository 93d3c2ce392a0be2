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

/** False if there was none, or another one than the given. */
export const clearZapierHook = (
  queries: Queries,
  linkId: number,
  hook: { readonly zapier_hook_id?: number; readonly zapier_hook_url?: string },
): Promise<boolean> =>
  hasRow(
    queries
      .updateTable('links')
      .set({ zapier_hook_url: null })
      .where('id', '=', linkId)
      .where('zapier_hook_url', 'is not', null)
      .where((link) => link.and(hook))
      .returning('id'),
  );
