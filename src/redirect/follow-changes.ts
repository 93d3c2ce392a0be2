import type { LinkChange } from '../storage/changes.ts';

export interface ChangeFeed {
  newest(): Promise<number>;
  after(id: number, most: number): Promise<readonly LinkChange[]>;
  /** Those of these ids that have appeared since. */
  among(ids: readonly number[]): Promise<readonly LinkChange[]>;
}

interface Follower {
  changed(change: LinkChange): void;
  /** Too much may have been missed: everything known is out of date. */
  lost(): void;
  failed(cause: unknown): void;
}

const mostPerPoll = 5_000;
/** Longer than any transaction may take: an id that hasn't appeared by then never will. */
const gapPatience = 30_000;
/** As long as changes are kept, with an hour to spare. */
const longestAbsence = 23 * 60 * 60 * 1000;

/**
 * Follows the feed of changed links by id. Ids are handed out before their transactions commit, so a lower id can
 * appear after a higher one: such gaps are remembered and asked for again until they are too old to fill.
 */
export class ChangeFollower {
  readonly #feed: ChangeFeed;
  readonly #follower: Follower;
  readonly #now: () => number;
  readonly #gaps = new Map<number, number>();
  #newest: number | undefined;
  #lastSuccess = 0;
  #timer: Timer | undefined;
  #stopped = false;
  #polling: Promise<void> | undefined;

  constructor(feed: ChangeFeed, follower: Follower, now: () => number) {
    this.#feed = feed;
    this.#follower = follower;
    this.#now = now;
  }

  async start(interval: number): Promise<void> {
    this.#newest = await this.#feed.newest();
    this.#lastSuccess = this.#now();
    const again = () => {
      if (this.#stopped) return;
      this.#polling = this.poll().finally(() => {
        this.#timer = setTimeout(again, interval);
      });
    };
    this.#timer = setTimeout(again, interval);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#polling;
    clearTimeout(this.#timer);
  }

  /** One look at the feed. */
  async poll(): Promise<void> {
    try {
      const now = this.#now();
      if (now - this.#lastSuccess > longestAbsence) await this.#startOver();
      await this.#fillGaps(now);
      let page: readonly LinkChange[];
      do {
        page = await this.#feed.after(this.#newest ?? 0, mostPerPoll);
        for (const change of page) this.#take(change, now);
      } while (page.length === mostPerPoll);
      this.#lastSuccess = this.#now();
    } catch (cause) {
      this.#follower.failed(cause);
    }
  }

  #take(change: LinkChange, now: number): void {
    const expected = (this.#newest ?? 0) + 1;
    for (let id = Math.max(expected, change.id - 1_000); id < change.id; id++) this.#gaps.set(id, now);
    this.#newest = change.id;
    this.#follower.changed(change);
  }

  async #fillGaps(now: number): Promise<void> {
    for (const [id, since] of this.#gaps) if (now - since > gapPatience) this.#gaps.delete(id);
    const ids = [...this.#gaps.keys()];
    for (let start = 0; start < ids.length; start += 500) {
      for (const change of await this.#feed.among(ids.slice(start, start + 500))) {
        this.#gaps.delete(change.id);
        this.#follower.changed(change);
      }
    }
  }

  async #startOver(): Promise<void> {
    this.#newest = await this.#feed.newest();
    this.#gaps.clear();
    this.#follower.lost();
  }
}
