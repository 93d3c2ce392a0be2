import { hasRow } from './rows.ts';
import type { Queries } from './schema.ts';

/** Whether the database has hits, in rows or packs. */
export const hasHits = async (queries: Queries): Promise<boolean> =>
  (await hasRow(queries.selectFrom('hits').select('id').limit(1))) ||
  hasRow(queries.selectFrom('hit_packs').select('id').limit(1));
