import { deleteDamagedBefore } from '../../journal/damage.ts';
import { isBefore, type JournalName, type Position, watermarkKey } from '../../journal/files.ts';
import { dayLength } from '../../rules/durations.ts';
import { StoreUnavailable } from '../../rules/errors.ts';
import { isUnavailable } from '../../rules/transient-error.ts';
import { clickServerState, takeClickServerCalls } from '../click-server-calls.ts';
import { claimRetention, JournalTaken, StoreChanged } from '../fold-store.ts';
import { deleteExpired } from '../retention/retention.ts';
import { DueTask } from './due-task.ts';
import { FoldMemory } from './fold-memory.ts';
import type { ToFold } from './fold-messages.ts';
import type { FoldWorkerParts } from './fold-worker-parts.ts';
import type { JournalFold } from './journal-fold.ts';
import { openJournal } from './journal-opener.ts';
import { OrphanedJournals, requireReached } from './orphaned-journals.ts';
import { pause } from './pause.ts';
import { ServerClock } from './server-clock.ts';

const hostsKept = 60_000;
const firstPause = 500;
const maxPause = 10_000;
/** How often waiting clicks are reported. */
const reportInterval = 10_000;
/** Milliseconds before a journal that couldn't be read is tried again. */
const leftoverPause = 5_000;
/** How often to check whether the database has gone back in time. */
const checkInterval = 5_000;
const stopTimeout = 3_000;
/** Days for which damaged segments are kept: their clicks are counted, and they contain visitors' addresses. */
const damagedRetention = 7;
/** Milliseconds after a hit in which more are expected. */
const busyFor = 5_000;
/** How many old hits are folded in one batch during that time. */
const busyLength = 32_768;
/** After this many hits, an organization may have enough of them for a chunk. */
const chunkAfter = 32_768;
/** Milliseconds between two steps in which the store is free for other writers. */
const storeFreeTime = 20;
/** A little longer than the hits of a chunk are kept in their old place. */
const chunkDelay = 61_000;

/** A fold into SQLite never awaits anything: messages to this thread are only received in a pause. */
const messagesReceived = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * What the fold's thread does, one thing after another: folds the journals that earlier processes left behind, then that of this
 * process up to its last known end, and deletes expired data from time to time.
 */
export class FoldWorker {
  readonly #parts: FoldWorkerParts;
  readonly #memory: FoldMemory;
  #endedCorrections = 0;
  #now: number;
  readonly #serverClock: ServerClock;
  /** When `#now` was received, by this thread's monotonic clock. */
  #nowReceivedAt = performance.now();
  #end: Position = { segment: 1, offset: 0 };
  #own: JournalFold | null = null;
  #current: JournalFold | null = null;
  readonly #checking = this.#task(() => this.#checkWatermarks(), checkInterval);
  readonly #leftovers = this.#task(() => this.#foldLeftovers(), leftoverPause, true);
  /** Deletes the last claims if no hits follow. */
  readonly #deletingClaims = this.#task(() => this.#deleteClaims(), claimRetention + 1_000);
  readonly #cleaningUp = this.#task(() => this.#cleanUp(), 0, true);
  readonly #chunking = this.#task(() => this.#makeChunks(), chunkDelay);
  /** In the order in which a run does them. */
  readonly #tasks = [this.#checking, this.#leftovers, this.#deletingClaims, this.#cleaningUp, this.#chunking];
  /** Hits that were folded since the last chunks were made. */
  #unchunked = 0;
  readonly #stopping = new AbortController();
  #hasStopTimedOut = false;
  #wokenAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  #running: Promise<void> | null = null;
  #hostsReadAt = Number.NEGATIVE_INFINITY;
  #pauseLength = firstPause;
  readonly #orphans: OrphanedJournals;
  #reportedAwayAt = Number.NEGATIVE_INFINITY;

  constructor(parts: FoldWorkerParts) {
    this.#parts = parts;
    this.#now = parts.now;
    this.#serverClock = new ServerClock(
      async () => (parts.settings.clock === 'messages' ? null : parts.store.serverNow()),
      () => this.#clock,
      (milliseconds) => this.#warn('clock ahead of the database', { milliseconds }),
    );
    this.#memory = new FoldMemory(parts, parts.settings.floodLimit);
    this.#orphans = new OrphanedJournals({
      settings: parts.settings,
      store: parts.store,
      open: (name) => this.#openJournal(name),
      foldSome: (journal) => this.#foldSome(journal, null, this.#leftoverLength()),
      foldOwn: () => this.#foldOwn(),
      isStopping: () => this.#isStopping,
      // The lifetime of its watermark must not depend on this node's clock alone.
      now: () => this.#serverClock.now,
      send: parts.send,
    });
    this.#run();
  }

  /** Ignores messages after a stop: two concurrent runs would use the same memory. */
  take(message: Exclude<ToFold, { kind: 'start' }>): void {
    if (this.#isStopping) return;
    this.#now = message.now;
    this.#nowReceivedAt = performance.now();
    if (message.kind === 'wake') this.#wokenAt = performance.now();
    if (message.kind === 'cleanUp') {
      this.#cleaningUp.now();
      this.#leftovers.now();
    } else {
      this.#end = message.end;
    }
    if (message.kind === 'stop') void this.#stop();
    else this.#run();
  }

  /** While there is nothing to fold: frees the memory of a long batch, about 30 MB. */
  release(): void {
    if (this.#running !== null) return;
    this.#memory.hits.release();
    this.#memory.builder.release();
  }

  /** While a long journal is being folded, no message carries the current time. */
  get #clock(): number {
    return Math.floor(this.#now + performance.now() - this.#nowReceivedAt);
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #run(): void {
    if (this.#isStopped) return;
    this.#running ??= this.#work()
      .catch((cause) => this.#fail(cause))
      .finally(() => {
        this.#running = null;
        this.#reportCalls();
        if (!this.#isStopping && this.#hasMore()) this.#run();
      });
  }

  #reportCalls(): void {
    const calls = takeClickServerCalls();
    if (calls !== null)
      this.#parts.send({ kind: 'click_server', calls, isUnavailable: clickServerState.isUnavailable });
  }

  /** A bug ends this thread's work: its memory can't be trusted any more. */
  async #fail(cause: Error): Promise<void> {
    if (isUnavailable(cause)) {
      this.#reportUnavailable(cause);
      this.#reportCalls();
      await this.#pause();
      return;
    }
    this.#isStopped = true;
    const isOwnTaken =
      cause instanceof JournalTaken && cause.message === watermarkKey(this.#parts.settings.journal);
    if (cause instanceof StoreChanged || isOwnTaken) {
      const reason = isOwnTaken ? 'the watermark has moved' : cause.message;
      this.#parts.send({ kind: 'restart', reason });
      return;
    }
    const { message, stack = '' } = cause;
    this.#parts.send({ kind: 'fault', message, stack });
  }

  /** The pause grows with each consecutive failure. */
  async #pause(): Promise<void> {
    if (this.#isStopping) return;
    await pause(this.#pauseLength, this.#stopping.signal);
    this.#pauseLength = Math.min(this.#pauseLength * 2, maxPause);
  }

  #reportUnavailable(cause: unknown): void {
    const now = performance.now();
    if (now - this.#reportedAwayAt < reportInterval) return;
    this.#reportedAwayAt = now;
    this.#warn('clicks wait in the journal', { error: (cause as Error).message });
  }

  #warn(event: string, facts: Record<string, unknown>): void {
    this.#parts.send({ kind: 'warning', event, facts });
  }

  #hasMore(): boolean {
    return (
      this.#tasks.some(({ isDue }) => isDue) || this.#own === null || isBefore(this.#own.position, this.#end)
    );
  }

  #task(work: () => Promise<void>, delay: number, isDue = false): DueTask {
    return new DueTask({ work, wake: () => this.#run(), delay, isDue });
  }

  async #work(): Promise<void> {
    await this.#serverClock.read();
    await this.#readChanges();
    await this.#foldOwn();
    for (const task of this.#tasks) if (!this.#isStopping) await task.doIfDue();
  }

  async #foldLeftovers(): Promise<void> {
    if (await this.#orphans.fold()) this.#leftovers.later();
    if (this.#orphans.reached.size > 0) this.#checkLater();
  }

  #deleteClaims(): Promise<void> {
    return this.#parts.store.deleteClaimsBefore(this.#serverClock.now - claimRetention);
  }

  /** New hits are folded between the steps. */
  async #makeChunks(): Promise<void> {
    this.#unchunked = 0;
    let hasChunked = false;
    try {
      while (!this.#isStopping && (await this.#parts.store.chunkSome(this.#serverClock.now))) {
        hasChunked = true;
        await this.#foldOwn();
        await Bun.sleep(storeFreeTime);
      }
    } catch (cause) {
      if (!isUnavailable(cause)) throw cause;
    }
    // Hits of a chunk are deleted from their old place some time later.
    if (hasChunked) this.#chunking.later();
  }

  async #foldNew(): Promise<void> {
    if (this.#own !== null && isBefore(this.#own.position, this.#end)) await this.#foldOwn();
  }

  async #foldOwn(): Promise<void> {
    const { store, send } = this.#parts;
    this.#own ??= await this.#openOwn();
    const own = this.#own;
    const end = this.#end;
    for (let hasMore = true; hasMore; ) {
      hasMore = await this.#foldSome(own, end, store.batchLength());
      this.#pauseLength = firstPause;
      send({ kind: 'folded', position: own.position });
      this.#reportCalls();
    }
  }

  /** What an earlier thread of this process has folded may be lost as well, so the watermark is checked even if no more hits follow. */
  async #openOwn(): Promise<JournalFold> {
    const own = await this.#openJournal(this.#parts.settings.journal);
    if (own.watermark !== null) this.#checkLater();
    return own;
  }

  #openJournal(name: JournalName): Promise<JournalFold> {
    const shared = {
      memory: this.#memory,
      clock: this.#serverClock,
      now: () => this.#now,
      warn: (event: string, facts: Record<string, unknown>) => this.#warn(event, facts),
      onUnavailable: (cause: unknown) => this.#reportUnavailable(cause),
    };
    return openJournal(this.#parts, shared, name);
  }

  async #foldSome(journal: JournalFold, end: Position | null, maxHits: number): Promise<boolean> {
    if (this.#hasStopTimedOut) return false;
    this.#current = journal;
    const hasFolded = await journal.foldBatch(end, maxHits).catch((cause) => {
      // Visitors of this batch were noted, and may not be in the store.
      this.#memory.seen.clear();
      throw cause;
    });
    this.#current = null;
    this.#unchunked += this.#memory.hits.count;
    if (this.#unchunked >= chunkAfter) this.#chunking.now();
    if (hasFolded) {
      this.#checkLater();
      // Later claims delete the earlier ones.
      this.#deletingClaims.postpone();
      await messagesReceived();
    }
    return hasFolded;
  }

  #checkLater(): void {
    if (this.#parts.settings.keep.milliseconds > 0) this.#checking.later();
  }

  /** If the database has gone back in time, what it lost is still in the journals, and is folded by a new thread. */
  async #checkWatermarks(): Promise<void> {
    this.#checkLater();
    const { settings, store } = this.#parts;
    this.#own?.trim();
    const reached = new Map(this.#orphans.reached);
    if (this.#own?.watermark) reached.set(watermarkKey(settings.journal), this.#own.watermark);
    for (const [journal, position] of reached) requireReached(await store.watermark(journal), position);
    if (this.#orphans.isCheckDue) this.#leftovers.now();
  }

  /** New hits should not wait long for old ones. */
  #leftoverLength(): number {
    const isBusy = performance.now() - this.#wokenAt < busyFor;
    return Math.min(this.#parts.store.batchLength(), isBusy ? busyLength : Number.POSITIVE_INFINITY);
  }

  /** What other nodes and threads have changed. Hits can be folded without knowing it. */
  async #readChanges(): Promise<void> {
    const { hosts, store } = this.#parts;
    const { seen, words } = this.#memory;
    try {
      const ended = await store.endedCorrections();
      if (ended !== this.#endedCorrections) {
        // An erased visitor who comes again is new.
        seen.clear();
        // Chunks may have been waiting for its end, or have been deleted by it.
        this.#chunking.now();
      }
      this.#endedCorrections = ended;
      words.noteSweep(await store.newestSweep());
      if (Math.abs(this.#now - this.#hostsReadAt) >= hostsKept) {
        for (const host of await store.verifiedHosts()) hosts.add(host);
        this.#hostsReadAt = this.#now;
      }
    } catch (cause) {
      if (!(cause instanceof StoreUnavailable)) throw cause;
    }
  }

  async #cleanUp(): Promise<void> {
    const { store, salts, settings } = this.#parts;
    this.#memory.hits.forgetVisitors();
    try {
      await store.deleteClaimsBefore(this.#serverClock.now - claimRetention);
      await deleteExpired(
        store,
        salts,
        // A clock that has jumped ahead must not delete recent data.
        Math.min(this.#now, this.#serverClock.now),
        settings.daysKept,
        () => this.#isStopping,
        () => this.#foldNew(),
      );
      await store.shortenLog();
      deleteDamagedBefore(
        settings.dataDir,
        this.#now - Math.min(settings.daysKept, damagedRetention) * dayLength,
      );
    } catch (cause) {
      if (!isUnavailable(cause)) throw cause;
      this.#warn('expired clicks not deleted', { error: (cause as Error).message });
    }
    this.#chunking.now();
  }

  /** Folds the rest if that is quick; otherwise it waits in the journal for the next start. */
  async #stop(): Promise<void> {
    this.#stopping.abort();
    for (const task of this.#tasks) task.stop();
    const timer = setTimeout(() => {
      this.#hasStopTimedOut = true;
      this.#current?.stop();
    }, stopTimeout);
    await this.#running;
    // After a failure that ended this thread's work, the rest waits in the journal as well.
    if (!this.#isStopped) await this.#lastRun().catch(() => {});
    clearTimeout(timer);
    this.#isStopped = true;
    this.#own?.close();
    await this.#parts.store.close();
    this.#parts.send({ kind: 'stopped' });
  }

  async #lastRun(): Promise<void> {
    await this.#serverClock.read();
    await this.#foldOwn();
    const own = this.#own;
    if (own === null || isBefore(own.position, this.#end)) return;
    const { settings, store } = this.#parts;
    if (own.watermark !== null)
      await store.finishJournal(watermarkKey(settings.journal), this.#serverClock.now);
    this.#orphans.removeOrKeep(settings.journal, own);
  }
}
