import { deleteFound } from '../../storage/rows.ts';
import type { Queries } from '../../storage/schema.ts';
import { deleteSomeChunks } from '../chunks/delete-chunks.ts';

/** Each has hundreds of hits. */
const packsAtOnce = 50;

/** Deletes some of an organization's hits in the database, in whichever form they are; false if there are none. */
export async function deleteSomeHits(
  queries: Queries,
  organizationId: number,
  limit: number,
): Promise<boolean> {
  if (await deleteSomeChunks(queries, organizationId)) return true;
  for (const [table, atOnce] of [
    ['hits', limit],
    ['hit_packs', packsAtOnce],
  ] as const) {
    const own = queries.selectFrom(table).where('organization_id', '=', organizationId);
    if ((await deleteFound(queries, table, ['id'], own.orderBy('id').limit(atOnce))) > 0) return true;
  }
  return false;
}
