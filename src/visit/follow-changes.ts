import { hourLength } from '../rules/durations.ts';
import type { ChangeMark, LinkChange } from '../storage/changes.ts';
import type { DatabaseTimeline } from '../storage/database-timeline.ts';
import { IdGaps, type IdRange } from './id-gaps.ts';

interface ChangeFeed {
  timeline(): Promise<DatabaseTimeline>;
  newest(): Promise<ChangeMark | null>;
  /** The changes with this id or a higher one, ordered by id. */
  from(id: number, max: number): Promise<readonly LinkChange[]>;
  /** The gaps between the ids above this one. */
  missing(after: number): Promise<readonly IdRange[]>;
  /** Changes that have appeared in these ranges since, up to `max`. */
  within(ranges: readonly IdRange[], max: number): Promise<readonly LinkChange[]>;
}

interface Follower {
  changed(change: LinkChange): void;
  /** Changes may have been missed: everything cached is out of date. */
  lost(reason: LossReason): void;
  pollBegins(): void;
  /**
   * All changes that were committed before it began are reported. `wasUnavailable`: the server has restarted, or the last poll had
   * failed.
   */
  pollSucceeded(wasUnavailable: boolean): void;
  /** Called once each time the feed becomes unreadable, however long that lasts. */
  failed(cause: unknown): void;
}

/**
 * `absence`: changes were deleted before they were read. `other_history`: the store is another one, such as a replica that
 * was promoted. `change_gone`: the last change that was read is no longer in the feed, as after a restore.
 */
export type LossReason = 'absence' | 'other_history' | 'change_gone';

const maxPerPoll = 1_000;
const rangesPerQuery = 100;
/** How many of the newest ids are searched for gaps at the start. */
const lookBack = 10_000;
/** Changes this close to the newest id are checked again. */
const nearNewest = 100;
/** An hour less than changes are kept. */
const maxAbsence = 23 * hourLength;

/**
 * Follows the feed of changed links by id. Ids are handed out before their transactions commit, and by some databases in blocks,
 * so a lower id can appear after a higher one: see `IdGaps`.
 *
 * A database may also go back in time: a lagging replica is promoted, or a backup is restored. Each poll therefore reads the last
 * known changes again. If one is missing, or the database reports another timeline, everything read from the feed so far is void.
 * Checking the newest change alone isn't enough: one with a lower id may have been committed after it. A change that was lost before
 * any poll could read it leaves no trace in the feed: after an absence, the follower distrusts what it loaded since the last poll.
 */
export class ChangeFollower {
  readonly #feed: ChangeFeed;
  readonly #follower: Follower;
  readonly #now: () => number;
  readonly #gaps = new IdGaps();
  #timeline: string | null = null;
  #started: string | null = null;
  /** Null while the feed is empty. */
  #newest: ChangeMark | null = null;
  /** The changes that were found together with the newest one, or since: each may have been committed after it. */
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
    const pollAgain = () => {
      if (this.#stopped) return;
      this.#polling = this.poll().finally(() => {
        this.#timer = setTimeout(pollAgain, interval);
      });
    };
    this.#timer = setTimeout(pollAgain, interval);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#polling;
    clearTimeout(this.#timer);
  }

  /** Milliseconds since a poll of the feed last succeeded. */
  get lag(): number {
    return Math.max(0, this.#now() - this.#lastSuccess);
  }

  async poll(): Promise<void> {
    this.#follower.pollBegins();
    try {
      const now = this.#now();
      const { timeline, started } = await this.#feed.timeline();
      const lost = this.#lossReason(now, timeline);
      if (lost !== null) await this.#restart(lost);
      const filled = await this.#fillGaps(now);
      const before = this.#besideNewest;
      this.#besideNewest = [...before, ...filled];
      const last = this.#newest;
      for (let hasMore = true; hasMore; ) hasMore = await this.#readPage(now);
      // A newer one was committed after everything that earlier polls have found.
      if (this.#newest !== last)
        this.#besideNewest = this.#besideNewest.filter((mark) => !before.includes(mark));
      this.#lastSuccess = this.#now();
      const wasUnavailable = this.#isFailing || started !== this.#started;
      this.#started = started;
      this.#isFailing = false;
      this.#follower.pollSucceeded(wasUnavailable);
    } catch (cause) {
      if (!this.#isFailing) this.#follower.failed(cause);
      this.#isFailing = true;
    }
  }

  #lossReason(now: number, timeline: string | null): LossReason | null {
    if (now - this.#lastSuccess > maxAbsence) return 'absence';
    return timeline === this.#timeline ? null : 'other_history';
  }

  /** Notes the newest change. Everything that is loaded from now on includes the changes before it. */
  async #begin(): Promise<void> {
    const { timeline, started } = await this.#feed.timeline();
    const newest = await this.#feed.newest();
    const missing = newest === null ? [] : await this.#feed.missing(Math.max(0, newest.id - lookBack));
    this.#gaps.clear();
    for (const { first, last } of missing) this.#gaps.add(first, last, this.#now());
    this.#timeline = timeline;
    this.#started ??= started;
    this.#newest = newest;
    this.#besideNewest = [];
  }

  async #restart(reason: LossReason): Promise<void> {
    await this.#begin();
    this.#follower.lost(reason);
  }

  /** Whether there may be more pages. */
  async #readPage(now: number): Promise<boolean> {
    const known = this.#newest;
    const last = known?.id ?? 0;
    // Older changes are deleted after a while.
    this.#besideNewest = this.#besideNewest.filter(
      ({ id, at }) => id > last - nearNewest && at > now - maxAbsence,
    );
    const first = this.#besideNewest.reduce((id, mark) => Math.min(id, mark.id), last);
    const page = await this.#feed.from(first, maxPerPoll);
    const read = new Map(page.map((change) => [change.id, change]));
    const marks = known === null ? [] : [...this.#besideNewest, known];
    if (!marks.every((mark) => read.get(mark.id)?.at === mark.at)) {
      await this.#restart('change_gone');
      return false;
    }
    const newChanges = page.filter(({ id }) => id > last);
    for (const change of newChanges) {
      this.#gaps.add((this.#newest?.id ?? 0) + 1, change.id - 1, now);
      this.#newest = change;
      this.#follower.changed(change);
    }
    this.#besideNewest.push(...newChanges.slice(-nearNewest));
    return page.length === maxPerPoll;
  }

  /** Returns the changes that have appeared in the gaps. */
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
