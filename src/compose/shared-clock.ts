import { ServerClock } from '../ledger/fold/server-clock.ts';
import type { Queries } from '../storage/schema.ts';
import { serverTime } from '../storage/server-time.ts';
import { repeatWhileOpen } from './repeat-job.ts';
import type { Start } from './start.ts';

const readInterval = 60_000;
/** Milliseconds by which the clocks of nodes may differ. */
const allowedDifference = 1_000;

/**
 * One clock for all nodes: the process's own, or the database's if the two differ. Nodes use it for times that others have written:
 * when a message is due, whether a session has expired, what is old enough to be deleted.
 */
export async function sharedClock(start: Start, lookup: Queries): Promise<() => number> {
  // SQLite's file is on this machine.
  const isOwn = start.config.databaseUrl === null || start.overrides.now !== undefined;
  return isOwn ? start.now : correctedClock(start, () => serverTime(lookup));
}

/** `readReference` returns the reference clock's time. */
export async function correctedClock(
  start: Pick<Start, 'now' | 'opened' | 'overrides'>,
  readReference: () => Promise<number>,
): Promise<() => number> {
  const { now } = start;
  // The fold logs a warning if this machine's clock is ahead.
  const server = new ServerClock(readReference, now);
  await server.read();
  repeatWhileOpen(start, () => server.read(), readInterval);
  return () => {
    const own = now();
    const serverNow = server.now;
    return Math.abs(own - serverNow) < allowedDifference ? own : serverNow;
  };
}
