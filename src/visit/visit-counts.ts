import type { Outcome } from '../rules/resolve.ts';
import { Histogram } from '../structures/histogram.ts';

/** What visits are answered with: what became of a link, or that there is none. */
export const visitOutcomes = [
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

/** Milliseconds. Most answers take tens of microseconds; a lookup takes some milliseconds, and what waits for a disk more. */
export const answerTimeBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000, 2_500];

/** Of the visits of one thread. Each visit passes here, so a count is an addition in memory. */
export class VisitCounts {
  readonly #outcomes = new Float64Array(visitOutcomes.length);
  /** From reading a request on the fast path to sending its answer, its click in the journal. */
  readonly answerTimes = new Histogram(answerTimeBounds);
  #found = 0;
  #lookups = 0;

  answered(outcome: VisitOutcome): void {
    const index = indexOf[outcome];
    this.#outcomes[index] = (this.#outcomes[index] as number) + 1;
  }

  /** The address was in the cache, with a link or as one that has none. */
  cacheHit(): void {
    this.#found += 1;
  }

  /** It has to be looked up. A visit that waits for that asks the cache once more. */
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
