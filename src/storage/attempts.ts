import { sql } from 'kysely';
import type { Queries } from './schema.ts';

/** Counts one attempt and tells how many there are in its window, this one included, and when the window ends. */
export async function countAttempt(
  queries: Queries,
  key: string,
  now: number,
  windowLength: number,
): Promise<{ readonly count: number; readonly windowEndsAt: number }> {
  const row = await queries
    .insertInto('attempts')
    .values({ key, count: 1, window_ends_at: now + windowLength })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql<number>`case when attempts.window_ends_at <= ${now} then 1 else attempts.count + 1 end`,
        window_ends_at: sql<number>`case when attempts.window_ends_at <= ${now} then ${now + windowLength} else attempts.window_ends_at end`,
      }),
    )
    .returning(['count', 'window_ends_at'])
    .executeTakeFirstOrThrow();
  return { count: row.count, windowEndsAt: row.window_ends_at };
}

/** Takes an attempt back: it was right, and right ones are not what is limited. */
export async function forgiveAttempt(queries: Queries, key: string): Promise<void> {
  await queries
    .updateTable('attempts')
    .set({ count: sql<number>`count - 1` })
    .where('key', '=', key)
    .where('count', '>', 0)
    .execute();
}

export async function deleteOldAttempts(queries: Queries, now: number): Promise<void> {
  await queries.deleteFrom('attempts').where('window_ends_at', '<=', now).execute();
}
