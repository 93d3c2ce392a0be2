import { sql } from 'kysely';
import type { Queries } from './schema.ts';
import { hasNoTimeline, timelineSql } from './timeline-sql.ts';

export interface DatabaseTimeline {
  /** Differs between stores, and between a store and what it was restored to by the log; null if the database can't report it. */
  readonly timeline: string | null;
  /** When the server started: files that were copied back have the same timeline, but not under a running server. */
  readonly started: string | null;
}

export const noTimeline: DatabaseTimeline = { timeline: null, started: null };

const withoutTimeline = new WeakSet<Queries>();

export async function databaseTimeline(queries: Queries): Promise<DatabaseTimeline> {
  if (withoutTimeline.has(queries)) return noTimeline;
  try {
    const { rows } = await sql.raw<DatabaseTimeline>(timelineSql).execute(queries);
    return rows[0] ?? noTimeline;
  } catch (cause) {
    if (!hasNoTimeline(cause)) throw cause;
    withoutTimeline.add(queries);
    return noTimeline;
  }
}
