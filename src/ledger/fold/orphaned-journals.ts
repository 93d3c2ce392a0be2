import {
  folderOf,
  isBefore,
  type JournalName,
  journalsIn,
  type Position,
  watermarkKey,
} from '../../journal/files.ts';
import { lockJournal, removeJournal } from '../../journal/lock.ts';
import { isUnavailable } from '../../rules/transient-error.ts';
import { type FoldStore, JournalTaken, StoreChanged } from '../fold-store.ts';
import { isExpired, markFinished } from './finished-mark.ts';
import type { FoldSettings, FromFold } from './fold-messages.ts';
import type { JournalFold } from './journal-fold.ts';

interface OrphanedJournalsParts {
  readonly settings: Pick<FoldSettings, 'dataDir' | 'journal'>;
  readonly store: FoldStore;
  readonly open: (name: JournalName) => Promise<JournalFold>;
  /** Folds a part of a journal. Returns false at its end, or if the rest is for later. */
  readonly foldSome: (journal: JournalFold) => Promise<boolean>;
  /** Called in between, so that new hits don't wait for old ones. */
  readonly foldOwn: () => Promise<void>;
  readonly isStopping: () => boolean;
  readonly now: () => number;
  readonly send: (message: FromFold) => void;
}

/** How often finished journals that are kept are checked. */
const keptCheckInterval = 60_000;

/** The journals of earlier processes on this folder: they are folded completely, kept for a while, and removed. */
export class OrphanedJournals {
  readonly #parts: OrphanedJournalsParts;
  /** How far this thread has folded the journals that still exist. */
  readonly #reached = new Map<string, Position>();
  /** Journals that are kept. */
  readonly #finished = new Set<string>();
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: OrphanedJournalsParts) {
    this.#parts = parts;
  }

  /** Journals that still exist, and how far the store should have them. */
  get reached(): ReadonlyMap<string, Position> {
    return this.#reached;
  }

  /** Whether a kept journal may have been kept for long enough. */
  get isCheckDue(): boolean {
    return this.#finished.size > 0 && performance.now() - this.#checkedAt > keptCheckInterval;
  }

  /** Folds one after the other. Returns whether any was left for later. */
  async fold(): Promise<boolean> {
    const { settings, foldOwn } = this.#parts;
    this.#checkedAt = performance.now();
    const own = watermarkKey(settings.journal);
    let isSomeLeft = false;
    for (const name of journalsIn(settings.dataDir)) {
      if (watermarkKey(name) === own) continue;
      if (!(await this.#recoverIfPossible(name))) isSomeLeft = true;
      await foldOwn();
    }
    return isSomeLeft;
  }

  /** Removes a finished journal once its segments have been kept for long enough. */
  removeOrKeep(name: JournalName, journal: JournalFold): void {
    const key = watermarkKey(name);
    const folder = folderOf(this.#parts.settings.dataDir, name);
    if (journal.finish() && journal.watermark !== null) {
      this.#finished.add(key);
      markFinished(folder, this.#parts.now());
      return;
    }
    this.#finished.delete(key);
    this.#reached.delete(key);
    removeJournal(folder);
  }

  /** A journal that can't be read or locked now, or that another process folds, is left for later. */
  async #recoverIfPossible(name: JournalName): Promise<boolean> {
    const journal = watermarkKey(name);
    try {
      await this.#recover(name);
      return true;
    } catch (cause) {
      if (cause instanceof JournalTaken && cause.message === journal) {
        // Another node folds a copy of this folder, and its work counts for both; or the database has only now committed what
        // this journal's process had sent before it was killed. The next run continues from there.
        this.#reached.delete(journal);
        this.#warn('journal folded elsewhere', { journal });
      } else if (isUnavailable(cause))
        this.#warn('journal left for later', { journal, error: (cause as Error).message });
      else throw cause;
      return false;
    }
  }

  /** Skips a journal whose process still runs. */
  async #recover(name: JournalName): Promise<void> {
    const { settings, store, open, isStopping, now, send } = this.#parts;
    const folder = folderOf(settings.dataDir, name);
    const lock = lockJournal(folder);
    if (lock === null || isStopping()) {
      lock?.release();
      return;
    }
    let journal: JournalFold | null = null;
    try {
      journal = await open(name);
      if (isExpired(folder, journal.watermark, now())) {
        removeJournal(folder);
        return;
      }
      requireReached(journal.watermark, this.#reached.get(watermarkKey(name)));
      await this.#foldAll(name, journal);
      if (isStopping()) return;
      await store.finishJournal(watermarkKey(name), now());
      this.removeOrKeep(name, journal);
      send({ kind: 'recovered' });
    } finally {
      journal?.close();
      lock.release();
    }
  }

  /** A moved watermark means another node that folds a copy, or a database that has gone back in time. */
  async #foldAll(name: JournalName, journal: JournalFold): Promise<void> {
    const { store, foldSome, foldOwn } = this.#parts;
    const key = watermarkKey(name);
    try {
      while (await foldSome(journal)) await foldOwn();
    } catch (cause) {
      if (cause instanceof JournalTaken && cause.message === key && journal.watermark !== null)
        requireReached(await store.watermark(key), journal.watermark);
      throw cause;
    } finally {
      if (journal.watermark !== null) this.#reached.set(key, journal.watermark);
    }
  }

  #warn(event: string, facts: Record<string, unknown>): void {
    this.#parts.send({ kind: 'warning', event, facts });
  }
}

/**
 * A thread remembers the visitors that it has folded. If the store has lost them, because its watermark is before what the thread
 * has `reached`, a new thread has to fold them again.
 */
export function requireReached(stored: Position | null, reached: Position | undefined): void {
  if (reached !== undefined && (stored === null || isBefore(stored, reached)))
    throw new StoreChanged('a watermark has gone back');
}
