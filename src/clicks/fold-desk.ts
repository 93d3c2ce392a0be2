import { StoreAway } from '../rules/errors.ts';
import { type DeliveriesOf, type FoldStore, JournalTaken } from '../storage/fold-store.ts';
import type { EnrichParts } from './enrich.ts';
import { type ClicksOf, JournalFold } from './fold.ts';
import { BatchBuilder } from './fold-batch.ts';
import type { FoldSettings, FromFold, ToFold } from './fold-messages.ts';
import { HitStretch } from './hit-stretch.ts';
import {
  folderOf,
  isBefore,
  type JournalName,
  journalsIn,
  lockJournal,
  type Position,
  removeJournal,
  watermarkKey,
} from './journal-files.ts';
import { forgetOld } from './retention.ts';
import { SeenVisitors } from './seen-visitors.ts';
import { ValueLimit } from './value-limit.ts';
import type { DailySalts } from './visitor-hash.ts';
import { WordPlaces } from './word-places.ts';

export interface DeskParts {
  readonly settings: FoldSettings;
  readonly store: FoldStore;
  readonly salts: DailySalts;
  readonly enrich: EnrichParts;
  /** Hosts of ours, kept up to date here. */
  readonly hosts: Set<string>;
  readonly now: number;
  readonly deliveriesOf: (clicks: ClicksOf, place: string, now: number) => DeliveriesOf;
  readonly tell: (message: FromFold) => void;
}

const hostsKept = 60_000;
const awayPause = 500;
const stopPatience = 3_000;
/** Milliseconds: for so long after a hit, more are expected. */
const busyFor = 5_000;
/** Hits of the past in one turn, then. */
const busyLength = 32_768;

/** A fold into SQLite never waits for anything: what this thread was sent meanwhile is only heard in a pause. */
const messagesHeard = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * What the fold's thread does, one thing after another: first the journals that earlier processes left behind, then
 * that of this process as far as it is told that it reaches, and now and then what has been kept for long enough.
 */
export class FoldDesk {
  readonly #parts: DeskParts;
  readonly #words = new WordPlaces();
  readonly #stretch: HitStretch;
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

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#now = parts.now;
    this.#stretch = new HitStretch(this.#words, new ValueLimit(), parts.enrich);
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

  /** While there is nothing to fold: gives back what a long stretch takes, some 30 MB. */
  release(): void {
    if (this.#turn !== null) return;
    this.#stretch.release();
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

  /** A fault of ours ends this thread's work: what it has in memory is worth nothing then. */
  async #fail(cause: Error): Promise<void> {
    if (cause instanceof StoreAway) {
      this.#trouble('clicks wait in the journal', { error: cause.message });
      if (!this.#isStopping) await Bun.sleep(awayPause);
      return;
    }
    this.#isStopped = true;
    const { message, stack = '' } = cause;
    this.#parts.tell({ kind: 'fault', event: 'fold failed', message, stack });
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
        await this.#recover(name);
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
      hasMore = await this.#foldSome(own, end, store.stretchLength());
      tell({ kind: 'folded', position: own.position });
    }
  }

  async #foldSome(journal: JournalFold, end: Position | null, most: number): Promise<boolean> {
    if (this.#isOutOfPatience) return false;
    this.#current = journal;
    const hasFolded = await journal.foldStretch(end, most);
    this.#current = null;
    if (hasFolded) await messagesHeard();
    return hasFolded;
  }

  #leftovers(): JournalName[] {
    const own = watermarkKey(this.#parts.settings.journal);
    return journalsIn(this.#parts.settings.dataDir).filter((name) => watermarkKey(name) !== own);
  }

  /** Nothing is done to a journal whose process lives. */
  async #recover(name: JournalName): Promise<void> {
    const folder = folderOf(this.#parts.settings.dataDir, name);
    const lock = lockJournal(folder);
    if (lock === null || this.#isStopping) {
      lock?.release();
      return;
    }
    try {
      const journal = await this.#open(name);
      const isWhole = await this.#foldLeftover(journal, name);
      journal.close();
      if (!isWhole || this.#isStopping) return;
      removeJournal(folder);
      await this.#parts.store.forgetWatermark(watermarkKey(name));
      this.#parts.tell({ kind: 'recovered', journal: watermarkKey(name) });
    } finally {
      lock.release();
    }
  }

  /** However much was left behind, fresh hits come in between. False: not all of it was folded, or not by us. */
  async #foldLeftover(journal: JournalFold, name: JournalName): Promise<boolean> {
    try {
      while (await this.#foldSome(journal, null, this.#leftoverLength())) await this.#foldOwn();
      return !this.#isOutOfPatience;
    } catch (cause) {
      // A copy of this folder is folded by another node: what it has done is done for both.
      if (!(cause instanceof JournalTaken) || cause.message !== watermarkKey(name)) throw cause;
      this.#trouble('journal folded elsewhere', { journal: watermarkKey(name) });
      return false;
    }
  }

  /** Where visitors come now, their hits don't wait long for those of the past. */
  #leftoverLength(): number {
    const isBusy = performance.now() - this.#wokenAt < busyFor;
    return Math.min(this.#parts.store.stretchLength(), isBusy ? busyLength : Number.POSITIVE_INFINITY);
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
        stretch: this.#stretch,
        builder: this.#builder,
        deliveriesOf: (clicks, place) => deliveriesOf(clicks, place, this.#now),
        onTorn: (segment, bytes) => this.#trouble('journal cut off', { journal: key, segment, bytes }),
        onAway: (cause) => this.#trouble('clicks wait in the journal', { error: (cause as Error).message }),
      },
      key,
      folderOf(settings.dataDir, name),
    );
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
    this.#stretch.forgetPeople();
    try {
      await forgetOld(store, salts, this.#now, settings.daysKept, () => this.#isStopping);
    } catch (cause) {
      if (!(cause instanceof StoreAway)) throw cause;
    }
  }

  /** What is left is folded if that goes quickly; otherwise it waits in the journal for the next start. */
  async #stop(): Promise<void> {
    this.#isStopping = true;
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
