export interface Effort {
  readonly isQuick: boolean;
  readonly rounds: number;
  /** Whole seconds, as wrk requires. */
  readonly seconds: number;
  readonly links: number;
  readonly many: number;
  /** Visits to uncached links. */
  readonly cold: number;
  /** Seconds of visits in which the cache fills, before the rounds. */
  readonly fillSeconds: number;
  readonly latencySeconds: number;
}

/** For figures worth keeping. */
export const full: Effort = {
  isQuick: false,
  rounds: 7,
  seconds: 2,
  links: 1_000,
  many: 1_000_000,
  cold: 100_000,
  fillSeconds: 30,
  latencySeconds: 5,
};

/** For checking that the bench works. */
export const quick: Effort = {
  isQuick: true,
  rounds: 2,
  seconds: 1,
  links: 1_000,
  many: 20_000,
  cold: 20_000,
  fillSeconds: 1,
  latencySeconds: 1,
};
