const minDelay = 100;
const maxDelay = 5_000;
const maxDelayAlone = 250;

export interface EndedWorker {
  /** How many times in a row it has ended soon after its start. */
  readonly failures: number;
  /** Whether it has ever served. */
  readonly hasServed: boolean;
  /** Whether no other worker serves, or is about to. */
  readonly isLast: boolean;
}

/**
 * Milliseconds before a worker is restarted. The last one is restarted at once, because every visitor is refused until then. One
 * that could not start may be able to a moment later, so it never waits long while it is the only one.
 */
export function restartDelay({ failures, hasServed, isLast }: EndedWorker): number {
  if (isLast && hasServed) return 0;
  return Math.min(minDelay * 2 ** failures, isLast ? maxDelayAlone : maxDelay);
}
