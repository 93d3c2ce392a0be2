import { copyDamaged, type Damage } from '../../journal/damage.ts';
import { folderOf, type JournalName, journalsIn, watermarkKey } from '../../journal/files.ts';
import { isTransient } from '../../rules/transient-error.ts';
import type { BatchBuilder } from './batch-builder.ts';
import type { FoldWorkerParts } from './fold-worker-parts.ts';
import type { HitBatch } from './hit-batch.ts';
import { JournalFold } from './journal-fold.ts';
import type { ServerClock } from './server-clock.ts';
import type { WordIds } from './word-ids.ts';

interface JournalOpenerParts {
  readonly worker: FoldWorkerParts;
  /** All journals are folded one after another, with the same memory. */
  readonly words: WordIds;
  readonly hits: HitBatch;
  readonly builder: BatchBuilder;
  readonly serverClock: ServerClock;
  /** The machine's time, as the fold was last told it. */
  readonly now: () => number;
  readonly warn: (event: string, facts: Record<string, unknown>) => void;
  readonly onAway: (cause: unknown) => void;
}

/** Opens journals to be folded, and reports what is missing or damaged in them. */
export class JournalOpener {
  readonly #parts: JournalOpenerParts;

  constructor(parts: JournalOpenerParts) {
    this.#parts = parts;
  }

  async open(name: JournalName): Promise<JournalFold> {
    const { worker, words, hits, builder, serverClock, now, warn, onAway } = this.#parts;
    const { store, enrich, salts, deliveriesOf, settings } = worker;
    const key = watermarkKey(name);
    const journal = await JournalFold.open(
      {
        store,
        enrich,
        salts,
        words,
        hits,
        builder,
        repeatWindow: settings.repeatWindow,
        floodLimit: settings.floodLimit,
        now: () => serverClock.now,
        bound: () => serverClock.bound,
        isAlone: (journal) => this.#isAlone(journal),
        // By the clock that the deliverer uses.
        deliveriesOf: (clicks, journal) => deliveriesOf(clicks, journal, serverClock.server ?? now()),
        onFlaw: ({ kind, segment, bytes }) =>
          warn(kind === 'torn' ? 'journal cut off' : 'journal truncated', { journal: key, segment, bytes }),
        onDamage: (damage) => this.#reportDamage(name, damage),
        onAway,
        keep: settings.keep,
      },
      key,
      folderOf(settings.dataDir, name),
    );
    if (journal.missingSegments !== null)
      warn('clicks gone from the journal', { journal: key, ...journal.missingSegments });
    return journal;
  }

  /** On PostgreSQL other nodes have journals of their own. */
  #isAlone(journal: string): boolean {
    const { dataDir, databaseUrl } = this.#parts.worker.settings;
    try {
      return databaseUrl === null && journalsIn(dataDir).every((name) => watermarkKey(name) === journal);
    } catch (cause) {
      if (!isTransient(cause)) throw cause;
      return false;
    }
  }

  /** Called before the batch is folded: if this process ends in between, the segment still exists. */
  #reportDamage(name: JournalName, damage: Damage): void {
    const { settings, send } = this.#parts.worker;
    const facts = { journal: watermarkKey(name), ...damage };
    try {
      const kept = copyDamaged(settings.dataDir, name, damage.segment);
      send({ kind: 'damage', facts: { ...facts, kept } });
    } catch (cause) {
      send({ kind: 'damage', facts: { ...facts, not_kept: (cause as Error).message } });
    }
  }
}
