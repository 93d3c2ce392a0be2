import type { SQL } from 'bun';
import { readRun } from '../../src/ledger/visitors/visitor-runs.ts';
import { dialectOf } from '../../src/storage/dialect.ts';
import type { Queries } from '../../src/storage/schema.ts';

interface Visit {
  readonly day: number;
  readonly owner: number;
  readonly visitor: number;
}

/** The visitors of each day: rows and, on PostgreSQL, runs of many. */
export async function visitorsIn(queries: Queries): Promise<readonly Visit[]> {
  const rows = await queries.selectFrom('daily_visitors').selectAll().execute();
  if (!dialectOf(queries).partitions) return rows;
  return [...rows, ...inRuns(await queries.selectFrom('visitor_runs').selectAll().execute())];
}

/** The same, from a PostgreSQL database. */
export async function visitorsOn(sql: SQL): Promise<readonly Visit[]> {
  const rows = (await sql`select day, owner, visitor from daily_visitors`) as Record<keyof Visit, string>[];
  const ofRows = rows.map(({ day, owner, visitor }) => ({
    day: Number(day),
    owner: Number(owner),
    visitor: Number(visitor),
  }));
  return [...ofRows, ...inRuns(await sql`select day, visitors from visitor_runs order by day, id`)];
}

function inRuns(runs: readonly { readonly day: number | string; readonly visitors: Uint8Array }[]): Visit[] {
  const visits: Visit[] = [];
  for (const { day, visitors } of runs)
    readRun(Buffer.from(visitors), (owner, all) => {
      for (const visitor of all.all) visits.push({ day: Number(day), owner, visitor });
    });
  return visits;
}
