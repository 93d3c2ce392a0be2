import { CompiledQuery, sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { dialects } from '../../storage/dialect.ts';
import type { Queries } from '../../storage/schema.ts';
import { type ChunkRow, ChunkScan } from '../chunks/chunk-scan.ts';
import { columnsInMemory } from '../chunks/chunk-store.ts';
import { deleteChunk } from '../chunks/delete-chunks.ts';
import { chunkOf, columnKey, endOfKeys } from '../chunks/hit-chunk.ts';
import { insertionsOfChunk } from '../chunks/sqlite-chunk-rows.ts';
import { columnsOfHits } from '../chunks/stored-columns.ts';
import { type CorrectionScope, isInScope } from '../correction-scope.ts';
import type { StoredHit } from '../ledger.ts';
import { HitPack } from '../packs/hit-pack.ts';
import { corrected } from './corrected-hits.ts';
import { deletePack } from './delete-pack.ts';

/** The next chunk in a correction's scope that has hits after an id. No chunk is made during a correction. */
export async function nextChunk(
  { kind, read }: Database,
  { organizationId, owner, from, to }: CorrectionScope,
  after: number,
): Promise<Pick<ChunkRow, 'id' | 'last_id'> | null> {
  if (!dialects[kind].chunksReplaceRows) return null;
  const ofLink =
    owner.kind === 'link'
      ? sql`and exists (select 1 from hit_chunk_links where chunk_id = hit_chunks.id and link_id = ${owner.id})`
      : sql``;
  const { rows } = await sql<Pick<ChunkRow, 'id' | 'last_id'>>`
    select id, last_id from hit_chunks
    where organization_id = ${organizationId} and last_id > ${after} and last_at >= ${from ?? 0}
      and first_at < ${to} ${ofLink} order by id limit 1`.execute(read);
  return rows[0] ?? null;
}

/**
 * Corrects the matching hits of a chunk, and returns them as they were. They may still be stored in rows and packs, where nothing
 * reads them any more: they are deleted there at once.
 */
export async function correctChunk(
  queries: Queries,
  scope: CorrectionScope,
  id: number,
): Promise<readonly StoredHit[]> {
  const chunk = await queries.selectFrom('hit_chunks').selectAll().where('id', '=', id).executeTakeFirst();
  if (chunk === undefined) return [];
  await deleteSources(queries, chunk.organization_id, chunk.last_id);
  const row = { ...chunk, first_row: 0, end_row: chunk.hits, version: '' };
  const columns = await queries
    .selectFrom('hit_chunk_columns')
    .selectAll()
    .where('key', '>=', columnKey(id, 'id'))
    .where('key', '<', endOfKeys(id))
    .execute();
  const hits = new ChunkScan(columnsInMemory(columns), row).storedHits;
  const inScope = hits.filter((hit) => isInScope(scope, hit));
  if (inScope.length === 0) return [];
  await deleteChunk(queries, id);
  await insertChunk(queries, chunk, corrected(scope, hits));
  return inScope;
}

async function insertChunk(
  queries: Queries,
  { id, made_at }: { readonly id: number; readonly made_at: number },
  hits: readonly StoredHit[],
): Promise<void> {
  if (hits.length === 0) return;
  const chunk = chunkOf(columnsOfHits(hits));
  await queries
    .insertInto('hit_chunks')
    .values({ id, made_at, ...chunk.facts })
    .execute();
  for (const { sql: text, parameters } of insertionsOfChunk(id, chunk))
    await queries.executeQuery(CompiledQuery.raw(text, [...parameters]));
}

async function deleteSources(queries: Queries, organizationId: number, upTo: number): Promise<void> {
  const packs = queries.selectFrom('hit_packs').select(['id', 'hits', 'cells']);
  const found = packs.where('organization_id', '=', organizationId).where('id', '<=', upTo);
  for (const pack of await found.execute()) await deletePack(queries, new HitPack(pack));
  await sql`delete from hits where organization_id = ${organizationId} and id <= ${upTo}`.execute(queries);
}
