import { dayLength, dayOf } from '../rules/utc-time.ts';
import type { FoldStore } from './fold-store.ts';
import type { DailySalts } from './visitor-hash.ts';

/** Deletes what has expired: single hits, and the salts and hashes that distinguish the visitors of past days. */
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

/** A small part at a time, so that other writers get their turns. */
async function inParts(deleteSome: () => Promise<boolean>, isStopped: () => boolean): Promise<void> {
  while (!isStopped() && (await deleteSome())) await Bun.sleep(20);
}
