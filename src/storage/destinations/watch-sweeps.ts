import { hasRow } from '../rows.ts';
import type { Queries } from '../schema.ts';

/** Claims the due sweep for one node; false if none is due, or another node has claimed it. */
export const beginSweep = (
  queries: Queries,
  claim: { readonly now: number; readonly finishedBefore: number; readonly until: number },
): Promise<boolean> =>
  hasRow(
    queries
      .updateTable('watch_sweeps')
      .set({ claimed_until: claim.until })
      .where('claimed_until', '<=', claim.now)
      .where('finished_at', '<=', claim.finishedBefore)
      .returning('finished_at'),
  );

export const isSweepDue = (queries: Queries, now: number, finishedBefore: number): Promise<boolean> =>
  hasRow(
    queries
      .selectFrom('watch_sweeps')
      .select('finished_at')
      .where('claimed_until', '<=', now)
      .where('finished_at', '<=', finishedBefore),
  );

/** Claims it for longer; or leaves it with 0: if a node stops before its end, another one starts it again. */
export async function continueSweep(queries: Queries, until: number): Promise<void> {
  await queries.updateTable('watch_sweeps').set({ claimed_until: until }).execute();
}

export async function endSweep(queries: Queries, now: number): Promise<void> {
  await queries.updateTable('watch_sweeps').set({ claimed_until: 0, finished_at: now }).execute();
}
