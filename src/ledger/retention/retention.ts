import { dayLength, hourLength } from '../../rules/durations.ts';
import { dayOf } from '../../rules/utc-time.ts';
import { type FoldStore, watermarkRetention } from '../fold-store.ts';
import type { DailySalts } from '../visitors/visitor-hash.ts';

/**
 * How long after its end (UTC) a day's visitors can still be told apart, for hits that waited in a journal at midnight. Hits that
 * are folded later have no visitor, unless they waited for the store on this node: those are folded first.
 */
const saltGrace = hourLength;

/** Visitors of earlier days can't be told apart any more. */
export const firstDayOfSalts = (now: number): number => dayOf(now - saltGrace);

/** Deletes expired data: individual hits, and the salts and hashes that identify the visitors of past days. */
export async function deleteExpired(
  store: FoldStore,
  salts: DailySalts,
  now: number,
  daysKept: number,
  isStopped: () => boolean,
  between: () => Promise<void>,
): Promise<void> {
  // A small part at a time, so that other writers get their turns and new hits are folded in between.
  const inParts = async (deleteSome: () => Promise<boolean>) => {
    while (!isStopped() && (await deleteSome())) {
      await Bun.sleep(20);
      await between();
    }
  };
  const first = firstDayOfSalts(now);
  await salts.forgetBefore(first);
  await inParts(() => store.deleteVisitorsBefore(first));
  await inParts(() => store.deleteUncounted(now));
  await store.deleteFinishedBefore(now - watermarkRetention);
  const at = now - daysKept * dayLength;
  await store.noteDeletedBefore(at, now);
  await inParts(() => store.deleteHitsBefore(at, now));
}
