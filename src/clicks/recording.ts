import type { RawHit } from './enrich.ts';
import type { FoldSettings, FromFold, ToFold } from './fold-messages.ts';
import { Journal, type JournalDisk } from './journal.ts';
import {
  folderOf,
  isBefore,
  journalsIn,
  type Lock,
  lockJournal,
  newJournalName,
  type Position,
} from './journal-files.ts';

export interface RecordingParts {
  readonly settings: Omit<FoldSettings, 'journal'>;
  readonly disk: JournalDisk;
  readonly now: () => number;
  /** Calls this once all that came in this turn has been appended. */
  readonly afterTurn: (task: () => void) => void;
  /** Null leaves everything in the journal. */
  readonly startThread: (() => Worker) | null;
  readonly warn: (event: string, facts: Record<string, unknown>) => void;
  readonly fault: (event: string, cause: unknown) => void;
}

/** How long hits wait at the most before the fold is told of them: the more it folds at once, the less each costs. */
const wakeInterval = 200;
/** A segment is ended once all of it is folded, but not more often than this: then its addresses are gone. */
const rotateInterval = 2_000;
const restartPause = 1_000;
const stopPatience = 8_000;

/**
 * The clicks' way from the answer to storage, as the answering thread sees it: `append` before the answer, and the
 * rest happens elsewhere. The fold's thread is started by the first hit, or by what an earlier process left behind.
 */
export class Recording {
  readonly #parts: RecordingParts;
  readonly #settings: FoldSettings;
  readonly #journal: Journal;
  readonly #listeners: (() => void)[] = [];
  #lock: Lock | null = null;
  #thread: Worker | null = null;
  #restarting: Timer | undefined;
  #waking: Timer | undefined;
  #wokenAt = Number.NEGATIVE_INFINITY;
  #rotating: Timer | undefined;
  #folded: Position = { segment: 1, offset: 0 };
  #waiting: { readonly end: Position; readonly done: () => void }[] = [];
  #onStopped: () => void = () => {};
  #isStopping = false;
  #dropped = 0;

  constructor(parts: RecordingParts) {
    this.#parts = parts;
    this.#settings = { ...parts.settings, journal: newJournalName(parts.settings.dataDir) };
    this.#journal = new Journal({
      disk: parts.disk,
      afterTurn: parts.afterTurn,
      folder: () => this.#folder(),
      onWritten: () => this.#wakeSoon(),
      onTrouble: (what, hits, cause) => this.#trouble(what, hits, cause),
    });
    if (journalsIn(parts.settings.dataDir).length > 0) this.#start();
  }

  /** True when the hit will outlive this process; else it will at this turn's end, before what is put off after this. */
  keep(hit: RawHit): boolean {
    return this.#journal.keep(hit);
  }

  /** Null, or fulfilled, once the hit will outlive this process. Never rejected: it never stands in an answer's way. */
  append(hit: RawHit): Promise<void> | null {
    return this.#journal.append(hit);
  }

  /** Everything appended so far is in storage, and no more in the journal. */
  settled(): Promise<void> {
    this.#journal.rotate();
    const { end } = this.#journal;
    if (!isBefore(this.#folded, end) && this.#journal.held === 0) return Promise.resolve();
    this.#wake();
    if (this.#journal.held > 0) return Bun.sleep(wakeInterval).then(() => this.settled());
    return new Promise((done) => this.#waiting.push({ end, done }));
  }

  /** Calls `listener` after each stretch of hits that has got into storage. */
  onFolded(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** To be called now and then: old hits go, and so do the journals of other processes that have died. */
  tidy(): void {
    this.#start();
    this.#send({ kind: 'tidy', now: this.#parts.now() });
  }

  /** Folds what is left if storage takes it at once; otherwise the next start does. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#journal.stop();
    for (const timer of [this.#waking, this.#rotating, this.#restarting]) clearTimeout(timer);
    if (this.#thread !== null) {
      const stopped = new Promise<void>((resolve) => {
        this.#onStopped = resolve;
      });
      this.#send({ kind: 'stop', end: this.#journal.end, now: this.#parts.now() });
      await Promise.race([stopped, Bun.sleep(stopPatience)]);
      this.#thread.terminate();
      this.#thread = null;
    }
    this.#lock?.release();
  }

  #folder(): string {
    const folder = folderOf(this.#settings.dataDir, this.#settings.journal);
    this.#lock ??= lockJournal(folder);
    // Somebody who looks for what the dead left behind was quicker: he lets go of it at once.
    if (this.#lock === null) throw new Error('the journal is held by another process');
    return folder;
  }

  #start(): void {
    if (this.#thread !== null || this.#isStopping || this.#restarting !== undefined) return;
    const thread = this.#parts.startThread?.();
    if (thread === undefined) return;
    this.#thread = thread;
    thread.onmessage = (event: MessageEvent<FromFold>) => this.#hear(event.data);
    thread.onerror = (event) => this.#restart(new Error(`the fold's thread ended: ${event.message}`));
    this.#send({ kind: 'start', settings: this.#settings, now: this.#parts.now() });
  }

  #restart(cause: unknown): void {
    this.#parts.fault('fold failed', cause);
    this.#thread?.terminate();
    this.#thread = null;
    this.#onStopped();
    if (this.#isStopping) return;
    this.#restarting ??= setTimeout(() => {
      this.#restarting = undefined;
      this.#wake();
    }, restartPause);
  }

  #hear(message: FromFold): void {
    switch (message.kind) {
      case 'folded':
        this.#noteFolded(message.position);
        break;
      case 'recovered':
        for (const listener of this.#listeners) listener();
        break;
      case 'trouble':
        this.#parts.warn(message.event, message.facts);
        break;
      case 'fault':
        this.#restart(Object.assign(new Error(message.message), { stack: message.stack }));
        break;
      case 'stopped':
        this.#onStopped();
    }
  }

  #noteFolded(position: Position): void {
    this.#folded = position;
    const done = this.#waiting.filter(({ end }) => !isBefore(position, end));
    this.#waiting = this.#waiting.filter((waiting) => !done.includes(waiting));
    for (const waiting of done) waiting.done();
    for (const listener of this.#listeners) listener();
    if (!this.#isStopping && position.offset > 0 && !isBefore(position, this.#journal.end)) {
      this.#rotating ??= setTimeout(() => this.#rotateFolded(), rotateInterval);
    }
  }

  #rotateFolded(): void {
    this.#rotating = undefined;
    this.#journal.rotate();
    this.#wake();
  }

  #wakeSoon(): void {
    if (this.#waking !== undefined) return;
    const wait = this.#wokenAt + wakeInterval - performance.now();
    if (wait <= 0) this.#wake();
    else this.#waking = setTimeout(() => this.#wake(), wait);
  }

  #wake(): void {
    clearTimeout(this.#waking);
    this.#waking = undefined;
    this.#wokenAt = performance.now();
    if (this.#isStopping) return;
    this.#start();
    this.#send({ kind: 'wake', end: this.#journal.end, now: this.#parts.now() });
  }

  #send(message: ToFold): void {
    this.#thread?.postMessage(message);
  }

  #trouble(what: 'held' | 'dropped', hits: number, cause: unknown): void {
    const error = cause instanceof Error ? cause.message : String(cause);
    if (what === 'dropped') this.#dropped += hits;
    const event = what === 'dropped' ? 'clicks dropped' : 'clicks wait in memory';
    this.#parts.warn(event, { hits, error, dropped_so_far: this.#dropped });
  }
}
