import { sql } from 'kysely';
import { dialectOf } from '../../storage/dialect.ts';
import type { Queries } from '../../storage/schema.ts';
import type { CorrectionScope } from '../correction-scope.ts';
import { readRun, runWithout } from '../visitors/visitor-runs.ts';
import { wholeDays } from './erase-visitors.ts';
import type { StepOf } from './step-result.ts';

/** Each has some ten thousand visitors at most. */
const runsAtOnce = 8;
/** Combines the day and number of a run in one number. */
const perDay = 2 ** 31;

/**
 * Removes the visitors of whole days from the runs, on PostgreSQL, while no visitors of these days are counted. `cursor` is the
 * previous run. After the last one, all nodes reload the runs.
 */
export const eraseVisitorRuns: StepOf = async (queries, { scope, cursor, requestedAt }) => {
  if (!dialectOf(queries).partitions) return { cursor: null };
  const days = wholeDays(scope, requestedAt);
  await sql`select from visitor_days where day >= ${days.from} and day < ${days.to}
    order by day for no key update`.execute(queries);
  const runs = await queries
    .selectFrom('visitor_runs')
    .selectAll()
    .where('day', '>=', days.from)
    .where('day', '<', days.to)
    .where(sql<boolean>`(day, id) > (${Math.floor(cursor / perDay)}::bigint, ${cursor % perDay}::bigint)`)
    .orderBy('day')
    .orderBy('id')
    .limit(runsAtOnce)
    .execute();
  for (const { day, id, visitors } of runs) {
    const bytes = Buffer.from(visitors);
    const erased = await ownersIn(queries, scope, bytes);
    if (erased.size === 0) continue;
    const left = runWithout(bytes, erased);
    const run = { day, id };
    if (left === null) await sql`delete from visitor_runs where ${isRun(run)}`.execute(queries);
    else await sql`update visitor_runs set visitors = ${left} where ${isRun(run)}`.execute(queries);
  }
  const last = runs.at(-1);
  if (last !== undefined && runs.length === runsAtOnce) return { cursor: last.day * perDay + last.id };
  await sql`update visitor_days set edition = edition + 1
    where day >= ${days.from} and day < ${days.to}`.execute(queries);
  return { cursor: null };
};

const isRun = ({ day, id }: { readonly day: number; readonly id: number }) =>
  sql`day = ${day} and id = ${id}`;

/** The link, or the organization with those of its links that have visitors in this run, including deleted links. */
async function ownersIn(
  queries: Queries,
  { owner, organizationId }: CorrectionScope,
  bytes: Buffer,
): Promise<ReadonlySet<number>> {
  const owners = new Set<number>();
  readRun(bytes, (one) => owners.add(one));
  if (owner.kind === 'link') return new Set(owners.has(owner.id) ? [owner.id] : []);
  const links = [...owners].filter((one) => one > 0);
  const { rows } = await sql<{ id: number }>`
    select id from links where organization_id = ${organizationId} and id = any (${links}::bigint[])
    union select id from link_bin where organization_id = ${organizationId} and id = any (${links}::bigint[])`.execute(
    queries,
  );
  const own = rows.map(({ id }) => Number(id));
  return new Set(owners.has(-organizationId) ? [-organizationId, ...own] : own);
}
