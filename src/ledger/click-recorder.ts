import type { JournalDisk } from '../journal/disk.ts';
import { DroppedHits } from '../journal/dropped-hits.ts';
import { isBefore, journalsIn, newJournalName, type Position } from '../journal/files.ts';
import type { RawHit } from '../journal/hit.ts';
import { Journal } from '../journal/journal.ts';
import { OwnJournal, removeUnusedJournals } from '../journal/own-journal.ts';
import { waitAtMost } from '../structures/with-timeout.ts';
import { hasFreeDescriptors } from '../threads/free-descriptors.ts';
import { addClickServerCalls } from './click-server-calls.ts';
import { FoldLag } from './fold/fold-lag.ts';
import type { FoldSettings, FromFold, ToFold } from './fold/fold-messages.ts';
import { firstDayOfSalts } from './retention/retention.ts';
import { SaltFolder } from './visitors/salts/salt-folder.ts';

interface ClickRecorderParts {
  readonly settings: Omit<FoldSettings, 'journal'>;
  readonly disk: JournalDisk;
  readonly now: () => number;
  /** Calls `task` once all hits of this tick have been appended. */
  readonly afterTick: (task: () => void) => void;
  /** Null leaves everything in the journal. */
  readonly startThread: (() => Worker) | null;
  readonly warn: (event: string, facts: Record<string, unknown>) => void;
  readonly fault: (event: string, cause: unknown, facts?: Record<string, unknown>) => void;
}

/** Figures about the clicks of this process since its start. */
export interface ClickRecorderFigures {
  readonly kept: number;
  /** In the journal or in memory, but not in the database yet. */
  readonly waiting: number;
  /** Milliseconds that the oldest of those has waited. */
  readonly waitingFor: number;
  /** In memory only, because the disk accepts no writes. */
  readonly held: number;
  readonly dropped: number;
  /** Damaged segments of journals. */
  readonly damaged: number;
}

/** How long hits wait before the fold is woken: larger batches cost less per hit. */
const wakeInterval = 200;
/** If this many bytes (some thousand hits) wait by then, they wait longer: that many clicks can't be followed live. */
const busyLength = 256 * 1024;
const busyWakeInterval = 800;
/**
 * A segment is ended once all of it is folded, at most this often, so that its addresses are deleted. While hits arrive without a
 * pause, it is ended as well, after a longer time.
 */
const rotateInterval = 2_000;
const busyRotateInterval = 10_000;
const minRestartDelay = 1_000;
const maxRestartDelay = 10_000;
const stopTimeout = 8_000;
const closeTimeout = 2_000;

/**
 * Takes clicks from the answering thread to storage: `append` writes to the journal before the answer, and the fold's thread does
 * the rest. The thread is started by the first hit, or for journals of earlier processes.
 */
export class ClickRecorder {
  readonly #parts: ClickRecorderParts;
  readonly #settings: FoldSettings;
  readonly #journal: Journal;
  readonly #listeners: (() => void)[] = [];
  readonly #ownJournal: OwnJournal;
  readonly #dropped: DroppedHits;
  readonly #lag = new FoldLag();
  #damaged = 0;
  #thread: Worker | null = null;
  #restarting: Timer | undefined;
  #restartDelay = minRestartDelay;
  #waking: Timer | undefined;
  #wokenAt = Number.NEGATIVE_INFINITY;
  #endAtLastWake: Position = { segment: 1, offset: 0 };
  #rotating: Timer | undefined;
  #rotateDue = Number.POSITIVE_INFINITY;
  #folded: Position = { segment: 1, offset: 0 };
  #waiting: { readonly end: Position; readonly done: () => void }[] = [];
  #onStopped: () => void = () => {};
  #isStopping = false;

  constructor(parts: ClickRecorderParts) {
    this.#parts = parts;
    this.#settings = { ...parts.settings, journal: newJournalName(parts.settings.dataDir) };
    const { dataDir } = parts.settings;
    this.#dropped = new DroppedHits(parts.warn);
    this.#ownJournal = new OwnJournal(dataDir, this.#settings.journal);
    this.#journal = new Journal({
      disk: parts.disk,
      afterTick: parts.afterTick,
      folder: () => this.#ownJournal.prepare(),
      use: () => this.#ownJournal.use(),
      onWritten: () => this.#wakeSoon(),
      onWarning: (what, hits, cause) => this.#warn(what, hits, cause),
    });
    this.#checkForLeftovers();
  }

  /**
   * True if the hit already survives the end of this process; otherwise it will at the end of this tick, before any task deferred
   * after this call.
   */
  keep(hit: RawHit): boolean {
    this.#lag.appended();
    return this.#journal.keep(hit);
  }

  /**
   * Null if the hit already survives the end of this process, otherwise a promise that resolves once it does. It never rejects,
   * so a failing disk prevents no answer.
   */
  append(hit: RawHit): Promise<void> | null {
    this.#lag.appended();
    return this.#journal.append(hit);
  }

  figures(): ClickRecorderFigures {
    return {
      kept: this.#lag.total,
      waiting: this.#lag.hits,
      waitingFor: this.#lag.milliseconds(performance.now()),
      held: this.#journal.held,
      dropped: this.#dropped.total,
      damaged: this.#damaged,
    };
  }

  /** Resolves when everything appended so far is in storage, and no longer in the journal. */
  settled(): Promise<void> {
    this.#journal.rotate();
    const { end } = this.#journal;
    if (!isBefore(this.#folded, end) && this.#journal.held === 0) return Promise.resolve();
    this.#wake();
    if (this.#journal.held > 0) return Bun.sleep(wakeInterval).then(() => this.settled());
    return new Promise((done) => this.#waiting.push({ end, done }));
  }

  /** Calls `listener` after each stored batch of hits. */
  onFolded(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Must be called periodically: deletes expired hits, and folds the journals of processes that have ended. */
  cleanUp(): void {
    this.#start();
    this.#send({ kind: 'cleanUp', now: this.#parts.now() });
  }

  /** Folds the rest if storage takes it at once; otherwise the next start does. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const closed = this.#journal.stop();
    for (const timer of [this.#waking, this.#rotating, this.#restarting]) clearTimeout(timer);
    const thread = this.#thread;
    if (thread !== null) {
      const stopped = new Promise<void>((resolve) => {
        this.#onStopped = resolve;
      });
      this.#send({ kind: 'stop', end: this.#journal.end, now: this.#parts.now() });
      await waitAtMost(stopTimeout, stopped);
      // It may have ended by itself meanwhile.
      thread.terminate();
      this.#thread = null;
    }
    await waitAtMost(closeTimeout, closed);
    this.#ownJournal.release();
    this.#dropped.close();
  }

  #checkForLeftovers(): void {
    const { dataDir } = this.#settings;
    try {
      removeUnusedJournals(dataDir);
      if (journalsIn(dataDir).length > 0 || this.#hasOldSalts()) this.#start();
    } catch (cause) {
      this.#parts.warn('journals not looked at', { error: (cause as Error).message });
      this.#wakeLater();
    }
  }

  /** If so, the fold destroys them. */
  #hasOldSalts(): boolean {
    const folder = new SaltFolder(this.#settings.saltDir);
    return folder.hasBefore(firstDayOfSalts(this.#parts.now()));
  }

  /** Starts no thread without enough free file descriptors: hits wait in the journal. */
  #start(): void {
    const { startThread, warn } = this.#parts;
    if (startThread === null || this.#thread !== null || this.#isStopping || this.#restarting !== undefined)
      return;
    if (!hasFreeDescriptors()) {
      warn('clicks wait in the journal', { error: 'no file descriptors are left' });
      this.#wakeLater();
      return;
    }
    let thread: Worker;
    try {
      thread = startThread();
    } catch (cause) {
      this.#parts.fault('fold failed', cause);
      this.#wakeLater();
      return;
    }
    this.#thread = thread;
    thread.onmessage = (event: MessageEvent<FromFold>) => this.#receive(event.data);
    thread.onerror = (event) => this.#restart(new Error(`the fold's thread ended: ${event.message}`));
    this.#send({ kind: 'start', settings: this.#settings, now: this.#parts.now() });
  }

  #restart(cause: Error): void {
    // The thread could not open its modules: it is started again later.
    if (/\bE[MN]FILE\b/.test(cause.message))
      this.#parts.warn('clicks wait in the journal', { error: cause.message });
    else this.#parts.fault('fold failed', cause);
    this.#startAgain();
  }

  #startAgain(): void {
    this.#thread?.terminate();
    this.#thread = null;
    this.#onStopped();
    this.#wakeLater();
  }

  #wakeLater(): void {
    if (this.#isStopping) return;
    this.#restarting ??= setTimeout(() => {
      this.#restarting = undefined;
      this.#wake();
    }, this.#restartDelay);
    this.#restartDelay = Math.min(this.#restartDelay * 2, maxRestartDelay);
  }

  #receive(message: FromFold): void {
    switch (message.kind) {
      case 'folded':
        this.#noteFolded(message.position);
        break;
      case 'recovered':
        for (const listener of this.#listeners) listener();
        break;
      case 'warning':
        this.#parts.warn(message.event, message.facts);
        break;
      case 'click_server':
        addClickServerCalls(message.calls, message.isUnavailable);
        break;
      case 'damage':
        this.#damaged += 1;
        this.#parts.fault('journal damaged', 'the disk holds other bytes than were written', {
          ...message.facts,
          damaged_so_far: this.#damaged,
        });
        break;
      case 'restart':
        this.#parts.warn('clicks may be folded again', { reason: message.reason });
        this.#startAgain();
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
    this.#lag.folded(position);
    this.#restartDelay = minRestartDelay;
    const done = this.#waiting.filter(({ end }) => !isBefore(position, end));
    this.#waiting = this.#waiting.filter((waiting) => !done.includes(waiting));
    for (const waiting of done) waiting.done();
    for (const listener of this.#listeners) listener();
    if (!this.#isStopping && position.offset > 0)
      this.#rotateIn(isBefore(position, this.#journal.end) ? busyRotateInterval : rotateInterval);
  }

  #rotateIn(wait: number): void {
    const due = performance.now() + wait;
    if (due >= this.#rotateDue) return;
    clearTimeout(this.#rotating);
    this.#rotateDue = due;
    this.#rotating = setTimeout(() => this.#rotateFolded(), wait);
  }

  #rotateFolded(): void {
    this.#rotateDue = Number.POSITIVE_INFINITY;
    this.#journal.rotate();
    this.#wake();
  }

  #wakeSoon(): void {
    if (this.#waking !== undefined) return;
    const wait = this.#wokenAt + wakeInterval - performance.now();
    if (wait <= 0) this.#wake();
    else this.#waking = setTimeout(() => this.#wakeUnlessBusy(), wait);
  }

  #wakeUnlessBusy(): void {
    const { end } = this.#journal;
    const { segment, offset } = this.#endAtLastWake;
    const isBusy = end.offset - (end.segment === segment ? offset : 0) > busyLength;
    if (isBusy) this.#waking = setTimeout(() => this.#wake(), busyWakeInterval - wakeInterval);
    else this.#wake();
  }

  #wake(): void {
    clearTimeout(this.#waking);
    this.#waking = undefined;
    this.#wokenAt = performance.now();
    if (this.#isStopping) return;
    const { end } = this.#journal;
    this.#lag.woken(end, this.#journal.held, performance.now());
    this.#endAtLastWake = end;
    this.#start();
    this.#send({ kind: 'wake', end, now: this.#parts.now() });
  }

  #send(message: ToFold): void {
    this.#thread?.postMessage(message);
  }

  #warn(what: 'held' | 'dropped' | 'unsynced', hits: number, cause: unknown): void {
    if (what === 'dropped') {
      this.#lag.dropped(hits);
      this.#dropped.add(hits, cause);
      return;
    }
    const error = cause instanceof Error ? cause.message : String(cause);
    if (what === 'held') this.#parts.warn('clicks wait in memory', { hits, error });
    else this.#parts.warn('clicks not on the disk', { error });
  }
}
