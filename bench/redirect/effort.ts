export interface Effort {
  readonly isQuick: boolean;
  readonly rounds: number;
  /** Whole seconds: wrk takes no others. */
  readonly seconds: number;
  readonly links: number;
  readonly many: number;
  /** Visits to links that are in no cache. */
  readonly cold: number;
  readonly latencySeconds: number;
}

/** For figures worth keeping. */
export const whole: Effort = {
  isQuick: false,
  rounds: 7,
  seconds: 2,
  links: 1_000,
  many: 1_000_000,
  cold: 100_000,
  latencySeconds: 5,
};

/** To see that it works. */
export const glance: Effort = {
  isQuick: true,
  rounds: 2,
  seconds: 1,
  links: 1_000,
  many: 20_000,
  cold: 20_000,
  latencySeconds: 1,
};
