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
import { isPassing } from '../journal/passing-fault.ts';
import { StoreAway } from '../rules/errors.ts';
import { dayLength } from '../rules/utc-time.ts';
import { BatchBuilder } from './batch-builder.ts';
import type { EnrichParts } from './enrich.ts';
import type { FoldSettings, FromFold, ToFold } from './fold-messages.ts';
import { type DeliveriesOf, type FoldStore, JournalTaken } from './fold-store.ts';
import { HitBatch } from './hit-batch.ts';
import { type ClicksOf, JournalFold } from './journal-fold.ts';
import { forgetOld } from './retention.ts';
import { SeenVisitors } from './seen-visitors.ts';
import { ValueLimit } from './value-limit.ts';
import type { DailySalts } from './visitor-hash.ts';
import { WordIds } from './word-ids.ts';

export interface FoldWorkerParts {
  readonly settings: FoldSettings;
  readonly store: FoldStore;
  readonly salts: DailySalts;
  readonly enrich: EnrichParts;
  /** Our own hosts, kept up to date here. */
  readonly hosts: Set<string>;
  readonly now: number;
  readonly deliveriesOf: (clicks: ClicksOf, batch: string, now: number) => DeliveriesOf;
  readonly tell: (message: FromFold) => void;
}

const hostsKept = 60_000;
const firstPause = 500;
const longestPause = 10_000;
/** How often it is said that clicks wait, while they do. */
const saidEvery = 10_000;
/** After which a journal that couldn't be read is looked at again. */
const leftoverPause = 5_000;
const stopPatience = 3_000;
/** Milliseconds: for so long after a hit, more are expected. */
const busyFor = 5_000;
/** Hits of the past in one turn, then. */
const busyLength = 32_768;

/** A fold into SQLite never awaits anything: messages to this thread are only received in a pause. */
const messagesHeard = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * What the fold's thread does, one thing after another: first the journals that earlier processes left behind, then
 * that of this process as far as it is known to reach, and from time to time the deletion of expired data.
 */
export class FoldWorker {
  readonly #parts: FoldWorkerParts;
  readonly #words = new WordIds();
  readonly #hits: HitBatch;
  readonly #builder = new BatchBuilder(new SeenVisitors());
  #now: number;
  #end: Position = { segment: 1, offset: 0 };
  #own: JournalFold | null = null;
  #current: JournalFold | null = null;
  #mayHaveLeftovers = true;
  #mustTidy = true;
  #isStopping = false;
  #isOutOfPatience = false;
  #wokenAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  #turn: Promise<void> | null = null;
  #hostsReadAt = Number.NEGATIVE_INFINITY;
  #pauseLength = firstPause;
  #endPause: () => void = () => {};
  #lookingAgain: Timer | undefined;
  /** Journals left behind of which another process has folded some. */
  readonly #foldedByOthers = new Set<string>();
  #saidAway = Number.NEGATIVE_INFINITY;

  constructor(parts: FoldWorkerParts) {
    this.#parts = parts;
    this.#now = parts.now;
    this.#hits = new HitBatch(this.#words, new ValueLimit(), parts.enrich);
    this.#run();
  }

  take(message: Exclude<ToFold, { kind: 'start' }>): void {
    this.#now = message.now;
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
      this.#sayAway(cause);
      await this.#pause();
      return;
    }
    this.#isStopped = true;
    const { message, stack = '' } = cause;
    this.#parts.tell({ kind: 'fault', event: 'fold failed', message, stack });
  }

  /** The pause grows with each failure in a row. */
  async #pause(): Promise<void> {
    if (this.#isStopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#pauseLength);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#pauseLength = Math.min(this.#pauseLength * 2, longestPause);
  }

  #sayAway(cause: unknown): void {
    const now = performance.now();
    if (now - this.#saidAway < saidEvery) return;
    this.#saidAway = now;
    this.#trouble('clicks wait in the journal', { error: (cause as Error).message });
  }

  #trouble(event: string, facts: Record<string, unknown>): void {
    this.#parts.tell({ kind: 'trouble', event, facts });
  }

  #hasMore(): boolean {
    return (
      this.#mustTidy ||
      this.#mayHaveLeftovers ||
      this.#own === null ||
      isBefore(this.#own.position, this.#end)
    );
  }

  async #work(): Promise<void> {
    await this.#readHosts();
    await this.#foldOwn();
    if (this.#mayHaveLeftovers) {
      for (const name of this.#leftovers()) {
        await this.#recoverOrWait(name);
        await this.#foldOwn();
      }
      this.#mayHaveLeftovers = false;
    }
    if (this.#mustTidy && !this.#isStopping) {
      this.#mustTidy = false;
      await this.#tidy();
    }
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
    if (hasFolded) await messagesHeard();
    return hasFolded;
  }

  #leftovers(): JournalName[] {
    const own = watermarkKey(this.#parts.settings.journal);
    return journalsIn(this.#parts.settings.dataDir).filter((name) => watermarkKey(name) !== own);
  }

  /** What can't be read or locked now is left for later: fresh hits don't wait for it. */
  async #recoverOrWait(name: JournalName): Promise<void> {
    try {
      await this.#recover(name);
    } catch (cause) {
      if (!isAway(cause)) throw cause;
      this.#trouble('journal left for later', {
        journal: watermarkKey(name),
        error: (cause as Error).message,
      });
      this.#lookAgainLater();
    }
  }

  #lookAgainLater(): void {
    this.#lookingAgain ??= setTimeout(() => {
      this.#lookingAgain = undefined;
      this.#mayHaveLeftovers = true;
      this.#run();
    }, leftoverPause);
  }

  /** Nothing is done to a journal whose process lives. */
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
      const isWhole = await this.#foldLeftover(journal, name);
      if (!isWhole || this.#isStopping) return;
      removeJournal(folder);
      await this.#parts.store.forgetWatermark(watermarkKey(name));
      this.#parts.tell({ kind: 'recovered', journal: watermarkKey(name) });
    } finally {
      journal?.close();
      lock.release();
    }
  }

  /** Whether another process has folded all of it meanwhile: it has forgotten the watermark, and the hits are counted. */
  async #isFoldedElsewhere(name: JournalName): Promise<boolean> {
    const key = watermarkKey(name);
    return this.#foldedByOthers.has(key) && (await this.#parts.store.watermark(key)) === null;
  }

  /**
   * Fresh hits are folded in between, however much was left behind. False: not all of it was folded, or not by us.
   */
  async #foldLeftover(journal: JournalFold, name: JournalName): Promise<boolean> {
    try {
      while (await this.#foldSome(journal, null, this.#leftoverLength())) await this.#foldOwn();
      return !this.#isOutOfPatience;
    } catch (cause) {
      // A copy of this folder is folded by another node, and what it has done is done for both; or the database has just
      // finished what this journal's process had sent before it was killed. The next look goes on from there.
      if (!(cause instanceof JournalTaken) || cause.message !== watermarkKey(name)) throw cause;
      this.#foldedByOthers.add(watermarkKey(name));
      this.#trouble('journal folded elsewhere', { journal: watermarkKey(name) });
      if (!this.#isStopping) this.#lookAgainLater();
      return false;
    }
  }

  /** While visitors come, their hits don't wait long for those of the past. */
  #leftoverLength(): number {
    const isBusy = performance.now() - this.#wokenAt < busyFor;
    return Math.min(this.#parts.store.batchLength(), isBusy ? busyLength : Number.POSITIVE_INFINITY);
  }

  #open(name: JournalName): Promise<JournalFold> {
    const { store, enrich, salts, deliveriesOf, settings } = this.#parts;
    const key = watermarkKey(name);
    return JournalFold.open(
      {
        store,
        enrich,
        salts,
        words: this.#words,
        hits: this.#hits,
        builder: this.#builder,
        deliveriesOf: (clicks, batch) => deliveriesOf(clicks, batch, this.#now),
        onTorn: (segment, bytes) => this.#trouble('journal cut off', { journal: key, segment, bytes }),
        onTruncated: (segment, bytes) => this.#trouble('journal truncated', { journal: key, segment, bytes }),
        onDamage: (damage) => this.#tellDamage(name, damage),
        onAway: (cause) => this.#sayAway(cause),
      },
      key,
      folderOf(settings.dataDir, name),
    );
  }

  /** At once, before it is folded: also if this process ends in between, the segment is still there. */
  #tellDamage(name: JournalName, damage: Damage): void {
    const facts = { journal: watermarkKey(name), ...damage };
    const error = 'the disk holds other bytes than were written';
    try {
      const kept = keepAside(this.#parts.settings.dataDir, name, damage.segment);
      this.#parts.tell({ kind: 'damage', error, facts: { ...facts, kept } });
    } catch (cause) {
      this.#parts.tell({ kind: 'damage', error, facts: { ...facts, not_kept: (cause as Error).message } });
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
      await forgetOld(store, salts, this.#now, settings.daysKept, () => this.#isStopping);
      forgetDamaged(settings.dataDir, this.#now - settings.daysKept * dayLength);
    } catch (cause) {
      if (!isAway(cause)) throw cause;
    }
  }

  /** Folds the rest if that goes quickly; otherwise it waits in the journal for the next start. */
  async #stop(): Promise<void> {
    this.#isStopping = true;
    this.#endPause();
    clearTimeout(this.#lookingAgain);
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
    removeJournal(folderOf(settings.dataDir, settings.journal));
    if (own.hasFolded) await store.forgetWatermark(watermarkKey(settings.journal));
  }
}

/** Database or disk: what they refuse now may be tried again. */
const isAway = (cause: unknown): boolean => cause instanceof StoreAway || isPassing(cause);
