import { sql } from 'kysely';
import { dialectOf } from '../../storage/dialect.ts';
import { hasRow, idsOf } from '../../storage/rows.ts';
import type { Queries } from '../../storage/schema.ts';
import type { CorrectionScope } from '../correction-scope.ts';
import { filteredRun, readRun } from '../visitors/visitor-runs.ts';
import type { StepOf, StepResult } from './step-result.ts';
import { correctOrganizationVisitors, type Days, lockVisitorDays, wholeDays } from './visitor-days.ts';

/** Each has some ten thousand visitors at most. */
const runsAtOnce = 8;
/** Combines the day and number of a run in one number. */
const perDay = 2 ** 31;

interface RunKey {
  readonly day: number;
  readonly id: number;
}

interface Run extends RunKey {
  readonly bytes: Buffer;
}

/**
 * Removes the visitors of whole days from the runs, on PostgreSQL, while no visitors of these days are counted. `cursor` is the
 * previous run. Afterwards all nodes reload the runs.
 */
export const eraseVisitorRuns: StepOf = async (queries, { scope, cursor, requestedAt }) => {
  if (!dialectOf(queries).partitions) return { cursor: null };
  const days = wholeDays(scope, requestedAt);
  const after = { day: Math.floor(cursor / perDay), id: cursor % perDay };
  await lockVisitorDays(queries, days);
  return scope.owner.kind === 'link'
    ? eraseFromNextDay(queries, scope, scope.owner.id, days, after)
    : eraseFromSomeRuns(queries, scope, days, after);
};

async function eraseFromSomeRuns(
  queries: Queries,
  scope: CorrectionScope,
  days: Days,
  after: RunKey,
): Promise<StepResult> {
  const runs = await runsAfter(queries, days, after);
  for (const run of runs) {
    const erased = await ownersIn(queries, scope, run.bytes);
    if (erased.size > 0) await replaceRun(queries, run, (owner) => !erased.has(owner));
  }
  const last = runs.at(-1);
  if (last !== undefined && runs.length === runsAtOnce) return { cursor: last.day * perDay + last.id };
  await reloadRuns(queries, days);
  return { cursor: null };
}

/**
 * A whole day, so that its other links are known: those of the link's visitors who came to no other one are removed from the
 * organization too. All owners of a visitor belong to one organization (`visitorHash`).
 */
async function eraseFromNextDay(
  queries: Queries,
  { organizationId }: CorrectionScope,
  link: number,
  days: Days,
  after: RunKey,
): Promise<StepResult> {
  const [next] = await runsAfter(queries, days, after, 1);
  if (next === undefined) return { cursor: null };
  const { day } = next;
  const erased = await visitorsOfLink(queries, day, link);
  if (erased.size > 0) {
    // Beyond what fits into runs, a day has visitors in rows as well: then its organizations keep theirs.
    const isComplete = !(await hasRows(queries, day));
    const lost = isComplete ? await withoutOtherLinks(queries, day, link, erased) : new Set<number>();
    let left = 0;
    for await (const run of runsOf(queries, day)) {
      const remaining = await replaceRun(queries, run, (owner, visitor) =>
        owner === -organizationId ? !lost.has(visitor) : owner !== link,
      );
      readRun(remaining, (owner, visitors) => {
        if (owner === -organizationId) left += visitors.length;
      });
    }
    const facts = { lost: lost.size, kept: erased.size - lost.size, left };
    if (isComplete) await correctOrganizationVisitors(queries, organizationId, link, day, facts);
    await reloadRuns(queries, { from: day, to: day + 1 });
  }
  return { cursor: day * perDay + perDay - 1 };
}

async function visitorsOfLink(queries: Queries, day: number, link: number): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  for await (const { bytes } of runsOf(queries, day))
    readRun(bytes, (owner, visitors) => {
      if (owner === link) for (const visitor of visitors.all) found.add(visitor);
    });
  return found;
}

/** Those of the visitors who came to no other link. */
async function withoutOtherLinks(
  queries: Queries,
  day: number,
  link: number,
  visitors: ReadonlySet<number>,
): Promise<ReadonlySet<number>> {
  const only = new Set(visitors);
  for await (const { bytes } of runsOf(queries, day))
    readRun(bytes, (owner, ofOwner) => {
      if (owner > 0 && owner !== link) for (const visitor of ofOwner.all) only.delete(visitor);
    });
  return only;
}

const hasRows = (queries: Queries, day: number): Promise<boolean> =>
  hasRow(queries.selectFrom('daily_visitors').select('day').where('day', '=', day).limit(1));

async function* runsOf(queries: Queries, day: number): AsyncGenerator<Run, void, undefined> {
  for (let after = { day, id: -1 }; ; ) {
    const runs = await runsAfter(queries, { from: day, to: day + 1 }, after);
    yield* runs;
    const last = runs.at(-1);
    if (last === undefined || runs.length < runsAtOnce) return;
    after = last;
  }
}

async function runsAfter(
  queries: Queries,
  { from, to }: Days,
  after: RunKey,
  limit = runsAtOnce,
): Promise<readonly Run[]> {
  const runs = await queries
    .selectFrom('visitor_runs')
    .selectAll()
    .where('day', '>=', from)
    .where('day', '<', to)
    .where(sql<boolean>`(day, id) > (${after.day}::bigint, ${after.id}::bigint)`)
    .orderBy('day')
    .orderBy('id')
    .limit(limit)
    .execute();
  return runs.map(({ visitors, ...key }) => ({ ...key, bytes: Buffer.from(visitors) }));
}

/** Returns the remaining run; empty if no visitor is left. */
async function replaceRun(
  queries: Queries,
  { day, id, bytes }: Run,
  isKept: (owner: number, visitor: number) => boolean,
): Promise<Buffer> {
  const { run, removed } = filteredRun(bytes, isKept);
  if (removed === 0) return bytes;
  const isRun = sql`day = ${day} and id = ${id}`;
  if (run === null) await sql`delete from visitor_runs where ${isRun}`.execute(queries);
  else await sql`update visitor_runs set visitors = ${run} where ${isRun}`.execute(queries);
  return run ?? Buffer.alloc(0);
}

/** All nodes reload the runs of these days. */
async function reloadRuns(queries: Queries, { from, to }: Days): Promise<void> {
  await sql`update visitor_days set edition = edition + 1
    where day >= ${from} and day < ${to}`.execute(queries);
}

/** The organization, with those of its links that have visitors in this run, including deleted links. */
async function ownersIn(
  queries: Queries,
  { organizationId }: CorrectionScope,
  bytes: Buffer,
): Promise<ReadonlySet<number>> {
  const owners = new Set<number>();
  readRun(bytes, (one) => owners.add(one));
  const links = [...owners].filter((one) => one > 0);
  const { rows } = await sql<{ id: number }>`
    select id from links where organization_id = ${organizationId} and id = any (${links}::bigint[])
    union select id from link_bin where organization_id = ${organizationId} and id = any (${links}::bigint[])`.execute(
    queries,
  );
  return new Set([...(owners.has(-organizationId) ? [-organizationId] : []), ...idsOf(rows)]);
}
