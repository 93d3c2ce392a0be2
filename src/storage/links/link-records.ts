import { sql } from 'kysely';
import type { Queries } from '../schema.ts';

/** Deletes records about links that can't be restored any more. */
export async function deleteRecordsOf(queries: Queries, linkIds: readonly number[]): Promise<void> {
  if (linkIds.length === 0) return;
  for (const table of ['link_history', 'scheduled_changes', 'watched_links'] as const)
    await queries.deleteFrom(table).where('link_id', 'in', linkIds).execute();
}

/** The same, if their addresses become free. */
export async function deleteTracesOf(queries: Queries, linkIds: readonly number[]): Promise<void> {
  await deleteRecordsOf(queries, linkIds);
  if (linkIds.length > 0) await queries.deleteFrom('link_aliases').where('link_id', 'in', linkIds).execute();
}

/** Tables of counts with many rows for a link, and their keys: an hour has a row, and in earlier versions a pack. */
const countTables = [
  ['link_hours', 'hour'],
  ['hit_pack_links', 'pack_id'],
] as const;

/** Deletes some of the counts of these links, `limit` rows at most besides their totals; false if none are left. */
export async function deleteSomeCountsOf(
  queries: Queries,
  linkIds: readonly number[],
  limit: number,
): Promise<boolean> {
  const ids = sql.join(linkIds);
  for (const [name, part] of countTables) {
    const table = sql.table(name);
    const key = sql`link_id, ${sql.ref(part)}`;
    const { rows } = await sql`delete from ${table} where (${key}) in (
      select ${key} from ${table} where link_id in (${ids}) order by ${key} limit ${limit}
    ) returning 1`.execute(queries);
    if (rows.length > 0) return true;
  }
  await queries.deleteFrom('link_clicks').where('link_id', 'in', linkIds).execute();
  return false;
}
