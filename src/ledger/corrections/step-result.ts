import type { Queries } from '../../storage/schema.ts';

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

/** Makes a step, inside a transaction. */
export type Step = (queries: Queries) => Promise<StepResult>;
