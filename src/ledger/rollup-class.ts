import { sql } from 'kysely';

/** `rollupClassOf` of `rules/click-fields.ts`, in SQL. */
export const rollupClass = sql<number>`case when class > 0 then class + 1 when outcome = 0 then 0 else 1 end`;
