import { sql } from 'kysely';
import { minuteLength } from '../../rules/durations.ts';
import { hasRow } from '../rows.ts';
import type { Queries } from '../schema.ts';

export interface Window {
  readonly key: string;
  /** How long attempts are counted together, in milliseconds. */
  readonly window: number;
}

export interface AttemptCount {
  readonly count: number;
  readonly windowEndsAt: number;
}

/** In milliseconds: the times of simultaneous calls differ by less, on all nodes. */
const allowedDifference = 5 * minuteLength;

/**
 * Counts one attempt under each key and returns how many there are in its window, this one included, and when the window ends.
 * Always in key order: two transactions with common keys wait for each other and never deadlock.
 */
export async function countAttempts(
  queries: Queries,
  windows: readonly Window[],
  now: number,
): Promise<ReadonlyMap<string, AttemptCount>> {
  const values = windows
    .map(({ key, window }) => ({ key, count: 1, window_ends_at: now + window }))
    .sort(byKey);
  // A window that ends later than a new one would began while the clock was ahead.
  const isOver = sql`attempts.window_ends_at <= ${now}
    or attempts.window_ends_at > excluded.window_ends_at + ${sql.lit(allowedDifference)}`;
  const rows = await queries
    .insertInto('attempts')
    .values(values)
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql<number>`case when ${isOver} then 1 else attempts.count + 1 end`,
        window_ends_at: sql<number>`case when ${isOver} then excluded.window_ends_at else attempts.window_ends_at end`,
      }),
    )
    .returning(['key', 'count', 'window_ends_at'])
    .execute();
  return new Map(rows.map((row) => [row.key, { count: row.count, windowEndsAt: row.window_ends_at }]));
}

/** Uncounts an attempt under each key: successful ones are not limited. In key order, as above. */
export async function withdrawAttempts(
  queries: Queries,
  keys: readonly string[],
  now: number,
): Promise<void> {
  await queries
    .insertInto('attempts')
    .values(keys.map((key) => ({ key, count: 0, window_ends_at: now })).sort(byKey))
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql<number>`case when attempts.count > 0 then attempts.count - 1 else 0 end`,
      }),
    )
    .execute();
}

const byKey = (one: { key: string }, other: { key: string }): number => (one.key < other.key ? -1 : 1);

/** Records a successful sign-in under a key for `window` milliseconds. */
export async function recordSignIn(queries: Queries, { key, window }: Window, now: number): Promise<void> {
  const window_ends_at = now + window;
  await queries
    .insertInto('attempts')
    .values({ key, count: 1, window_ends_at })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ window_ends_at }))
    .execute();
}

export const hasRecentSignIn = (queries: Queries, key: string, now: number): Promise<boolean> =>
  hasRow(
    queries.selectFrom('attempts').select('key').where('key', '=', key).where('window_ends_at', '>', now),
  );

export async function deleteOldAttempts(queries: Queries, now: number): Promise<void> {
  await queries.deleteFrom('attempts').where('window_ends_at', '<=', now).execute();
}
