import { reasonToStore } from '../../rules/reclassified.ts';
import { type CorrectionScope, isInScope } from '../correction-scope.ts';
import type { StoredHit } from '../ledger.ts';
import { RollUpDifference } from './roll-up-difference.ts';

/** Other nodes may have reserved up to this many ids before a search for hits; their hits appear after it. */
export const idsInFlight = 500_000;

export const withClass = (hit: StoredHit, newClass: number): StoredHit => ({
  ...hit,
  class: newClass,
  reason: reasonToStore(hit.reason, newClass),
});

/** The hits that are left, as they are after a correction. */
export const corrected = (scope: CorrectionScope, hits: readonly StoredHit[]): readonly StoredHit[] =>
  hits.flatMap((hit) => {
    if (!isInScope(scope, hit)) return [hit];
    return scope.change === null ? [] : [withClass(hit, scope.change.to)];
  });

/** How correcting these hits changes what was counted from them. */
export function differenceOf({ change }: CorrectionScope, hits: readonly StoredHit[]): RollUpDifference {
  const difference = new RollUpDifference();
  difference.count(hits, -1);
  if (change !== null)
    difference.count(
      hits.map((hit) => withClass(hit, change.to)),
      1,
    );
  return difference;
}
