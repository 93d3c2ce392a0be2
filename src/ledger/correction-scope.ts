import { rollupClassOf } from '../rules/click-fields.ts';
import { classBefore } from '../rules/reclassified.ts';
import type { HitFilter, Owner, StoredHit } from './ledger.ts';

/** Another class for hits, as codes of the ledger. */
interface ClassChange {
  readonly from: number;
  readonly to: number;
  /** Only hits that a person has moved out of `to`. */
  readonly isWayBack: boolean;
}

/** Which hits a correction is about, and what becomes of them: without a change of class they are erased. */
export interface CorrectionScope {
  readonly organizationId: number;
  readonly owner: Owner;
  /** Null: from the first on. */
  readonly from: number | null;
  /** The first instant that is no longer in it. */
  readonly to: number;
  readonly change: ClassChange | null;
}

/** Of hits that are no clicks, the outcome tells nothing here. */
const redirect = 0;
const otherOutcome = 1;

/** The roll-ups' classes of the hits whose class is changed; undefined: all classes. */
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

export const isMeant = (
  { organizationId, owner, from, to, change }: CorrectionScope,
  hit: Pick<StoredHit, 'organization_id' | 'link_id' | 'at' | 'class' | 'reason'>,
): boolean =>
  hit.organization_id === organizationId &&
  (owner.kind === 'organization' || hit.link_id === owner.id) &&
  hit.at >= (from ?? Number.NEGATIVE_INFINITY) &&
  hit.at < to &&
  (change === null ||
    (hit.class === change.from && (!change.isWayBack || classBefore(hit.reason) === change.to)));
