import type { Database } from './database.ts';
import type { Queries } from './schema.ts';

/** The setting that is there where hits aren't in the database: by it the server that has them knows this store. */
export const hitStoreId = 'hit_store';

/** The setting that is there while hits are moved to such a server: the store's id there, and up to which hit all are. */
export const hitMove = 'hit_move';

/** The setting that says since when all hits are there, while the database still has those that were moved. */
export const hitsMovedAt = 'hits_moved_at';

/** In a transaction. Others who read them are waited for so briefly that no reader waits long behind it. */
export const deleteMovedHits = [
  "set local lock_timeout = '2s'",
  'truncate hits, hit_packs, hit_pack_links, hit_chunks, hit_chunk_links, hit_link_groups',
  `delete from settings where key = '${hitsMovedAt}'`,
];

/** Where hits are, as the settings say. */
export interface HitPlace {
  readonly storeId: string | null;
  readonly move: string | null;
  readonly movedAt: string | null;
}

/**
 * Whether a process may change hits, or judge by them. Not while they are moved; nor where they have been, and it was started before
 * and knows only those in the database.
 */
export async function knowsAllHits({
  kind,
  read,
  hits,
}: Pick<Database, 'kind' | 'read' | 'hits'>): Promise<boolean> {
  if (kind === 'sqlite') return true;
  const { storeId, move } = await hitPlace(read);
  return move === null && (storeId === null || hits !== undefined);
}

export async function hitPlace(queries: Queries): Promise<HitPlace> {
  const rows = await queries
    .selectFrom('settings')
    .select(['key', 'value'])
    .where('key', 'in', [hitStoreId, hitMove, hitsMovedAt])
    .execute();
  const values = new Map(rows.map(({ key, value }) => [key, value]));
  return {
    storeId: values.get(hitStoreId) ?? null,
    move: values.get(hitMove) ?? null,
    movedAt: values.get(hitsMovedAt) ?? null,
  };
}
