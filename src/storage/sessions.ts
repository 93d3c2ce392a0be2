import type { Insertable } from 'kysely';
import type { Caller } from '../rules/access.ts';
import type { Queries, Schema } from './schema.ts';

export interface SessionHolder extends Caller {
  readonly renewedAt: number;
}

export async function insertSession(
  queries: Queries,
  session: Insertable<Schema['sessions']>,
): Promise<void> {
  await queries.insertInto('sessions').values(session).execute();
}

export const findSessionHolder = (
  queries: Queries,
  hash: string,
  now: number,
): Promise<SessionHolder | undefined> =>
  queries
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'users.id as userId',
      'users.organization_id as organizationId',
      'users.role as role',
      'sessions.renewed_at as renewedAt',
    ])
    .where('sessions.hash', '=', hash)
    .where('sessions.expires_at', '>', now)
    .executeTakeFirst();

export async function renewSession(
  queries: Queries,
  hash: string,
  now: number,
  expiresAt: number,
): Promise<void> {
  await queries
    .updateTable('sessions')
    .set({ renewed_at: now, expires_at: expiresAt })
    .where('hash', '=', hash)
    .where('expires_at', '<', expiresAt)
    .execute();
}

export async function endSession(queries: Queries, hash: string): Promise<void> {
  await queries.deleteFrom('sessions').where('hash', '=', hash).execute();
}

/** All sessions of a user, save one. */
export async function endSessionsOf(queries: Queries, userId: number, spared: string | null): Promise<void> {
  let ending = queries.deleteFrom('sessions').where('user_id', '=', userId);
  if (spared !== null) ending = ending.where('hash', '!=', spared);
  await ending.execute();
}

export async function deleteExpiredSessions(queries: Queries, now: number): Promise<void> {
  await queries.deleteFrom('sessions').where('expires_at', '<=', now).execute();
}
