import type { Damage } from '../../journal/damage.ts';
import { folderOf, type JournalName, journalsIn, watermarkKey } from '../../journal/files.ts';
import { lockJournal } from '../../journal/lock.ts';
import { countWritersWithoutHits } from '../../journal/own-journal.ts';
import { JournalTaken } from '../fold-store.ts';
import { isExpired } from './finished-mark.ts';
import { FoldMemory } from './fold-memory.ts';
import type { FoldLimits } from './fold-messages.ts';
import type { FoldParts } from './fold-worker-parts.ts';
import { JournalFold } from './journal-fold.ts';
import { ServerClock } from './server-clock.ts';

interface FoldedFolder {
  readonly journals: number;
  /** The hits that storage didn't have. */
  readonly hits: number;
  /** Journals of running processes, which fold them themselves. */
  readonly inUse: number;
}

interface FolderParts extends FoldParts {
  readonly settings: FoldLimits;
  readonly now: () => number;
  readonly log: (event: string, facts: Record<string, unknown>) => void;
}

/** Folds the journals in the data folder of another node, which has failed or whose folder was copied. Its files are not changed. */
export async function foldFolder(parts: FolderParts, dataDir: string): Promise<FoldedFolder> {
  const clock = new ServerClock(() => parts.store.serverNow(), parts.now);
  await clock.read();
  for (const host of await parts.store.verifiedHosts()) parts.hosts.add(host);
  let [journals, hits, inUse] = [0, 0, 0];
  for (const name of journalsIn(dataDir)) {
    const lock = lockJournal(folderOf(dataDir, name));
    if (lock === null) {
      inUse += 1;
      continue;
    }
    try {
      hits += await foldJournal(parts, dataDir, name, clock);
      journals += 1;
    } finally {
      lock.release();
    }
  }
  return { journals, hits, inUse: inUse + countWritersWithoutHits(dataDir) };
}

/** Another process may fold a copy at the same time: then this one continues from the position of the other. */
async function foldJournal(
  parts: FolderParts,
  dataDir: string,
  name: JournalName,
  clock: ServerClock,
): Promise<number> {
  const { log, settings, store } = parts;
  const key = watermarkKey(name);
  let folded = 0;
  for (;;) {
    const memory = new FoldMemory(parts, settings.floodLimit);
    const onDamage = (damage: Damage) => log('journal damaged', { journal: key, ...damage });
    const onUnavailable = (cause: unknown) => log('store away', { error: (cause as Error).message });
    const journal = await JournalFold.open(
      { ...parts, memory, clock, isAlone: () => false, warn: log, onDamage, onUnavailable, keep: null },
      name,
      dataDir,
    );
    try {
      if (isExpired(folderOf(dataDir, name), journal.watermark, clock.now)) return folded;
      while (await journal.foldBatch(null, store.batchLength())) folded += memory.hits.length;
      await store.finishJournal(key, clock.now);
      return folded;
    } catch (cause) {
      if (!(cause instanceof JournalTaken)) throw cause;
    } finally {
      journal.close();
    }
  }
}
