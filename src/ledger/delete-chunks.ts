import { dialectOf } from '../storage/dialect.ts';
import type { Queries } from '../storage/schema.ts';
import { columnKey, endOfKeys } from './hit-chunk.ts';

/** Each has thousands of hits. */
const atOnce = 10;

/** Some of an organization's; false when it has none. What says which links they have goes with the links. */
export async function deleteSomeChunks(queries: Queries, organizationId: number): Promise<boolean> {
  if (!dialectOf(queries).chunksHits) return false;
  const chunks = await queries
    .selectFrom('hit_chunks')
    .select('id')
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .limit(atOnce)
    .execute();
  for (const { id } of chunks) {
    for (const table of ['hit_chunk_columns', 'hit_chunk_tallies'] as const)
      await queries
        .deleteFrom(table)
        .where('key', '>=', columnKey(id, 'id'))
        .where('key', '<', endOfKeys(id))
        .execute();
    await queries.deleteFrom('hit_chunks').where('id', '=', id).execute();
  }
  return chunks.length > 0;
}
