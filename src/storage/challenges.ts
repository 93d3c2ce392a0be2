import type { Queries } from './schema.ts';

/** False when the challenge was used before, on whichever node. */
export async function useChallenge(queries: Queries, id: string, expiresAt: number): Promise<boolean> {
  const row = await queries
    .insertInto('used_challenges')
    .values({ id, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteOldChallenges(queries: Queries, now: number): Promise<void> {
  await queries.deleteFrom('used_challenges').where('expires_at', '<=', now).execute();
}
