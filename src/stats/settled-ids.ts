/** Longer than the fold's transaction takes. An id that is still missing then belongs to a transaction that failed. */
const gapTimeout = 5_000;

/**
 * The ids up to which hits may be sent to watchers. Ids are assigned before their transactions commit, so with several nodes a
 * lower id can appear after a higher one: hits after a gap wait until it is filled, or too old to be filled.
 */
export class SettledIds {
  readonly #timeout: number;
  #upTo: number;
  /** The highest ids that were read, and when: an id missing below one of them has been missing since then. */
  #highestIds: readonly { readonly id: number; readonly at: number }[] = [];

  /** On a store with one writer no gap is ever filled: those hits were erased, or never inserted. */
  constructor(upTo: number, writers: 'one' | 'several' = 'several') {
    this.#timeout = writers === 'one' ? 0 : gapTimeout;
    this.#upTo = upTo;
  }

  get upTo(): number {
    return this.#upTo;
  }

  /** Of the rows after `upTo`, in order, those that may be passed on now. `now` is a monotonic clock. */
  take<Row extends { readonly id: number }>(rows: readonly Row[], now: number): readonly Row[] {
    const highest = rows.at(-1)?.id ?? 0;
    if (highest > (this.#highestIds.at(-1)?.id ?? 0))
      this.#highestIds = [...this.#highestIds, { id: highest, at: now }];
    const timedOutUpTo = this.#highestIds.findLast(({ at }) => now - at >= this.#timeout)?.id ?? 0;
    let taken = 0;
    for (const { id } of rows) {
      if (id !== this.#upTo + 1 && id > timedOutUpTo) break;
      this.#upTo = id;
      taken += 1;
    }
    this.#highestIds = this.#highestIds.filter(({ id }) => id > this.#upTo);
    return rows.slice(0, taken);
  }
}
