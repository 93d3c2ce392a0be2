import { hasRow } from './rows.ts';
import type { Queries } from './schema.ts';

/** False if the challenge was used before, on any node. */
export const useChallenge = (queries: Queries, id: string, expiresAt: number): Promise<boolean> =>
  hasRow(
    queries
      .insertInto('used_challenges')
      .values({ id, expires_at: expiresAt })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id'),
  );
