import type { Queries } from '../storage/schema.ts';

/** What a step has done, and from where the phase goes on; null when it is over. */
export interface StepResult {
  readonly place: number | null;
  readonly hits?: number;
  readonly notKept?: number;
  /** No hit up to this id is left. */
  readonly seenId?: number;
  /** Hits have come in meanwhile that are meant as well: they come first. */
  readonly isLate?: true;
}

/** Makes a step, inside of a transaction. */
export type Step = (queries: Queries) => Promise<StepResult>;
