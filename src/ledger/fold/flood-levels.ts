import { minuteLength } from '../../rules/durations.ts';
import { FloatList } from '../../structures/float-list.ts';
import type { FloodLevel } from '../fold-store.ts';
import type { HitColumns } from '../hit-columns.ts';

type Level = { -readonly [Key in keyof FloodLevel]: FloodLevel[Key] };

/**
 * A leaky bucket for each hot pair of link and network: every redirected visitor adds one, `limit` a minute leak out, and it
 * holds twice the limit. Clicks at a level above the limit are a flood.
 */
export class FloodLevels {
  readonly #limit: number;
  /** This journal's own levels, for hits that are folded so late that the stored levels are from another time. */
  #own: ReadonlyMap<number, FloodLevel> = new Map();
  #next = new Map<number, FloodLevel>();
  readonly #rows = new FloatList();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The rows that are part of a flood, in ascending order. */
  get rows(): Float64Array {
    return this.#rows.all;
  }

  /**
   * `hot` has the row and the pair of each hit on a hot pair. Returns the levels to store. May be called again for the same
   * batch.
   */
  find(columns: HitColumns, hot: Float64Array, stored: readonly FloodLevel[]): readonly FloodLevel[] {
    this.#rows.clear();
    const limit = this.#limit;
    const before = new Map(stored.map((one) => [one.pair, one]));
    const next = new Map<number, Level>();
    let level: Level | undefined;
    for (let index = 0; index < hot.length; index += 2) {
      const row = hot[index] ?? 0;
      const pair = hot[index + 1] ?? 0;
      const at = columns.at[row] ?? 0;
      // Hits of a flood are consecutive.
      if (level?.pair !== pair)
        level = next.getOrInsertComputed(pair, () => ({ ...this.#initialLevel(pair, at, before.get(pair)) }));
      const leaked = (Math.max(0, at - level.at) * limit) / minuteLength;
      level.level = Math.min(limit * 2, Math.max(0, level.level - leaked) + 1);
      level.at = Math.max(at, level.at);
      if (level.level > limit) this.#rows.push(row);
    }
    this.#next = next;
    return [...next.values()].filter(({ pair, at }) => at > (before.get(pair)?.at ?? 0) - minuteLength);
  }

  /** Keeps the result of the last `find`. */
  accept(): void {
    this.#own = this.#next;
  }

  #initialLevel(pair: number, at: number, stored: FloodLevel | undefined): FloodLevel {
    const isOfThisTime = stored !== undefined && stored.at - at < minuteLength;
    return (isOfThisTime ? stored : this.#own.get(pair)) ?? { pair, level: 0, at };
  }
}
