import { classBefore } from '../../rules/reclassified.ts';
import type { StoredCorrection } from '../../storage/click-corrections.ts';
import type { Database } from '../../storage/database.ts';
import { filterOf } from '../correction-scope.ts';
import { openLedger } from '../open-ledger.ts';
import { scopeOf } from './correction-step.ts';

/** Milliseconds and hits that are searched. */
const searchTime = 200;
const maxSearched = 1_000;

/**
 * Whether some of the hits that a correction moved, or that have its new class by another one, had neither of its classes at first:
 * taking it back would leave these as they are.
 */
export async function haveOtherFirstClass(
  database: Database,
  correction: StoredCorrection,
): Promise<boolean> {
  const { from_class, to_class, id } = correction;
  const wayBack = scopeOf({ ...correction, from_class: to_class, to_class: from_class, way_back_of: id });
  const until = performance.now() + searchTime;
  const page = { before: undefined, limit: maxSearched, offset: 0, until };
  const { hits } = await openLedger(database).before(filterOf(wayBack), page);
  return hits.some(({ reason }) => ![null, from_class].includes(classBefore(reason)));
}
