import type { Position } from '../../journal/files.ts';
import { classCodes, reasonCodes } from '../../rules/click-fields.ts';
import type { FoldStore, OtherClaim } from '../fold-store.ts';
import type { HitColumns } from '../hit-columns.ts';
import { FloodLevels } from './flood-levels.ts';
import type { FoldLimits } from './fold-messages.ts';
import type { HitBatch } from './hit-batch.ts';
import { mergedClicks, noClicks, packClicks, type RecentClicks, unpackClicks } from './recent-clicks.ts';
import { RepeatFinder } from './repeat-finder.ts';
import { noKey } from './repeat-key.ts';

/** A claim that may still have clicks near later hits: one that was read from another journal, or one of this journal. */
interface KnownClaim {
  readonly claimNumber: number;
  readonly lastAt: number;
  /** Empty for our own claims: the finder remembers their clicks. */
  readonly clicks: RecentClicks;
}

/**
 * Finds repeats in a journal's batches, and shares its clicks with other journals: workers, nodes, and processes before and after
 * this one share no memory. A batch claims its clicks in storage before it is folded, and claims are serialised, so if two
 * journals have the same click of one browser, the second to claim sees the first one's.
 */
export class ClickClaims {
  readonly #window: number;
  readonly #journal: string;
  readonly #isAlone: () => boolean;
  readonly #finder: RepeatFinder;
  readonly #floods: FloodLevels;
  #known: readonly KnownClaim[] = [];
  /**
   * Whether there may be a claim of this journal that was never folded: from an earlier process, or a commit whose answer was
   * lost.
   */
  #mayHaveOld = true;

  /**
   * `isAlone` returns whether no other journal has hits to fold now. If so, only the last clicks are claimed: hits of later
   * journals are later than all of these (alternating runs: claiming everything took 0.2 µs of a hit's 9).
   */
  constructor(limits: FoldLimits, journal: string, isAlone: () => boolean) {
    const window = limits.repeatWindow;
    this.#window = window;
    this.#floods = new FloodLevels(limits.floodLimit);
    this.#journal = journal;
    this.#isAlone = isAlone;
    this.#finder = new RepeatFinder(window);
  }

  /**
   * Sets the class of the repeats and floods in the batch that begins here. If it fails with StoreUnavailable, it may be called
   * again.
   */
  async claim(
    { columns, hot }: Pick<HitBatch, 'columns' | 'hot'>,
    { from, to }: { readonly from: Position | null; readonly to: Position },
    now: number,
    store: Pick<FoldStore, 'claim'>,
  ): Promise<void> {
    const span = this.#window === 0 ? null : spanOf(columns);
    if (span === null && hot.length === 0) return;
    const [first, last] = span === null ? [0, 0] : [span.first - this.#window, span.last + this.#window];
    const since = span !== null && this.#isAlone() ? span.last - this.#window * 2 : Number.NEGATIVE_INFINITY;
    const before = this.#known.filter(({ lastAt }) => lastAt > first);
    const mayHaveOld = this.#mayHaveOld;
    this.#mayHaveOld = true;
    let read: readonly KnownClaim[] = [];
    const claimNumber = await store.claim({
      journal: this.#journal,
      from,
      to,
      mayHaveOld,
      now,
      first,
      last,
      known: before.map((claim) => claim.claimNumber),
      pairs: pairsOf(hot),
      decide: (others, stored) => {
        const levels = this.#floods.find(columns, hot, stored);
        if (span === null) return { claim: null, levels };
        read = others.map(knownOf);
        const clicks = [...before, ...read].map((claim) => claim.clicks);
        this.#finder.find(columns, mergedClicks(clicks, first, last), this.#floods.rows);
        return { claim: newClaim(this.#finder.clicks, since), levels };
      },
    });
    this.#mayHaveOld = false;
    setClass(columns, this.#floods.rows, classCodes.flood, reasonCodes.flood);
    this.#floods.accept();
    if (span === null) return;
    const own = claimNumber === null ? [] : [{ claimNumber, lastAt: span.last, clicks: noClicks }];
    this.#known = [...before, ...read, ...own];
    this.#finder.accept();
    setClass(columns, this.#finder.repeats, classCodes.repeat, reasonCodes.recent_visit);
  }
}

// Loops by index: an iterator of a typed array takes ten times as long.

function setClass(columns: HitColumns, rows: Float64Array, code: number, reason: number): void {
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index] ?? 0;
    columns.class[row] = code;
    columns.reason[row] = reason;
  }
}

/** The second of each two. A flood has very many of the same: a set of an iterator over them took a tenth of its fold. */
function pairsOf(hot: Float64Array): number[] {
  const pairs = new Set<number>();
  for (let index = 1; index < hot.length; index += 2) {
    const pair = hot[index] ?? 0;
    if (pair !== hot[index - 2]) pairs.add(pair);
  }
  return [...pairs];
}

const knownOf = ({ claimNumber, lastAt, cells }: OtherClaim): KnownClaim => ({
  claimNumber,
  lastAt,
  clicks: unpackClicks(cells),
});

/** From the first to the last hit that may be a repeat; null if there is none. */
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

/** A claim of the clicks from `since` on. */
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
