import { rollupClassOf } from '../rules/click-fields.ts';
import { classBefore } from '../rules/reclassified.ts';
import type { HitFilter, Owner, StoredHit } from './ledger.ts';

/** A change of class, as codes of the ledger. */
interface ClassChange {
  readonly from: number;
  readonly to: number;
  /** Only hits that a person has moved out of `to`. */
  readonly isReversal: boolean;
}

/** The hits that a correction applies to, and their new class; without one they are erased. */
export interface CorrectionScope {
  readonly organizationId: number;
  readonly owner: Owner;
  /** Null: from the first hit on. */
  readonly from: number | null;
  /** The first instant that is not included. */
  readonly to: number;
  readonly change: ClassChange | null;
}

/** The outcomes that `rollupClassOf` tells apart; it ignores them for other classes than `human`. */
const redirect = 0;
const otherOutcome = 1;

/** The roll-ups' classes of the hits whose class changes; undefined: all classes. */
export const rollupClassesIn = ({ change }: CorrectionScope): readonly number[] | undefined =>
  change === null
    ? undefined
    : [...new Set([redirect, otherOutcome].map((outcome) => rollupClassOf(change.from, outcome)))];

export const filterOf = (scope: CorrectionScope): HitFilter => ({
  owner: scope.owner,
  classes: rollupClassesIn(scope),
  from: scope.from ?? undefined,
  to: scope.to,
});

export const isInScope = (
  { organizationId, owner, from, to, change }: CorrectionScope,
  hit: Pick<StoredHit, 'organization_id' | 'link_id' | 'at' | 'class' | 'reason'>,
): boolean =>
  hit.organization_id === organizationId &&
  (owner.kind === 'organization' || hit.link_id === owner.id) &&
  hit.at >= (from ?? Number.NEGATIVE_INFINITY) &&
  hit.at < to &&
  (change === null ||
    (hit.class === change.from && (!change.isReversal || classBefore(hit.reason) === change.to)));
