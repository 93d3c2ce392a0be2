import type { Position } from '../journal/files.ts';
import { classCodes, reasonCodes } from '../rules/click-fields.ts';
import type { FoldStore, OtherClaim } from './fold-store.ts';
import type { HitColumns } from './hit-columns.ts';
import { mergedClicks, noClicks, packClicks, type RecentClicks, unpackClicks } from './recent-clicks.ts';
import { RepeatFinder } from './repeat-finder.ts';
import { noKey } from './repeat-key.ts';

/** A claim that may still have clicks near hits to come: one of others that was read, or one of our own. */
interface KnownClaim {
  readonly turn: number;
  readonly lastAt: number;
  /** None of our own: the finder remembers them. */
  readonly clicks: RecentClicks;
}

/**
 * Tells the repeats of a journal's batches, and tells the other journals of its clicks: workers, nodes, and processes before
 * and after this one share no memory. A batch claims its clicks in storage before it is folded, and claims take turns, so of
 * two journals that have a double of one browser the second to claim sees the click of the first.
 */
export class ClickClaims {
  readonly #window: number;
  readonly #journal: string;
  readonly #isAlone: () => boolean;
  readonly #finder: RepeatFinder;
  #known: readonly KnownClaim[] = [];
  /** Whether there may be a claim of this journal that was never folded: of an earlier process, or of a lost answer. */
  #mayHaveOld = true;

  /**
   * `isAlone` says that no other journal has hits to fold now. Then only the last clicks are claimed: hits of journals to come
   * are later than all of these (alternating runs: a claim of all took 0.2 µs of a hit's 9).
   */
  constructor(window: number, journal: string, isAlone: () => boolean) {
    this.#window = window;
    this.#journal = journal;
    this.#isAlone = isAlone;
    this.#finder = new RepeatFinder(window);
  }

  /** Gives the repeats of the batch that begins here their class. When it fails with StoreAway, it may be called again. */
  async claim(
    columns: HitColumns,
    from: Position | null,
    now: number,
    store: Pick<FoldStore, 'claim'>,
  ): Promise<void> {
    const span = spanOf(columns);
    if (this.#window === 0 || span === null) return;
    const [first, last] = [span.first - this.#window, span.last + this.#window];
    const since = this.#isAlone() ? span.last - this.#window * 2 : Number.NEGATIVE_INFINITY;
    const before = this.#known.filter(({ lastAt }) => lastAt > first);
    const wait = this.#mayHaveOld;
    this.#mayHaveOld = true;
    let read: readonly KnownClaim[] = [];
    const turn = await store.claim({
      journal: this.#journal,
      from,
      mayHaveOld: wait,
      now,
      first,
      last,
      known: before.map((claim) => claim.turn),
      decide: (others) => {
        read = others.map(knownOf);
        const clicks = [...before, ...read].map((claim) => claim.clicks);
        this.#finder.find(columns, mergedClicks(clicks, first, last));
        return newClaim(this.#finder.clicks, since);
      },
    });
    this.#mayHaveOld = false;
    const own = turn === null ? [] : [{ turn, lastAt: span.last, clicks: noClicks }];
    this.#known = [...before, ...read, ...own];
    this.#finder.accept();
    for (const row of this.#finder.repeats) {
      columns.class[row] = classCodes.repeat;
      columns.reason[row] = reasonCodes.recent_visit;
    }
  }
}

const knownOf = ({ turn, lastAt, cells }: OtherClaim): KnownClaim => ({
  turn,
  lastAt,
  clicks: unpackClicks(cells),
});

/** From the first to the last hit that may be a repeat; null where there is none. */
function spanOf({ at: instants, repeatKey: keys, count }: HitColumns) {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < count; row++) {
    if ((keys[row] ?? noKey) < 0) continue;
    const at = instants[row] ?? 0;
    if (at < first) first = at;
    if (at > last) last = at;
  }
  return first > last ? null : { first, last };
}

/** Of the clicks from the first one that is not before `since`. */
function newClaim(clicks: Float64Array, since: number) {
  let from = 0;
  while (from < clicks.length && (clicks[from + 1] ?? 0) < since) from += 2;
  if (from === clicks.length) return null;
  const pairs = clicks.subarray(from);
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (let index = 1; index < pairs.length; index += 2) {
    first = Math.min(first, pairs[index] ?? 0);
    last = Math.max(last, pairs[index] ?? 0);
  }
  return { firstAt: first, lastAt: last, cells: packClicks(pairs) };
}
