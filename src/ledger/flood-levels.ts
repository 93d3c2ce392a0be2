import { FloatList } from '../structures/float-list.ts';
import type { FloodLevel } from './fold-store.ts';
import type { HitColumns } from './hit-columns.ts';
import { noKey } from './repeat-key.ts';

const minute = 60_000;

/**
 * A leaky bucket for each hot pair: every redirected person fills it by one, `limit` a minute leak out, and it holds twice the
 * limit. What comes while there is more than the limit in it is a flood.
 */
export class FloodLevels {
  readonly #limit: number;
  /** Of this journal, for hits that are folded so late that the levels in storage are of another time. */
  #own: ReadonlyMap<number, FloodLevel> = new Map();
  #next = new Map<number, FloodLevel>();
  readonly #rows = new FloatList();
  readonly #keys = new FloatList();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The rows that are part of a flood. */
  get rows(): Float64Array {
    return this.#rows.all;
  }

  /**
   * `hot` has row and pair of each hit on a hot pair. Rows of a flood lose their keys: nothing repeats them. Returns the levels
   * to store. May be called again for the same batch.
   */
  find(columns: HitColumns, hot: Float64Array, stored: readonly FloodLevel[]): readonly FloodLevel[] {
    this.#restore(columns);
    const limit = this.#limit;
    const before = new Map(stored.map((one) => [one.pair, one]));
    const next = new Map<number, FloodLevel>();
    for (let index = 0; index < hot.length; index += 2) {
      const [row = 0, pair = 0] = [hot[index], hot[index + 1]];
      const at = columns.at[row] ?? 0;
      const last = next.get(pair) ?? this.#begin(pair, at, before.get(pair));
      const leaked = (Math.max(0, at - last.at) * limit) / minute;
      const level = Math.min(limit * 2, Math.max(0, last.level - leaked) + 1);
      next.set(pair, { pair, level, at: Math.max(at, last.at) });
      if (level <= limit) continue;
      this.#rows.push(row);
      this.#keys.push(columns.repeatKey[row] ?? noKey);
      columns.repeatKey[row] = noKey;
    }
    this.#next = next;
    return [...next.values()].filter(({ pair, at }) => at > (before.get(pair)?.at ?? 0) - minute);
  }

  /** Must be called before the first `find` of a batch. */
  begin(): void {
    this.#rows.clear();
    this.#keys.clear();
  }

  /** What `find` said last stands. */
  accept(): void {
    this.#own = this.#next;
  }

  #begin(pair: number, at: number, stored: FloodLevel | undefined): FloodLevel {
    const isOfThisTime = stored !== undefined && stored.at - at < minute;
    return (isOfThisTime ? stored : this.#own.get(pair)) ?? { pair, level: 0, at };
  }

  #restore(columns: HitColumns): void {
    for (let index = 0; index < this.#rows.length; index++)
      columns.repeatKey[this.#rows.at(index)] = this.#keys.at(index);
    this.#rows.clear();
    this.#keys.clear();
  }
}
