import { CompiledQuery, sql } from 'kysely';
import { dialectOf } from '../../storage/dialect.ts';
import type { Queries } from '../../storage/schema.ts';
import { deletionsOfChunk } from './sqlite-chunk-rows.ts';

/** Chunks deleted at once: each has thousands of hits. */
const atOnce = 10;

/** Deletes some of an organization's chunks; false if there are none. */
export async function deleteSomeChunks(queries: Queries, organizationId: number): Promise<boolean> {
  if (dialectOf(queries).partitions) return deleteFrom(queries, organizationId, 0);
  const chunks = await queries
    .selectFrom('hit_chunks')
    .select('id')
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .limit(atOnce)
    .execute();
  for (const { id } of chunks) await deleteChunk(queries, id);
  return chunks.length > 0;
}

/** With its columns and tallies. */
export async function deleteChunk(queries: Queries, id: number): Promise<void> {
  for (const { sql: text, parameters } of deletionsOfChunk(id))
    await queries.executeQuery(CompiledQuery.raw(text, [...parameters]));
}

/** On PostgreSQL: until this transaction ends no chunk of the organization is made, and all existing ones are visible. */
export async function lockChunks(queries: Queries, organizationId: number): Promise<void> {
  await sql`select id from organizations where id = ${organizationId} for no key update`.execute(queries);
}

/**
 * On PostgreSQL, where chunks can be made again from their rows and packs: deletes those with one of these hits, and all later
 * ones.
 */
export async function deleteChunksSince(
  queries: Queries,
  organizationId: number,
  hits: readonly { readonly id: number }[],
): Promise<void> {
  const first = hits.reduce((least, { id }) => Math.min(least, id), Number.POSITIVE_INFINITY);
  if (Number.isFinite(first)) await deleteFrom(queries, organizationId, first);
}

async function deleteFrom(queries: Queries, organizationId: number, first: number): Promise<boolean> {
  const chunks = sql`from hit_chunks where organization_id = ${organizationId} and last_id >= ${first}`;
  for (const table of ['hit_chunk_links', 'hit_link_groups'])
    await sql`delete from ${sql.table(table)} where chunk_id in (select id ${chunks})`.execute(queries);
  const { rows } = await sql`delete ${chunks} returning id`.execute(queries);
  return rows.length > 0;
}
