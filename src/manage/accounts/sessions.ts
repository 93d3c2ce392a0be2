import { digest } from '../../auth/secrets.ts';
import type { Caller } from '../../rules/access.ts';
import { Refusal } from '../../rules/errors.ts';
import {
  endSession,
  endSessionNamed,
  listSessions,
  type ShownSession,
} from '../../storage/accounts/sessions.ts';
import type { Context } from '../context.ts';
import { endSessions } from './end-sign-ins.ts';

export interface OwnSession extends ShownSession {
  /** The session that makes this call. */
  readonly isCurrent: boolean;
}

/** The user's browser sessions. `current` is the value of the calling browser's cookie, if it sent one. */
export async function readSessions(
  { database, now }: Pick<Context, 'database' | 'now'>,
  { userId }: Caller,
  current: string | null,
): Promise<readonly OwnSession[]> {
  const hash = current === null ? null : digest(current);
  const sessions = await listSessions(database.read, userId, now());
  return sessions.map((session) => ({ ...session, isCurrent: session.hash === hash }));
}

/** Ends one of the user's sessions; true if it was the one that makes this call. */
export async function endOwnSession(
  { database }: Pick<Context, 'database'>,
  { userId }: Caller,
  name: string,
  current: string | null,
): Promise<boolean> {
  const ended = /^[\w-]{22}$/.test(name)
    ? await database.write((queries) => endSessionNamed(queries, userId, name))
    : null;
  if (ended === null)
    throw new Refusal(
      'NOT_FOUND',
      'You have no such session. It may have ended by itself, or by a sign-out.',
    );
  return current !== null && ended === digest(current);
}

export const signOut = (context: Context, session: string): Promise<void> =>
  context.database.write((queries) => endSession(queries, digest(session)));

export const signOutEverywhere = (context: Context, { userId }: Caller): Promise<void> =>
  context.database.write((queries) => endSessions(queries, userId, context.now()));
