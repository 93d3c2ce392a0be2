import { deleteAliasesOf } from './link-aliases.ts';
import { deleteHistoryOf } from './link-history.ts';
import { deleteScheduledOf } from './scheduled-changes.ts';
import type { Queries } from './schema.ts';
import { deleteWatchedOf } from './watched-links.ts';

/** Deletes records about links that can't be restored any more. */
export async function deleteRecordsOf(queries: Queries, linkIds: readonly number[]): Promise<void> {
  if (linkIds.length === 0) return;
  await deleteHistoryOf(queries, linkIds);
  await deleteScheduledOf(queries, linkIds);
  await deleteWatchedOf(queries, linkIds);
}

/** The same, if their addresses become free. */
export async function deleteTracesOf(queries: Queries, linkIds: readonly number[]): Promise<void> {
  await deleteRecordsOf(queries, linkIds);
  await deleteAliasesOf(queries, linkIds);
}
