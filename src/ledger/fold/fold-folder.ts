import { folderOf, type JournalName, journalsIn, watermarkKey } from '../../journal/files.ts';
import { lockJournal } from '../../journal/lock.ts';
import { JournalTaken } from '../fold-store.ts';
import { BatchBuilder } from './batch-builder.ts';
import { isExpired } from './finished-mark.ts';
import type { FoldSettings } from './fold-messages.ts';
import type { FoldParts } from './fold-worker-parts.ts';
import { HitBatch } from './hit-batch.ts';
import { JournalFold } from './journal-fold.ts';
import { SeenVisitors } from './seen-visitors.ts';
import { ServerClock } from './server-clock.ts';
import { ValueLimit } from './value-limit.ts';
import { WordIds } from './word-ids.ts';

interface FoldedFolder {
  readonly journals: number;
  /** The hits that storage didn't have. */
  readonly hits: number;
  /** Journals of running processes, which fold them themselves. */
  readonly inUse: number;
}

interface FolderParts extends FoldParts {
  readonly settings: Pick<FoldSettings, 'repeatWindow' | 'floodLimit'>;
  readonly now: () => number;
  readonly log: (event: string, facts: Record<string, unknown>) => void;
}

/** Folds the journals in the data folder of another node, which has failed or whose folder was copied. Its files are not changed. */
export async function foldFolder(parts: FolderParts, dataDir: string): Promise<FoldedFolder> {
  const clock = new ServerClock(
    () => parts.store.serverNow(),
    parts.now,
    () => {},
  );
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
  return { journals, hits, inUse };
}

/** Another process may fold a copy at the same time: then this one continues from the position of the other. */
async function foldJournal(
  parts: FolderParts,
  dataDir: string,
  name: JournalName,
  clock: ServerClock,
): Promise<number> {
  const key = watermarkKey(name);
  const folder = folderOf(dataDir, name);
  let folded = 0;
  for (;;) {
    const words = new WordIds();
    const hits = new HitBatch(words, new ValueLimit(), parts.enrich, parts.settings.floodLimit);
    const builder = new BatchBuilder(new SeenVisitors(), parts.store.minByLink);
    const journal = await JournalFold.open(
      {
        ...parts,
        words,
        hits,
        builder,
        repeatWindow: parts.settings.repeatWindow,
        floodLimit: parts.settings.floodLimit,
        now: () => clock.now,
        bound: () => clock.bound,
        isAlone: () => false,
        deliveriesOf: (clicks, journal) => parts.deliveriesOf(clicks, journal, clock.now),
        onFlaw: ({ kind, segment, bytes }) =>
          parts.log(kind === 'torn' ? 'journal cut off' : 'journal truncated', {
            journal: key,
            segment,
            bytes,
          }),
        onDamage: (damage) => parts.log('journal damaged', { journal: key, ...damage }),
        onAway: (cause) => parts.log('store away', { error: (cause as Error).message }),
        keep: null,
      },
      key,
      folder,
    );
    try {
      if (isExpired(folder, journal.watermark, clock.now)) return folded;
      while (await journal.foldBatch(null, parts.store.batchLength())) folded += hits.length;
      await parts.store.finishJournal(key, clock.now);
      return folded;
    } catch (cause) {
      if (!(cause instanceof JournalTaken)) throw cause;
    } finally {
      journal.close();
    }
  }
}
