import { deleteResetsOf } from '../storage/password-resets.ts';
import type { Queries } from '../storage/schema.ts';
import { endSessionsOf } from '../storage/sessions.ts';
import { endFamiliesOf } from '../storage/tokens.ts';

/**
 * All that the old password let in, in the transaction that replaces it: sessions (save one), token pairs, and links
 * that would set another password. API keys stay: they are revoked one by one, as other programs depend on them.
 */
export async function endSignIns(
  queries: Queries,
  userId: number,
  now: number,
  sparedSession: string | null = null,
): Promise<void> {
  await endSessionsOf(queries, userId, sparedSession);
  await endFamiliesOf(queries, userId, now);
  await deleteResetsOf(queries, userId);
}
