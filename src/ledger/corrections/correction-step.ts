import { hourLength } from '../../rules/durations.ts';
import { moveCorrection, type StoredCorrection } from '../../storage/click-corrections.ts';
import type { Database } from '../../storage/database.ts';
import { dialectOf } from '../../storage/dialect.ts';
import { knowsAllHits } from '../../storage/moved-hits.ts';
import { requestWordSweep } from '../../storage/word-sweeps.ts';
import { type CorrectionScope, rollupClassesIn } from '../correction-scope.ts';
import { type Hours, totalOf } from '../counts/counts.ts';
import { externalHits } from '../external-hits.ts';
import { openTotals } from '../open-counts.ts';
import { openLedger } from '../open-ledger.ts';
import { finishPart, hasLaterExternalHits, stepOverExternalHits } from './correct-external-hits.ts';
import { correctPart, hasLaterHits, nextPart } from './correct-hits.ts';
import { deliveriesToErase } from './erase-deliveries.ts';
import { eraseLinkHours, eraseOrganizationHours, eraseOrganizationRollups } from './erase-hours.ts';
import { eraseVisitorRuns } from './erase-visitor-runs.ts';
import { eraseVisitors } from './erase-visitors.ts';
import { lastClicksToSet } from './last-clicks.ts';
import type { Step, StepOf, StepResult } from './step-result.ts';

/** Stored by index: new phases are added at the end. */
const phases = ['hits', 'deliveries', 'hours', 'rollups', 'visitors', 'last_clicks', 'visitor_runs'] as const;
type Phase = (typeof phases)[number];
const codeOf = (phase: Phase): number => phases.indexOf(phase);
/** The order of phases. */
const orders: Readonly<Record<'erase' | 'change', readonly Phase[]>> = {
  erase: ['hits', 'deliveries', 'hours', 'rollups', 'visitors', 'visitor_runs', 'last_clicks'],
  change: ['hits', 'last_clicks'],
};

export function scopeOf(correction: StoredCorrection): CorrectionScope {
  const { organization_id: organizationId, link_id, from_at, to_at, from_class, to_class } = correction;
  return {
    organizationId,
    owner:
      link_id === null
        ? { kind: 'organization', id: organizationId }
        : { kind: 'link', id: link_id, organizationId },
    from: from_at,
    to: to_at,
    change:
      from_class === null || to_class === null
        ? null
        : { from: from_class, to: to_class, isReversal: correction.way_back_of !== null },
  };
}

const hoursOf = ({ from, to }: CorrectionScope): Hours => ({
  from: from === null ? 0 : Math.ceil(from / hourLength),
  to: Math.floor(to / hourLength),
});

/** How a node holds a correction. */
export interface Claim {
  readonly now: () => number;
  /** Milliseconds after which others may assume that this node has failed. */
  readonly length: number;
}

/**
 * Makes one step of a correction in a transaction of its own, together with its new position: whenever the program ends, the next
 * step continues after the last complete one. Returns the updated correction, or null if another node made the step.
 */
export async function correctionStep(
  database: Database,
  correction: StoredCorrection,
  { now, length }: Claim,
): Promise<StoredCorrection | null> {
  const scope = scopeOf(correction);
  const phase = phases[correction.phase] ?? 'hits';
  const prepared = await preparedStep(database, correction, scope, phase);
  const execute = (step: Step) =>
    database.write(async (queries) => {
      const claimed = await moveCorrection(queries, correction, { due_at: now() + length });
      // While hits are being moved to another server, a correction in this database might miss some.
      if (claimed === undefined || !(await knowsAllHits({ ...database, read: queries }))) return null;
      const done = await step(queries);
      const moved = await moveCorrection(queries, correction, {
        hits: correction.hits + (done.hits ?? 0),
        not_kept: correction.not_kept + (done.notKept ?? 0),
        seen_id: done.seenId ?? correction.seen_id,
        ...progressAfter(done, scope, phase, now()),
      });
      if (moved?.finished_at && scope.change === null) await requestWordSweep(queries);
      return moved ?? null;
    });
  try {
    return await execute(prepared);
  } catch (cause) {
    if (!(cause instanceof LateHits)) throw cause;
    return execute(async () => ({ cursor: 0, isLate: true }));
  }
}

function progressAfter(
  { cursor, isLate }: StepResult,
  { change }: CorrectionScope,
  phase: Phase,
  now: number,
): Partial<StoredCorrection> {
  if (isLate) return { phase: codeOf('hits'), place: 0 };
  if (cursor !== null) return { place: cursor };
  const order = orders[change === null ? 'erase' : 'change'];
  const next = order[order.indexOf(phase) + 1];
  return next === undefined ? { due_at: null, finished_at: now } : { phase: codeOf(next), place: 0 };
}

/** Slow searches run before the step, outside its transaction. */
async function preparedStep(
  database: Database,
  { id, place: cursor, created_at, seen_id }: StoredCorrection,
  scope: CorrectionScope,
  phase: Phase,
): Promise<Step> {
  const external = externalHits(database);
  if (external !== null) await finishPart(database, external, scope, id);
  const input = { scope, hours: hoursOf(scope), cursor, requestedAt: created_at };
  const unlessLater = (step: StepOf): Step =>
    unlessLateHits(database, scope, seen_id, (queries) => step(queries, input));
  switch (phase) {
    case 'hits':
      if (external !== null) return stepOverExternalHits(database, external, scope, id, cursor);
      return stepOverHits(database, scope, cursor);
    case 'deliveries':
      return deliveriesToErase(database, scope, cursor);
    case 'hours':
      return unlessLater(scope.owner.kind === 'link' ? eraseLinkHours : eraseOrganizationHours);
    case 'rollups':
      return unlessLater(eraseOrganizationRollups);
    case 'visitors':
      return (queries) => eraseVisitors(queries, input);
    case 'visitor_runs':
      return (queries) => eraseVisitorRuns(queries, input);
    case 'last_clicks':
      return lastClicksStep(database, scope, cursor);
  }
}

/**
 * A step that is only correct if the scope has no hits left. Where other nodes write at the same time, no hit may be added during
 * the step either.
 */
function unlessLateHits(database: Database, scope: CorrectionScope, seenId: number, step: Step): Step {
  const external = externalHits(database);
  return async (queries) => {
    const isLate = () =>
      external === null
        ? hasLaterHits(database, queries, scope, seenId)
        : hasLaterExternalHits(external, scope, seenId);
    if (await isLate()) return { cursor: 0, isLate: true };
    const done = await step(queries);
    // The step has locked what it changed: hits that are not visible by now are counted after it.
    if (dialectOf(queries).locksRows && (await isLate())) throw new LateHits();
    return done;
  };
}

/** The step is rolled back, and the new hits are corrected first. */
class LateHits extends Error {
  override readonly name = 'LateHits';
}

async function stepOverHits(database: Database, scope: CorrectionScope, cursor: number): Promise<Step> {
  const seenId = await openLedger(database).newestId();
  let part = await nextPart(database, scope, cursor);
  while (!part.isLast && part.chunk === null && part.packs.length + part.rows.length === 0)
    part = await nextPart(database, scope, part.upTo);
  return async (queries) => ({
    hits: await correctPart(queries, scope, part),
    ...(part.isLast ? { cursor: null, seenId } : { cursor: part.upTo }),
  });
}

async function lastClicksStep(database: Database, scope: CorrectionScope, cursor: number): Promise<Step> {
  const notKept = cursor === 0 ? await leftInHours(database, scope) : 0;
  const setLastClicks = await lastClicksToSet(database, scope, cursor);
  return async (queries) => ({ ...(await setLastClicks(queries)), notKept });
}

/** The counts in whole hours whose hits no longer exist. */
async function leftInHours(database: Database, scope: CorrectionScope): Promise<number> {
  const { change, owner } = scope;
  const hours = hoursOf(scope);
  if (change === null || change.isReversal || hours.from >= hours.to) return 0;
  return totalOf(openTotals(database, owner, rollupClassesIn(scope)), hours);
}
