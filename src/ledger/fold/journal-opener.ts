import { copyDamaged, type Damage } from '../../journal/damage.ts';
import { type JournalName, journalsIn, watermarkKey } from '../../journal/files.ts';
import { isTransient } from '../../rules/transient-error.ts';
import type { FoldWorkerParts } from './fold-worker-parts.ts';
import { JournalFold, type JournalFoldParts } from './journal-fold.ts';

type SharedParts = Pick<JournalFoldParts, 'memory' | 'clock' | 'now' | 'warn' | 'onUnavailable'>;

/** Opens a journal of this data folder to be folded, and reports what is missing or damaged in it. */
export async function openJournal(
  worker: FoldWorkerParts,
  shared: SharedParts,
  name: JournalName,
): Promise<JournalFold> {
  const { settings } = worker;
  const parts: JournalFoldParts = {
    ...worker,
    ...shared,
    isAlone: () => isAlone(worker, name),
    onDamage: (damage) => reportDamage(worker, name, damage),
    keep: settings.keep,
  };
  const journal = await JournalFold.open(parts, name, settings.dataDir);
  if (journal.missingSegments !== null)
    shared.warn('clicks gone from the journal', { journal: watermarkKey(name), ...journal.missingSegments });
  return journal;
}

/** On PostgreSQL other nodes have journals of their own. */
function isAlone({ settings: { dataDir, databaseUrl } }: FoldWorkerParts, own: JournalName): boolean {
  try {
    return (
      databaseUrl === null && journalsIn(dataDir).every((name) => watermarkKey(name) === watermarkKey(own))
    );
  } catch (cause) {
    if (!isTransient(cause)) throw cause;
    return false;
  }
}

/** Called before the batch is folded: if this process ends in between, the segment still exists. */
function reportDamage({ settings, send }: FoldWorkerParts, name: JournalName, damage: Damage): void {
  const facts = { journal: watermarkKey(name), ...damage };
  try {
    const kept = copyDamaged(settings.dataDir, name, damage.segment);
    send({ kind: 'damage', facts: { ...facts, kept } });
  } catch (cause) {
    send({ kind: 'damage', facts: { ...facts, not_kept: (cause as Error).message } });
  }
}
