import type { Database } from '../../storage/database.ts';
import { knowsAllHits } from '../../storage/moved-hits.ts';
import {
  beginWordSweep,
  claimWordSweep,
  deleteWords,
  finishWordSweep,
  isWordSweepDue,
  wordsBefore,
} from '../../storage/word-sweeps.ts';
import { wordsInUse } from './words-in-use.ts';

/** Milliseconds after which another node may assume that this one has failed. */
const claimLength = 60_000;
const claimInterval = 10_000;
/**
 * Milliseconds. A step that takes longer is followed by a pause several times as long: an organization that erases clicks again
 * and again causes one sweep after another, which other organizations must not notice.
 */
const quick = 5;
const minPause = 25;
const pausesPerStep = 3;
const wordsAtOnce = 5_000;
const deletedAtOnce = 500;

/**
 * Deletes the words that no hit and no roll-up refers to any more: texts of clicks that were erased or have expired.
 *
 * A fold may be about to use any word whose id it has fetched. So each sweep gets a number before it searches anything. A fold
 * that fetches a word's id stores the number of the newest sweep with it, and such words are kept. A fold that fetched ids before
 * this sweep began notices the sweep in its transaction, and does the same in that transaction for all of its words
 * (`SqlFoldStore.fold`); if one was deleted by then, it reads its journal again.
 */
export async function sweepWords(
  { database, now }: { readonly database: Database; readonly now: () => number },
  isStopped: () => boolean = () => false,
): Promise<void> {
  if (!(await isWordSweepDue(database.read, now())) || !(await knowsAllHits(database))) return;
  const sweep = await database.write((queries) => beginWordSweep(queries, now(), now() + claimLength));
  if (sweep === null) return;
  const between = pauses(() =>
    database.write((queries) => claimWordSweep(queries, sweep, now() + claimLength)),
  );
  const mayContinue = async () => !isStopped() && (await between());
  const used = await wordsInUse(database, mayContinue);
  if (used !== null && (await deleteUnused(database, sweep, (id) => used.has(id), mayContinue)))
    await database.write((queries) => finishWordSweep(queries, sweep, now()));
  else await database.write((queries) => claimWordSweep(queries, sweep, now()));
}

async function deleteUnused(
  database: Database,
  sweep: number,
  isUsed: (id: number) => boolean,
  mayContinue: () => Promise<boolean>,
): Promise<boolean> {
  for (let after = 0; ; ) {
    if (!(await mayContinue())) return false;
    const ids = await wordsBefore(database.read, sweep, after, wordsAtOnce);
    const unused = ids.filter((id) => !isUsed(id));
    for (let from = 0; from < unused.length; from += deletedAtOnce) {
      if (!(await mayContinue())) return false;
      const some = unused.slice(from, from + deletedAtOnce);
      await database.write((queries) => deleteWords(queries, sweep, some));
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < wordsAtOnce) return true;
    after = last;
  }
}

/** Called between two steps; resolves to true. */
function pauses(claim: () => Promise<void>): () => Promise<boolean> {
  let claimedAt = performance.now();
  let startedAt = performance.now();
  return async () => {
    const taken = performance.now() - startedAt;
    if (taken > quick) await Bun.sleep(Math.max(minPause, taken * pausesPerStep));
    if (performance.now() - claimedAt > claimInterval) {
      await claim();
      claimedAt = performance.now();
    }
    startedAt = performance.now();
    return true;
  };
}
