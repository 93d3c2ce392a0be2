import { dayLength } from '../../rules/durations.ts';
import { FloatList } from '../../structures/float-list.ts';
import { TwoGenerationTable } from '../../structures/two-generation-table.ts';
import type { HitColumns } from '../hit-columns.ts';
import type { RecentClicks } from './recent-clicks.ts';
import { noKey } from './repeat-key.ts';

/** Keys and when each was last seen, for at least two windows; for less if there are more than `max` keys in that time. */
class RecentKeys {
  readonly #window: number;
  readonly #table: TwoGenerationTable;
  #youngSince = Number.NEGATIVE_INFINITY;

  constructor(window: number, max: number) {
    this.#window = window;
    this.#table = new TwoGenerationTable(max);
  }

  get size(): number {
    return this.#table.size;
  }

  isNear(key: number, at: number): boolean {
    const seen = this.#table.get(key);
    return seen >= 0 && Math.abs(timeOfDay(at) - seen) < this.#window;
  }

  note(key: number, at: number): void {
    if (Math.abs(at - this.#youngSince) >= this.#window * 2 || this.#table.isFull) {
      this.#table.rotate();
      this.#youngSince = at;
    }
    this.#table.set(key, timeOfDay(at));
  }

  clear(): void {
    this.#table.clear();
    this.#youngSince = Number.NEGATIVE_INFINITY;
  }
}

/** A key belongs to one UTC day, so the time of day identifies the instant. */
const timeOfDay = (at: number): number => at - Math.floor(at / dayLength) * dayLength;

/**
 * Finds clicks of a batch that repeat another: one of this journal, or one that another journal has claimed. A repeat doesn't
 * extend the window. Clicks slightly earlier than the other one (a clock was set, another journal) count like later ones.
 */
export class RepeatFinder {
  readonly #window: number;
  /** Clicks of earlier batches, which `find` doesn't change. */
  readonly #before: RecentKeys;
  #beforeUntil = Number.NEGATIVE_INFINITY;
  readonly #batch: RecentKeys;
  readonly #clicks = new FloatList();
  readonly #rows = new FloatList();

  constructor(window: number, max = 200_000) {
    this.#window = window;
    this.#before = new RecentKeys(window, max);
    this.#batch = new RecentKeys(window, max);
  }

  /** The rows of the repeats in the last batch. */
  get repeats(): Float64Array {
    return this.#rows.all;
  }

  /** Its clicks, as pairs of key and instant. */
  get clicks(): Float64Array {
    return this.#clicks.all;
  }

  get size(): number {
    return this.#before.size + this.#batch.size;
  }

  /**
   * May be called again for the same batch, with more of the others' clicks. No click is a repeat of a hit in `ignored`: rows in
   * ascending order.
   */
  find(columns: HitColumns, others: RecentClicks, ignored: ArrayLike<number> = []): void {
    const { at: instants, repeatKey: keys, count } = columns;
    const [batch, before, window] = [this.#batch, this.#before, this.#window];
    batch.clear();
    this.#clicks.clear();
    this.#rows.clear();
    let [next, nextIgnored] = [0, 0];
    for (let row = 0; row < count; row++) {
      const key = keys[row] ?? noKey;
      if (row === ignored[nextIgnored]) {
        nextIgnored += 1;
        continue;
      }
      if (key < 0) continue;
      const at = instants[row] ?? 0;
      for (; next < others.keys.length && (others.instants[next] ?? 0) < at + window; next++)
        batch.note(others.keys[next] ?? 0, others.instants[next] ?? 0);
      if (batch.isNear(key, at) || (at < this.#beforeUntil && before.isNear(key, at))) {
        this.#rows.push(row);
        continue;
      }
      batch.note(key, at);
      this.#clicks.push2(key, at);
    }
  }

  /** Keeps the result of the last `find`: later batches may repeat its clicks. */
  accept(): void {
    const clicks = this.#clicks.all;
    if (clicks.length === 0) return;
    let last = Number.NEGATIVE_INFINITY;
    for (let index = 1; index < clicks.length; index += 2) last = Math.max(last, clicks[index] ?? 0);
    for (let index = 0; index < clicks.length; index += 2) {
      const at = clicks[index + 1] ?? 0;
      if (at > last - this.#window * 2) this.#before.note(clicks[index] ?? 0, at);
    }
    this.#beforeUntil = Math.max(this.#beforeUntil, last + this.#window);
  }
}
