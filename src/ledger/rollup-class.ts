import { sql } from 'kysely';

/**
 * The roll-ups' class of a hit (`rules/click-fields.ts`): a human hit is a click if it was redirected, otherwise a page;
 * the other classes follow in the ledger's order.
 */
export const rollupClass = sql<number>`case when class > 0 then class + 1 when outcome = 0 then 0 else 1 end`;

/** The same for a hit in memory. */
export function rollupClassOf(ofClass: number, outcome: number): number {
  if (ofClass > 0) return ofClass + 1;
  return outcome === 0 ? 0 : 1;
}
