import { randomUUID } from 'node:crypto';
import { isBefore } from '../../journal/files.ts';
import type { Database } from '../../storage/database.ts';
import { allWatermarks, lockWatermarks } from '../../storage/journal-watermarks.ts';
import { idsOf } from '../../storage/rows.ts';
import type { Queries } from '../../storage/schema.ts';
import { deleteSetting, findSetting, replaceSetting } from '../../storage/settings.ts';
import type { CorrectionScope } from '../correction-scope.ts';
import type { ExternalHits, UncountedBatch } from '../external-hits.ts';
import { changeTotals } from './change-totals.ts';
import { differenceOf, idsInFlight } from './corrected-hits.ts';
import type { Step } from './step-result.ts';

/** The setting with the name of a part whose totals have been corrected, but whose hits have not. */
const keyOf = (correction: number): string => `correction_part_${correction}`;

/**
 * A step of a correction of hits on another server. The transaction corrects the totals and notes the part whose hits follow:
 * every further step, on any node, first corrects those hits, however the last step ended.
 */
export async function stepOverExternalHits(
  database: Database,
  hits: ExternalHits,
  scope: CorrectionScope,
  correction: number,
  cursor: number,
): Promise<Step> {
  const seenId = await hits.ledger.newestId();
  const before = await uncountedNow(database, hits);
  const found = await hits.inScope(scope, cursor, hits.partLength);
  const last = found.at(-1);
  if (last === undefined) {
    await hits.finishCorrection();
    await hits.forgetParts(correction);
    return async () => ({ cursor: null, seenId });
  }
  // Another node may be at the same step.
  const part = `${correction} ${randomUUID()}`;
  await hits.keepPart(part, idsOf(found));
  const possiblyUncounted = [...before, ...(await uncountedNow(database, hits))];
  return async (queries: Queries) => {
    const uncounted = await stillUncounted(queries, possiblyUncounted);
    // Uncounted hits are deleted as well: they are the remains of a failed attempt, and are inserted again by the next one.
    const counted = found.filter(
      ({ id }) => !uncounted.some(({ firstId, lastId }) => firstId <= id && id <= lastId),
    );
    await changeTotals(queries, differenceOf(scope, counted));
    await replaceSetting(queries, keyOf(correction), part);
    return { hits: counted.length, cursor: last.id };
  };
}

const uncountedNow = async ({ read }: Database, hits: ExternalHits): Promise<readonly UncountedBatch[]> =>
  hits.uncounted(await allWatermarks(read), Date.now());

/** Waits for folds that are about to count one of these batches: they hold the lock of its watermark. */
async function stillUncounted(
  queries: Queries,
  batches: readonly UncountedBatch[],
): Promise<readonly UncountedBatch[]> {
  const marks = await lockWatermarks(queries, new Set(batches.map(({ journal }) => journal)));
  return batches.filter(({ journal, segment, offset }) => {
    const mark = marks.get(journal);
    return mark === undefined || !isBefore({ segment, offset }, mark);
  });
}

/** Corrects the hits whose totals were corrected before. */
export async function finishPart(
  database: Database,
  hits: ExternalHits,
  scope: CorrectionScope,
  correction: number,
): Promise<void> {
  const part = await findSetting(database.read, keyOf(correction));
  if (part === null) return;
  await hits.correctPart(part, scope);
  await database.write((queries) => deleteSetting(queries, keyOf(correction)));
}

export const hasLaterExternalHits = async (
  hits: ExternalHits,
  scope: CorrectionScope,
  seenId: number,
): Promise<boolean> => (await hits.inScope(scope, Math.max(0, seenId - idsInFlight), 1)).length > 0;
