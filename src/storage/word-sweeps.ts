import { sql } from 'kysely';
import { dayLength } from '../rules/durations.ts';
import { dialectOf } from './dialect.ts';
import { preparedHasRow } from './prepared.ts';
import { idsOf } from './rows.ts';
import type { Queries } from './schema.ts';
import { wordSweepLock } from './word-sweep-lock.ts';

/** Retention deletes clicks all the time: their words are deleted once a day. */
const interval = dayLength;

export const requestWordSweep = async (queries: Queries): Promise<void> => {
  await queries.updateTable('word_sweeps').set({ wanted: 1 }).execute();
};

/** `dayAgo` is an interval before `now`. */
const dueAt = (queries: Queries, now: number, dayAgo: number) =>
  queries
    .selectFrom('word_sweeps')
    .select('sweep')
    .where('claimed_until', '<=', now)
    .where((row) =>
      row.or([row('wanted', '=', 1), row('claimed_until', '>', 0), row('finished_at', '<=', dayAgo)]),
    );

export const isWordSweepDue = (queries: Queries, now: number): Promise<boolean> =>
  hasDue(queries, now, now - interval);

const hasDue = preparedHasRow((queries, now: number, dayAgo: number) =>
  dueAt(queries, now, dayAgo).compile(),
);

/** Begins the due sweep, and returns its number; null if none is due, or another node has begun it. */
export async function beginWordSweep(queries: Queries, now: number, until: number): Promise<number | null> {
  if (dialectOf(queries).locksRows)
    await sql`select pg_advisory_xact_lock(${sql.lit(wordSweepLock)})`.execute(queries);
  const [due] = await dueAt(queries, now, now - interval).execute();
  if (due === undefined) return null;
  const sweep = due.sweep + 1;
  await queries.updateTable('word_sweeps').set({ sweep, wanted: 0, claimed_until: until }).execute();
  return sweep;
}

/** Another node may have assumed that this one stopped, and begun the next sweep. */
export const claimWordSweep = async (queries: Queries, sweep: number, until: number): Promise<void> => {
  await queries.updateTable('word_sweeps').set({ claimed_until: until }).where('sweep', '=', sweep).execute();
};

export const finishWordSweep = async (queries: Queries, sweep: number, now: number): Promise<void> => {
  await queries
    .updateTable('word_sweeps')
    .set({ claimed_until: 0, finished_at: now })
    .where('sweep', '=', sweep)
    .execute();
};

/** Words that no fold has fetched since a sweep began, by id. */
export async function wordsBefore(
  queries: Queries,
  sweep: number,
  after: number,
  limit: number,
): Promise<number[]> {
  const unused = queries.selectFrom('words').select('id').where('id', '>', after).where('sweep', '<', sweep);
  return idsOf(await unused.orderBy('id').limit(limit).execute());
}

/** A word that a fold is fetching at this moment stays: neither waits for the other. */
export async function deleteWords(queries: Queries, sweep: number, ids: readonly number[]): Promise<void> {
  const unused = queries.selectFrom('words').select('id').where('id', 'in', ids).where('sweep', '<', sweep);
  await queries.deleteFrom('words').where('id', 'in', unused.forUpdate().skipLocked()).execute();
}
