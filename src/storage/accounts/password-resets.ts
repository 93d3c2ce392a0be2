import type { Insertable } from 'kysely';
import { hasRow, insertRow } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';

export const insertReset = (
  queries: Queries,
  reset: Insertable<Schema['password_resets']>,
): Promise<number> => insertRow(queries, 'password_resets', reset);

/** The user whose password it resets. */
export async function findResetOwner(
  queries: Queries,
  tokenHash: string,
  now: number,
): Promise<number | undefined> {
  const row = await queries
    .selectFrom('password_resets')
    .select('user_id')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.user_id;
}

/** Deletes it as it reads it, so that it can be used once. */
export const takeReset = (queries: Queries, tokenHash: string, now: number): Promise<boolean> =>
  hasRow(
    queries
      .deleteFrom('password_resets')
      .where('token_hash', '=', tokenHash)
      .where('expires_at', '>', now)
      .returning('id'),
  );

export async function deleteReset(queries: Queries, id: number): Promise<void> {
  await queries.deleteFrom('password_resets').where('id', '=', id).execute();
}

export async function deleteResetsBefore(queries: Queries, userId: number, id: number): Promise<void> {
  await queries.deleteFrom('password_resets').where('user_id', '=', userId).where('id', '<', id).execute();
}

export async function deleteResetsOf(queries: Queries, userId: number): Promise<void> {
  await queries.deleteFrom('password_resets').where('user_id', '=', userId).execute();
}
