import type { Queries } from '../../storage/schema.ts';
import type { CorrectionScope } from '../correction-scope.ts';
import type { Hours } from '../counts/counts.ts';

/** What a step has done, and where the phase continues; null if it is over. */
export interface StepResult {
  readonly cursor: number | null;
  readonly hits?: number;
  readonly notKept?: number;
  /** No hit up to this id is left. */
  readonly seenId?: number;
  /** Further matching hits were added meanwhile: they are corrected first. */
  readonly isLate?: true;
}

/** What a step is about. */
export interface StepInput {
  readonly scope: CorrectionScope;
  /** The whole hours in the scope: partial hours keep the counts of their other hits. */
  readonly hours: Hours;
  /** Where the last step of this phase ended. */
  readonly cursor: number;
  readonly requestedAt: number;
}

/** Makes a step, inside a transaction. */
export type Step = (queries: Queries) => Promise<StepResult>;
export type StepOf = (queries: Queries, input: StepInput) => Promise<StepResult>;
