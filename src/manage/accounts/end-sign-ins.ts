import { deleteResetsOf } from '../../storage/accounts/password-resets.ts';
import { endSessionsOf } from '../../storage/accounts/sessions.ts';
import { endFamilies } from '../../storage/accounts/tokens.ts';
import type { Queries } from '../../storage/schema.ts';

/**
 * Ends every session (except one) and token pair of a user. API keys are revoked one by one, because other programs depend on
 * them.
 */
export async function endSessions(
  queries: Queries,
  userId: number,
  now: number,
  keptSession: string | null = null,
): Promise<void> {
  await endSessionsOf(queries, userId, keptSession);
  await endFamilies(queries, 'user_id', userId, now);
}

/** The same in the transaction that replaces a password, together with mailed links that would set another one. */
export async function endSignIns(
  queries: Queries,
  userId: number,
  now: number,
  keptSession: string | null = null,
): Promise<void> {
  await endSessions(queries, userId, now, keptSession);
  await deleteResetsOf(queries, userId);
}
