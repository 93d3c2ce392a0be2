import { setTimeout as sleep } from 'node:timers/promises';
import { type Damage, forgetDamaged, keepAside } from '../journal/damage.ts';
import {
  folderOf,
  isBefore,
  type JournalName,
  journalsIn,
  type Position,
  watermarkKey,
} from '../journal/files.ts';
import { lockJournal, removeJournal } from '../journal/lock.ts';
import { StoreAway } from '../rules/errors.ts';
import { isPassing } from '../rules/passing-fault.ts';
import { dayLength } from '../rules/utc-time.ts';
import { BatchBuilder } from './batch-builder.ts';
import type { EnrichParts } from './enrich.ts';
import type { FoldSettings, FromFold, ToFold } from './fold-messages.ts';
import { claimsKept, type DeliveriesOf, type FoldStore, JournalTaken, StoreChanged } from './fold-store.ts';
import { HitBatch } from './hit-batch.ts';
import { type ClicksOf, JournalFold } from './journal-fold.ts';
import { forgetOld } from './retention.ts';
import { SeenVisitors } from './seen-visitors.ts';
import { ServerClock } from './server-clock.ts';
import { ValueLimit } from './value-limit.ts';
import type { DailySalts } from './visitor-hash.ts';
import { WordIds } from './word-ids.ts';

/** What a fold works with. */
export interface FoldParts {
  readonly store: FoldStore;
  readonly salts: DailySalts;
  readonly enrich: EnrichParts;
  /** Our own hosts, kept up to date by the worker. */
  readonly hosts: Set<string>;
  readonly deliveriesOf: (clicks: ClicksOf, batch: string, now: number) => DeliveriesOf;
}

export interface FoldWorkerParts extends FoldParts {
  readonly settings: FoldSettings;
  readonly now: number;
  readonly tell: (message: FromFold) => void;
}

const hostsKept = 60_000;
const firstPause = 500;
const maxPause = 10_000;
/** How often it is reported that clicks wait, while they do. */
const reportInterval = 10_000;
/** Milliseconds after which a journal that couldn't be read is tried again. */
const leftoverPause = 5_000;
/** How often it is looked at whether the database has gone back. */
const checkInterval = 5_000;
/** How often finished journals are looked at that are kept. */
const keptLook = 60_000;
const stopPatience = 3_000;
/** Days: their clicks are counted, and they have visitors' addresses. */
const damagedKept = 7;
/** Milliseconds after a hit in which more are expected. */
const busyFor = 5_000;
/** How many old hits are folded in one turn during that time. */
const busyLength = 32_768;
/** Hits after which there may be enough of an organization to be merged. */
const mergedAfter = 32_768;
/** Milliseconds in which other writers find the store free, between two steps. */
const othersTurn = 20;
/** Milliseconds after which what was merged may be deleted from where it was, and a little. */
const mergePause = 61_000;

/** A fold into SQLite never awaits anything: messages to this thread are only received in a pause. */
const messagesReceived = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * What the fold's thread does, one thing after another: first the journals that earlier processes left behind, then
 * that of this process as far as it is known to reach, and from time to time the deletion of expired data.
 */
export class FoldWorker {
  readonly #parts: FoldWorkerParts;
  readonly #words = new WordIds();
  readonly #hits: HitBatch;
  readonly #builder: BatchBuilder;
  readonly #seen = new SeenVisitors();
  #newestCorrection = 0;
  #now: number;
  readonly #serverClock: ServerClock;
  /** When that was said, by the clock of this thread. */
  #nowSaidAt = performance.now();
  #end: Position = { segment: 1, offset: 0 };
  #own: JournalFold | null = null;
  #current: JournalFold | null = null;
  #mayHaveLeftovers = true;
  #mustTidy = true;
  #mustMerge = false;
  /** Hits that were folded since the last look for what can be merged. */
  #unmerged = 0;
  #mergingLater: Timer | undefined;
  readonly #stopping = new AbortController();
  #isOutOfPatience = false;
  #wokenAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  #turn: Promise<void> | null = null;
  #hostsReadAt = Number.NEGATIVE_INFINITY;
  #pauseLength = firstPause;
  #lookingAgain: Timer | undefined;
  /** Deletes the last claims when no hits follow. */
  #forgetting: Timer | undefined;
  #mustForget = false;
  /** Journals left behind of which another process has folded some. */
  readonly #foldedByOthers = new Set<string>();
  /** Finished journals that are kept for a while, and how far they were folded. */
  readonly #finished = new Map<string, Position>();
  #leftoversAt = Number.NEGATIVE_INFINITY;
  #checking: Timer | undefined;
  #mustCheck = false;
  #reportedAwayAt = Number.NEGATIVE_INFINITY;

  constructor(parts: FoldWorkerParts) {
    this.#parts = parts;
    this.#now = parts.now;
    this.#serverClock = new ServerClock(
      async () => (parts.settings.clock === 'told' ? null : parts.store.serverNow()),
      () => this.#clock,
      (milliseconds) => this.#trouble('clock ahead of the database', { milliseconds }),
    );
    this.#builder = new BatchBuilder(this.#seen, parts.store.minByLink);
    this.#hits = new HitBatch(this.#words, new ValueLimit(), parts.enrich, parts.settings.floodLimit);
    this.#run();
  }

  take(message: Exclude<ToFold, { kind: 'start' }>): void {
    this.#now = message.now;
    this.#nowSaidAt = performance.now();
    if (message.kind === 'wake') this.#wokenAt = performance.now();
    if (message.kind === 'tidy') {
      this.#mustTidy = true;
      this.#mayHaveLeftovers = true;
    } else {
      this.#end = message.end;
    }
    if (message.kind === 'stop') void this.#stop();
    else this.#run();
  }

  /** While there is nothing to fold: frees the memory of a long batch, some 30 MB. */
  release(): void {
    if (this.#turn !== null) return;
    this.#hits.release();
    this.#builder.release();
  }

  /** While a long journal is folded, no message says how late it is. */
  get #clock(): number {
    return Math.floor(this.#now + performance.now() - this.#nowSaidAt);
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #run(): void {
    if (this.#isStopped) return;
    this.#turn ??= this.#work()
      .catch((cause) => this.#fail(cause))
      .finally(() => {
        this.#turn = null;
        if (!this.#isStopping && this.#hasMore()) this.#run();
      });
  }

  /** A bug ends this thread's work: its memory can't be trusted then. */
  async #fail(cause: Error): Promise<void> {
    if (isAway(cause)) {
      this.#reportAway(cause);
      await this.#pause();
      return;
    }
    this.#isStopped = true;
    const isOwnTaken =
      cause instanceof JournalTaken && cause.message === watermarkKey(this.#parts.settings.journal);
    if (cause instanceof StoreChanged || isOwnTaken) {
      const reason = isOwnTaken ? 'the watermark has moved' : cause.message;
      this.#parts.tell({ kind: 'restart', reason });
      return;
    }
    const { message, stack = '' } = cause;
    this.#parts.tell({ kind: 'fault', message, stack });
  }

  /** The pause grows with each failure in a row. */
  async #pause(): Promise<void> {
    if (this.#isStopping) return;
    await sleep(this.#pauseLength, null, { signal: this.#stopping.signal }).catch(() => {});
    this.#pauseLength = Math.min(this.#pauseLength * 2, maxPause);
  }

  #reportAway(cause: unknown): void {
    const now = performance.now();
    if (now - this.#reportedAwayAt < reportInterval) return;
    this.#reportedAwayAt = now;
    this.#trouble('clicks wait in the journal', { error: (cause as Error).message });
  }

  #trouble(event: string, facts: Record<string, unknown>): void {
    this.#parts.tell({ kind: 'trouble', event, facts });
  }

  #hasMore(): boolean {
    return (
      this.#mustTidy ||
      this.#mustForget ||
      this.#mustMerge ||
      this.#mustCheck ||
      this.#mayHaveLeftovers ||
      this.#own === null ||
      isBefore(this.#own.position, this.#end)
    );
  }

  async #work(): Promise<void> {
    await this.#serverClock.read();
    await this.#readHosts();
    await this.#forgetErased();
    await this.#foldOwn();
    if (this.#mustCheck && !this.#isStopping) {
      this.#mustCheck = false;
      await this.#checkWatermarks();
    }
    if (this.#mayHaveLeftovers) {
      this.#leftoversAt = performance.now();
      for (const name of this.#leftovers()) {
        await this.#recoverOrWait(name);
        await this.#foldOwn();
      }
      this.#mayHaveLeftovers = false;
    }
    if (this.#mustForget && !this.#isStopping) {
      this.#mustForget = false;
      await this.#parts.store.deleteClaimsBefore(this.#clock - claimsKept);
    }
    if (this.#mustTidy && !this.#isStopping) {
      this.#mustTidy = false;
      await this.#tidy();
      this.#mustMerge = true;
    }
    if (this.#mustMerge && !this.#isStopping) {
      this.#mustMerge = false;
      await this.#merge();
    }
  }

  /** New hits are folded in between. */
  async #merge(): Promise<void> {
    this.#unmerged = 0;
    let hasMerged = false;
    try {
      while (!this.#isStopping && (await this.#parts.store.mergeSome(this.#clock))) {
        hasMerged = true;
        await this.#foldOwn();
        await Bun.sleep(othersTurn);
      }
    } catch (cause) {
      if (!isAway(cause)) throw cause;
    }
    if (hasMerged) this.#mergeLater();
  }

  /** What is merged is deleted from where it was some time later. */
  #mergeLater(): void {
    if (this.#isStopping) return;
    this.#mergingLater ??= setTimeout(() => {
      this.#mergingLater = undefined;
      this.#mustMerge = true;
      this.#run();
    }, mergePause);
  }

  async #foldNew(): Promise<void> {
    if (this.#own !== null && isBefore(this.#own.position, this.#end)) await this.#foldOwn();
  }

  async #foldOwn(): Promise<void> {
    const { settings, store, tell } = this.#parts;
    this.#own ??= await this.#open(settings.journal);
    const own = this.#own;
    const end = this.#end;
    for (let hasMore = true; hasMore; ) {
      hasMore = await this.#foldSome(own, end, store.batchLength());
      this.#pauseLength = firstPause;
      tell({ kind: 'folded', position: own.position });
    }
  }

  async #foldSome(journal: JournalFold, end: Position | null, maxHits: number): Promise<boolean> {
    if (this.#isOutOfPatience) return false;
    this.#current = journal;
    const hasFolded = await journal.foldBatch(end, maxHits);
    this.#current = null;
    this.#unmerged += this.#hits.count;
    if (this.#unmerged >= mergedAfter) this.#mustMerge = true;
    if (hasFolded) {
      this.#checkLater();
      this.#forgetLater();
      await messagesReceived();
    }
    return hasFolded;
  }

  #leftovers(): JournalName[] {
    const own = watermarkKey(this.#parts.settings.journal);
    return journalsIn(this.#parts.settings.dataDir).filter((name) => watermarkKey(name) !== own);
  }

  /** A journal that can't be read or locked now, or that others fold, is left for later: new hits don't wait for it. */
  async #recoverOrWait(name: JournalName): Promise<void> {
    const journal = watermarkKey(name);
    try {
      await this.#recover(name);
    } catch (cause) {
      if (cause instanceof JournalTaken && cause.message === journal) {
        // Another node folds a copy of this folder, and what it has folded is done for both; or the database has just
        // finished what this journal's process had sent before it was killed. The next look continues from there.
        this.#foldedByOthers.add(journal);
        this.#trouble('journal folded elsewhere', { journal });
      } else if (isAway(cause))
        this.#trouble('journal left for later', { journal, error: (cause as Error).message });
      else throw cause;
      if (!this.#isStopping) this.#lookAgainLater();
    }
  }

  /** From the last batch on: claims that are followed by others are deleted by those. */
  #forgetLater(): void {
    clearTimeout(this.#forgetting);
    this.#forgetting = setTimeout(() => {
      this.#mustForget = true;
      this.#run();
    }, claimsKept + 1_000);
  }

  #checkLater(): void {
    if (this.#isStopping || this.#parts.settings.keep.milliseconds === 0) return;
    this.#checking ??= setTimeout(() => {
      this.#checking = undefined;
      this.#mustCheck = true;
      this.#run();
    }, checkInterval);
  }

  /** Where the database has gone back, what it has lost is still in the journals, and is folded by a fresh thread. */
  async #checkWatermarks(): Promise<void> {
    this.#checkLater();
    const own = watermarkKey(this.#parts.settings.journal);
    this.#own?.trim();
    const known = [...this.#finished, [own, this.#own?.watermark ?? null] as const];
    for (const [journal, mark] of known) {
      if (mark === null) continue;
      const stored = await this.#parts.store.watermark(journal);
      if (stored === null || isBefore(stored, mark)) throw new StoreChanged('a watermark has gone back');
    }
    if (this.#finished.size > 0 && performance.now() - this.#leftoversAt > keptLook)
      this.#mayHaveLeftovers = true;
  }

  #lookAgainLater(): void {
    this.#lookingAgain ??= setTimeout(() => {
      this.#lookingAgain = undefined;
      this.#mayHaveLeftovers = true;
      this.#run();
    }, leftoverPause);
  }

  /** A journal whose process still runs is left alone. */
  async #recover(name: JournalName): Promise<void> {
    const folder = folderOf(this.#parts.settings.dataDir, name);
    const lock = lockJournal(folder);
    if (lock === null || this.#isStopping) {
      lock?.release();
      return;
    }
    let journal: JournalFold | null = null;
    try {
      if (await this.#isFoldedElsewhere(name)) return;
      journal = await this.#open(name);
      // New hits are folded in between.
      while (await this.#foldSome(journal, null, this.#leftoverLength())) await this.#foldOwn();
      if (this.#isStopping) return;
      await this.#parts.store.finishJournal(watermarkKey(name), this.#clock);
      this.#removeOrKeep(name, journal);
      this.#parts.tell({ kind: 'recovered' });
    } finally {
      journal?.close();
      lock.release();
    }
  }

  /** A finished journal goes once its segments have been kept for long enough. */
  #removeOrKeep(name: JournalName, journal: JournalFold): void {
    const key = watermarkKey(name);
    if (journal.finish() && journal.watermark !== null) {
      this.#finished.set(key, journal.watermark);
      this.#checkLater();
      return;
    }
    this.#finished.delete(key);
    removeJournal(folderOf(this.#parts.settings.dataDir, name));
  }

  /** Whether another process has folded all of it meanwhile: one of an earlier version then forgets the watermark. */
  async #isFoldedElsewhere(name: JournalName): Promise<boolean> {
    const key = watermarkKey(name);
    return this.#foldedByOthers.has(key) && (await this.#parts.store.watermark(key)) === null;
  }

  /** On PostgreSQL other nodes have journals of their own. */
  #isAlone(journal: string): boolean {
    const { dataDir, databaseUrl } = this.#parts.settings;
    try {
      return databaseUrl === null && journalsIn(dataDir).every((name) => watermarkKey(name) === journal);
    } catch (cause) {
      if (!isPassing(cause)) throw cause;
      return false;
    }
  }

  /** New hits should not wait long for old ones. */
  #leftoverLength(): number {
    const isBusy = performance.now() - this.#wokenAt < busyFor;
    return Math.min(this.#parts.store.batchLength(), isBusy ? busyLength : Number.POSITIVE_INFINITY);
  }

  async #open(name: JournalName): Promise<JournalFold> {
    const { store, enrich, salts, deliveriesOf, settings } = this.#parts;
    const key = watermarkKey(name);
    const journal = await JournalFold.open(
      {
        store,
        enrich,
        salts,
        words: this.#words,
        hits: this.#hits,
        builder: this.#builder,
        repeatWindow: settings.repeatWindow,
        floodLimit: settings.floodLimit,
        now: () => this.#clock,
        bound: () => this.#serverClock.bound,
        isAlone: (journal) => this.#isAlone(journal),
        deliveriesOf: (clicks, batch) => deliveriesOf(clicks, batch, this.#now),
        onFlaw: ({ kind, segment, bytes }) =>
          this.#trouble(kind === 'torn' ? 'journal cut off' : 'journal truncated', {
            journal: key,
            segment,
            bytes,
          }),
        onDamage: (damage) => this.#tellDamage(name, damage),
        onAway: (cause) => this.#reportAway(cause),
        keep: settings.keep,
      },
      key,
      folderOf(settings.dataDir, name),
    );
    if (journal.gone !== null)
      this.#trouble('clicks gone from the journal', { journal: key, ...journal.gone });
    return journal;
  }

  /** Before the batch is folded: if this process ends in between, the segment is still there. */
  #tellDamage(name: JournalName, damage: Damage): void {
    const facts = { journal: watermarkKey(name), ...damage };
    try {
      const kept = keepAside(this.#parts.settings.dataDir, name, damage.segment);
      this.#parts.tell({ kind: 'damage', facts: { ...facts, kept } });
    } catch (cause) {
      this.#parts.tell({ kind: 'damage', facts: { ...facts, not_kept: (cause as Error).message } });
    }
  }

  /** A visitor who was erased and comes again is a new one. */
  async #forgetErased(): Promise<void> {
    try {
      const newest = await this.#parts.store.newestCorrection();
      if (newest !== this.#newestCorrection) {
        this.#seen.clear();
        // Chunks may have been waiting for its end, or be gone because of it.
        this.#mustMerge = true;
      }
      this.#newestCorrection = newest;
    } catch (cause) {
      if (!(cause instanceof StoreAway)) throw cause;
    }
  }

  async #readHosts(): Promise<void> {
    if (this.#now - this.#hostsReadAt < hostsKept && this.#now >= this.#hostsReadAt) return;
    try {
      for (const host of await this.#parts.store.verifiedHosts()) this.#parts.hosts.add(host);
      this.#hostsReadAt = this.#now;
    } catch (cause) {
      if (!(cause instanceof StoreAway)) throw cause;
    }
  }

  async #tidy(): Promise<void> {
    const { store, salts, settings } = this.#parts;
    this.#hits.forgetVisitors();
    try {
      await store.deleteClaimsBefore(this.#clock - claimsKept);
      await forgetOld(
        store,
        salts,
        // A clock that has jumped ahead must not delete what isn't old.
        Math.min(this.#now, this.#serverClock.now),
        settings.daysKept,
        () => this.#isStopping,
        () => this.#foldNew(),
      );
      await store.shortenLog();
      forgetDamaged(settings.dataDir, this.#now - Math.min(settings.daysKept, damagedKept) * dayLength);
    } catch (cause) {
      if (!isAway(cause)) throw cause;
    }
  }

  /** Folds the rest if that is quick; otherwise it waits in the journal for the next start. */
  async #stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#lookingAgain);
    clearTimeout(this.#forgetting);
    clearTimeout(this.#checking);
    clearTimeout(this.#mergingLater);
    const patience = setTimeout(() => {
      this.#isOutOfPatience = true;
      this.#current?.stop();
    }, stopPatience);
    await this.#turn;
    await this.#lastTurn().catch(() => {});
    clearTimeout(patience);
    this.#isStopped = true;
    this.#own?.close();
    await this.#parts.store.close();
    this.#parts.tell({ kind: 'stopped' });
  }

  async #lastTurn(): Promise<void> {
    await this.#foldOwn();
    const own = this.#own;
    if (own === null || isBefore(own.position, this.#end)) return;
    const { settings, store } = this.#parts;
    if (own.watermark !== null) await store.finishJournal(watermarkKey(settings.journal), this.#clock);
    this.#removeOrKeep(settings.journal, own);
  }
}

/** The database or the disk refused, and may accept the same later. */
const isAway = (cause: unknown): boolean => cause instanceof StoreAway || isPassing(cause);
