import type { Database } from '../storage/database.ts';
import { countBlocks } from '../storage/links/link-blocks.ts';
import type { Queries } from '../storage/schema.ts';

/** From this many links on, it pays to look up where a page begins. */
export const deepOffset = 20_000;

/** By organization: its number of links when counting its blocks was last requested. */
const prefetchedTotals = new WeakMap<Queries, Map<number, number>>();

/** A client that reads the first page of a long list may jump far ahead next: prepares for that. */
export function prefetchBlockCounts(database: Database, organizationId: number, total: number): void {
  const totals = prefetchedTotals.get(database.lookup) ?? new Map<number, number>();
  prefetchedTotals.set(database.lookup, totals);
  if (total - (totals.get(organizationId) ?? 0) <= deepOffset) return;
  totals.set(organizationId, total);
  void countInBackground(database, organizationId);
}

const counting = new WeakMap<Queries, Set<number>>();

/** One run per organization at a time. Errors are ignored: the next deep read will get them itself. */
export async function countInBackground(database: Database, organizationId: number): Promise<void> {
  const running = counting.get(database.lookup) ?? new Set();
  counting.set(database.lookup, running);
  if (running.has(organizationId)) return;
  running.add(organizationId);
  await countBlocks(database, organizationId).catch(() => {});
  running.delete(organizationId);
}
