import type { ChangeMark, LinkChange } from '../storage/changes.ts';
import { IdGaps, type IdRange } from './id-gaps.ts';

interface ChangeFeed {
  /** Differs between a store and one that was promoted or restored in its stead; null where the database doesn't tell. */
  history(): Promise<string | null>;
  newest(): Promise<ChangeMark | null>;
  /** In the order of their ids, those with this id or a higher one. */
  from(id: number, max: number): Promise<readonly LinkChange[]>;
  /** The ids above this one that are missing between the others. */
  missing(after: number): Promise<readonly IdRange[]>;
  /** Some of those that have appeared in these ranges. */
  within(ranges: readonly IdRange[], max: number): Promise<readonly LinkChange[]>;
}

interface Follower {
  changed(change: LinkChange): void;
  /** Changes may have been missed: everything cached is out of date. */
  lost(reason: LossReason): void;
  /** Called once for each time that the feed becomes unreadable, however long that lasts. */
  failed(cause: unknown): void;
}

/**
 * `absence`: changes were deleted before they were read. `other_history`: the store is another one, such as a replica that
 * was promoted. `change_gone`: the last change that was read isn't there, as after a restore.
 */
export type LossReason = 'absence' | 'other_history' | 'change_gone';

const maxPerPoll = 1_000;
/** So many ranges share a query. */
const rangesPerQuery = 100;
/** How many of the newest ids are searched for gaps at the start. */
const lookBack = 10_000;
/** So far below the newest id others are looked at again. */
const nearNewest = 100;
/** As long as changes are kept, with an hour to spare. */
const maxAbsence = 23 * 60 * 60 * 1000;

/**
 * Follows the feed of changed links by id. Ids are handed out before their transactions commit, and by some databases in
 * blocks, so a lower id can appear after a higher one: see `IdGaps`.
 *
 * A database may also go back: a replica that lagged is promoted, or a backup is restored. Each look therefore reads the
 * last known changes once more. If one isn't there, or the database says that its history is another one, what was read of
 * the feed means nothing any more. The newest alone doesn't tell: one with a lower id may have been committed after it.
 */
export class ChangeFollower {
  readonly #feed: ChangeFeed;
  readonly #follower: Follower;
  readonly #now: () => number;
  readonly #gaps = new IdGaps();
  #history: string | null = null;
  /** Null while the feed is empty. */
  #newest: ChangeMark | null = null;
  /** What the last look that found a newer one has found, and looks since: each may have been committed after the newest. */
  #besideNewest: ChangeMark[] = [];
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

  /** For how many milliseconds no look at the feed has succeeded. */
  get lag(): number {
    return Math.max(0, this.#now() - this.#lastSuccess);
  }

  /** One look at the feed. */
  async poll(): Promise<void> {
    try {
      const now = this.#now();
      const lost = await this.#reasonToBeginAnew(now);
      if (lost !== null) await this.#beginAnew(lost);
      const filled = await this.#fillGaps(now);
      const before = this.#besideNewest;
      this.#besideNewest = [...before, ...filled];
      const last = this.#newest;
      for (let hasMore = true; hasMore; ) hasMore = await this.#readPage(now);
      // A newer one was committed after all that earlier looks have found.
      if (this.#newest !== last)
        this.#besideNewest = this.#besideNewest.filter((mark) => !before.includes(mark));
      this.#lastSuccess = this.#now();
      this.#isFailing = false;
    } catch (cause) {
      if (!this.#isFailing) this.#follower.failed(cause);
      this.#isFailing = true;
    }
  }

  async #reasonToBeginAnew(now: number): Promise<LossReason | null> {
    if (now - this.#lastSuccess > maxAbsence) return 'absence';
    return (await this.#feed.history()) === this.#history ? null : 'other_history';
  }

  /** Notes the newest change. Everything that is loaded from here on includes those before it. */
  async #begin(): Promise<void> {
    const history = await this.#feed.history();
    const newest = await this.#feed.newest();
    const missing = newest === null ? [] : await this.#feed.missing(Math.max(0, newest.id - lookBack));
    this.#gaps.clear();
    for (const { first, last } of missing) this.#gaps.add(first, last, this.#now());
    this.#history = history;
    this.#newest = newest;
    this.#besideNewest = [];
  }

  async #beginAnew(reason: LossReason): Promise<void> {
    await this.#begin();
    this.#follower.lost(reason);
  }

  /** Returns whether there may be more. */
  async #readPage(now: number): Promise<boolean> {
    const known = this.#newest;
    const last = known?.id ?? 0;
    // Older ones are deleted for their age.
    this.#besideNewest = this.#besideNewest.filter(
      ({ id, at }) => id > last - nearNewest && at > now - maxAbsence,
    );
    const first = this.#besideNewest.reduce((id, mark) => Math.min(id, mark.id), last);
    const page = await this.#feed.from(first, maxPerPoll);
    const read = new Map(page.map((change) => [change.id, change]));
    const marks = known === null ? [] : [...this.#besideNewest, known];
    if (!marks.every((mark) => read.get(mark.id)?.at === mark.at)) {
      await this.#beginAnew('change_gone');
      return false;
    }
    const fresh = page.filter(({ id }) => id > last);
    for (const change of fresh) {
      this.#gaps.add((this.#newest?.id ?? 0) + 1, change.id - 1, now);
      this.#newest = change;
      this.#follower.changed(change);
    }
    this.#besideNewest.push(...fresh.slice(-nearNewest));
    return page.length === maxPerPoll;
  }

  /** Returns what has appeared. */
  async #fillGaps(now: number): Promise<readonly ChangeMark[]> {
    const due = this.#gaps.due(now);
    const filled: ChangeMark[] = [];
    for (let start = 0; start < due.length; start += rangesPerQuery)
      await this.#fill(due.slice(start, start + rangesPerQuery), filled);
    return filled;
  }

  async #fill(ranges: readonly IdRange[], filled: ChangeMark[]): Promise<void> {
    for (let rest = ranges; rest.length > 0; ) {
      const found = await this.#feed.within(rest, maxPerPoll);
      for (const change of found) {
        this.#gaps.fill(change.id);
        filled.push(change);
        this.#follower.changed(change);
      }
      const last = found.at(-1);
      if (last === undefined || found.length < maxPerPoll) return;
      rest = rest.flatMap((range) => (range.last <= last.id ? [] : [beyond(range, last.id)]));
    }
  }
}

const beyond = ({ first, last }: IdRange, id: number): IdRange => ({ first: Math.max(first, id + 1), last });
