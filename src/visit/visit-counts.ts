import type { Outcome } from '../rules/link-rules/resolve.ts';
import { Histogram } from '../structures/histogram.ts';

/** Outcomes of visits, as metrics count them. */
const visitOutcomes = [
  'redirect',
  'preview',
  'ask_password',
  'ask_captcha',
  'refused',
  'not_started',
  'expired',
  'no_link',
  'slowed_down',
  'unavailable',
] as const satisfies readonly (Outcome['kind'] | 'no_link' | 'slowed_down' | 'unavailable')[];

type VisitOutcome = (typeof visitOutcomes)[number];

const indexOf = Object.fromEntries(visitOutcomes.map((outcome, index) => [outcome, index])) as Record<
  VisitOutcome,
  number
>;

/** Milliseconds. Most answers take tens of microseconds; a lookup takes some milliseconds, a slow disk longer. */
const answerTimeBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000, 2_500];

/** Counts the visits of one thread. Every visit is counted, so a count is only an addition in memory. */
export class VisitCounts {
  readonly #outcomes = new Float64Array(visitOutcomes.length);
  /** From reading a request on the fast path to sending its answer, including the journal write. */
  readonly answerTimes = new Histogram(answerTimeBounds);
  #found = 0;
  #lookups = 0;

  answered(outcome: VisitOutcome): void {
    const index = indexOf[outcome];
    this.#outcomes[index] = (this.#outcomes[index] as number) + 1;
  }

  /** The address was cached, as a link or as a miss. */
  cacheHit(): void {
    this.#found += 1;
  }

  /** The address has to be looked up. A visit that waits for the lookup reads the cache again. */
  cacheMiss(waits: boolean): void {
    this.#lookups += 1;
    if (waits) this.#found -= 1;
  }

  outcomes(): readonly { readonly outcome: VisitOutcome; readonly count: number }[] {
    return visitOutcomes.map((outcome, index) => ({ outcome, count: this.#outcomes[index] ?? 0 }));
  }

  get cacheHits(): number {
    return Math.max(0, this.#found);
  }

  get cacheMisses(): number {
    return this.#lookups;
  }
}
