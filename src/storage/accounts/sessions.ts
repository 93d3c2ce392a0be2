import { type Insertable, type Selectable, sql } from 'kysely';
import type { Caller } from '../../rules/access.ts';
import { preparedRow } from '../prepared.ts';
import type { Queries, Schema } from '../schema.ts';

interface SessionOwner extends Omit<Caller, 'via'> {
  readonly renewedAt: number;
}

export async function insertSession(
  queries: Queries,
  session: Insertable<Schema['sessions']>,
): Promise<void> {
  await queries.insertInto('sessions').values(session).execute();
}

export const findSessionOwner = preparedRow<[hash: string, now: number], SessionOwner>((queries, hash, now) =>
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
    .compile(),
);

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
    // A renewal in the future was written by a clock that was ahead.
    .where(({ or, eb }) => or([eb('expires_at', '<', expiresAt), eb('renewed_at', '>', now)]))
    .execute();
}

export async function endSession(queries: Queries, hash: string): Promise<void> {
  await queries.deleteFrom('sessions').where('hash', '=', hash).execute();
}

/** The public id of a session: a part of its hash, too long to guess, and useless for signing in. */
const nameLength = 22;
const nameOfHash = sql<string>`substr(hash, 1, ${sql.lit(nameLength)})`;

export interface ShownSession
  extends Pick<Selectable<Schema['sessions']>, 'hash' | 'created_at' | 'renewed_at' | 'browser' | 'os'> {
  readonly name: string;
}

/** As many as a person could read. */
const maxShown = 200;

/** A user's active sessions, last used first. */
export const listSessions = (queries: Queries, userId: number, now: number): Promise<ShownSession[]> =>
  queries
    .selectFrom('sessions')
    .select(['hash', 'created_at', 'renewed_at', 'browser', 'os', nameOfHash.as('name')])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('renewed_at', 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('hash')
    .limit(maxShown)
    .execute();

/** Ends one session of a user; returns its hash, or null if there was none. */
export async function endSessionNamed(
  queries: Queries,
  userId: number,
  name: string,
): Promise<string | null> {
  const ended = await queries
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where(nameOfHash, '=', name)
    .returning('hash')
    .executeTakeFirst();
  return ended?.hash ?? null;
}

/** Ends all sessions of a user, except one. */
export async function endSessionsOf(
  queries: Queries,
  userId: number,
  exceptHash: string | null,
): Promise<void> {
  let ending = queries.deleteFrom('sessions').where('user_id', '=', userId);
  if (exceptHash !== null) ending = ending.where('hash', '!=', exceptHash);
  await ending.execute();
}
