import { dayLength, dayOf } from '../rules/utc-time.ts';
import type { FoldStore } from './fold-store.ts';
import type { DailySalts } from './visitor-hash.ts';

/** Takes away what has been kept for long enough: single hits, and what visitors of past days are told apart by. */
export async function forgetOld(
  store: FoldStore,
  salts: DailySalts,
  now: number,
  daysKept: number,
  isStopped: () => boolean,
): Promise<void> {
  const yesterday = dayOf(now) - 1;
  await salts.forgetBefore(yesterday);
  await inParts(() => store.deleteVisitorsBefore(yesterday), isStopped);
  await inParts(() => store.deleteHitsBefore(now - daysKept * dayLength), isStopped);
}

/** A little at a time: everybody else's changes come in between. */
async function inParts(deleteSome: () => Promise<boolean>, isStopped: () => boolean): Promise<void> {
  while (!isStopped() && (await deleteSome())) await Bun.sleep(20);
}
