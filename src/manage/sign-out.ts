import { digest } from '../auth/secrets.ts';
import type { Caller } from '../rules/access.ts';
import { endSession } from '../storage/sessions.ts';
import type { Context } from './context.ts';
import { endSessions } from './end-sign-ins.ts';

export const signOut = (context: Context, session: string): Promise<void> =>
  context.database.write((queries) => endSession(queries, digest(session)));

export const signOutEverywhere = (context: Context, { userId }: Caller): Promise<void> =>
  context.database.write((queries) => endSessions(queries, userId, context.now()));
