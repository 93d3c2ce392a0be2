import type { Database } from './database.ts';
import type { Queries } from './schema.ts';

/** The setting that exists if hits are on another server: the id of this store there. */
export const hitStoreId = 'hit_store';

/**
 * The setting with the same id, from when the store's tables exist on that server: they are made only once, because empty ones
 * would take the place of lost ones unnoticed.
 */
export const hitTablesMade = 'hit_tables_made';

/** The setting that exists while hits are moved to another server: the id of the store there, and the last moved window. */
export const hitMove = 'hit_move';

/** The setting with the time when the move was completed, as long as the database still has the moved hits. */
export const hitsMovedAt = 'hits_moved_at';

/** To be run in one transaction. It waits for readers only briefly, so that no other reader waits long behind it. */
export const deleteMovedHits = [
  "set local lock_timeout = '2s'",
  'truncate hits, hit_packs, hit_pack_links, hit_chunks, hit_chunk_links, hit_link_groups',
  `delete from settings where key = '${hitsMovedAt}'`,
];

/** Where hits are stored, according to the settings. */
interface HitLocation {
  readonly storeId: string | null;
  readonly hasTables: boolean;
  readonly move: string | null;
  readonly movedAt: string | null;
}

/**
 * Whether a process may change hits, or rely on seeing all of them: not while they are being moved; and not after that, if it was
 * started before and only knows those in the database.
 */
export async function knowsAllHits({
  kind,
  read,
  hits,
}: Pick<Database, 'kind' | 'read' | 'hits'>): Promise<boolean> {
  if (kind === 'sqlite') return true;
  const { storeId, move } = await hitLocation(read);
  return move === null && (storeId === null || hits !== undefined);
}

export async function hitLocation(queries: Queries): Promise<HitLocation> {
  const rows = await queries
    .selectFrom('settings')
    .select(['key', 'value'])
    .where('key', 'in', [hitStoreId, hitTablesMade, hitMove, hitsMovedAt])
    .execute();
  const values = new Map(rows.map(({ key, value }) => [key, value]));
  const storeId = values.get(hitStoreId) ?? null;
  return {
    storeId,
    hasTables: storeId !== null && values.get(hitTablesMade) === storeId,
    move: values.get(hitMove) ?? null,
    movedAt: values.get(hitsMovedAt) ?? null,
  };
}
