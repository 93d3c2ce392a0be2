import { digest } from '../auth/secrets.ts';
import type { Caller } from '../rules/access.ts';
import { endSession, endSessionsOf } from '../storage/sessions.ts';
import { endFamiliesOf } from '../storage/tokens.ts';
import type { Context } from './context.ts';

export const signOut = (context: Context, session: string): Promise<void> =>
  context.database.write((queries) => endSession(queries, digest(session)));

/** Every session and token pair of the user; API keys are revoked one by one, as other programs depend on them. */
export const signOutEverywhere = (context: Context, { userId }: Caller): Promise<void> =>
  context.database.write(async (queries) => {
    await endSessionsOf(queries, userId, null);
    await endFamiliesOf(queries, userId, context.now());
  });
