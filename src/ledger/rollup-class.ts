import { sql } from 'kysely';

/**
 * The class that roll-ups know a hit by (`ledger/codes.ts`): a person who was redirected is a click, one who wasn't met
 * a page, and the others follow in the ledger's order.
 */
export const rollupClass = sql<number>`case when class > 0 then class + 1 when outcome = 0 then 0 else 1 end`;

/** The same, of a hit that is at hand. */
export function rollupClassOf(ofClass: number, outcome: number): number {
  if (ofClass > 0) return ofClass + 1;
  return outcome === 0 ? 0 : 1;
}
