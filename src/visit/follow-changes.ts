import type { LinkChange } from '../storage/changes.ts';

interface ChangeFeed {
  newest(): Promise<number>;
  after(id: number, max: number): Promise<readonly LinkChange[]>;
  /** Those of these ids that have appeared since. */
  among(ids: readonly number[]): Promise<readonly LinkChange[]>;
}

interface Follower {
  changed(change: LinkChange): void;
  /** Too many changes may have been missed: everything cached is out of date. */
  lost(): void;
  /** Called once for each time that the feed becomes unreadable, however long that lasts. */
  failed(cause: unknown): void;
}

const maxPerPoll = 1_000;
/** Longer than any transaction may take: an id that hasn't appeared by then never will. */
const gapPatience = 30_000;
/** How many of the newest changes are searched for gaps at the start: their transactions may not have committed yet. */
const lookBack = 1_000;
/** As long as changes are kept, with an hour to spare. */
const maxAbsence = 23 * 60 * 60 * 1000;

/**
 * Follows the feed of changed links by id. Ids are handed out before their transactions commit, so a lower id can
 * appear after a higher one: such gaps are remembered and asked for again until they are too old to fill.
 */
export class ChangeFollower {
  readonly #feed: ChangeFeed;
  readonly #follower: Follower;
  readonly #now: () => number;
  readonly #gaps = new Map<number, number>();
  #newest = 0;
  #lastSuccess = 0;
  #isFailing = false;
  #timer: Timer | undefined;
  #stopped = false;
  #polling: Promise<void> | undefined;

  constructor(feed: ChangeFeed, follower: Follower, now: () => number) {
    this.#feed = feed;
    this.#follower = follower;
    this.#now = now;
  }

  async start(interval: number): Promise<void> {
    await this.#begin();
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
      if (now - this.#lastSuccess > maxAbsence) await this.#startOver();
      await this.#fillGaps(now);
      let page: readonly LinkChange[];
      do {
        page = await this.#feed.after(this.#newest, maxPerPoll);
        for (const change of page) this.#take(change, now);
      } while (page.length === maxPerPoll);
      this.#lastSuccess = this.#now();
      this.#isFailing = false;
    } catch (cause) {
      if (!this.#isFailing) this.#follower.failed(cause);
      this.#isFailing = true;
    }
  }

  /** Notes the newest change. Everything that is loaded from here on includes those before it. */
  async #begin(): Promise<void> {
    const start = Math.max(0, (await this.#feed.newest()) - lookBack);
    const known = await this.#feed.after(start, maxPerPoll);
    this.#gaps.clear();
    this.#newest = start;
    for (const { id } of known) this.#pass(id, this.#now());
  }

  #take(change: LinkChange, now: number): void {
    this.#pass(change.id, now);
    this.#follower.changed(change);
  }

  #pass(id: number, now: number): void {
    for (let gap = Math.max(this.#newest + 1, id - lookBack); gap < id; gap++) this.#gaps.set(gap, now);
    this.#newest = id;
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
    await this.#begin();
    this.#follower.lost();
  }
}
