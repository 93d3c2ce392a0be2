import { ServerClock } from '../ledger/fold/server-clock.ts';
import type { Queries } from '../storage/schema.ts';
import { serverTime } from '../storage/server-time.ts';
import { repeatJob } from './repeat-job.ts';
import type { Start } from './start.ts';

const readInterval = 60_000;
/** Milliseconds by which the clocks of nodes may differ. */
const allowed = 1_000;

/**
 * One clock for all nodes: the process's own, or the database's if that is off. Nodes use it for times that others have written:
 * when a message is due, whether a session has expired, what is old enough to be deleted.
 */
export async function sharedClock(start: Start, lookup: Queries): Promise<() => number> {
  // SQLite's file is on this machine.
  const isOwn = start.config.databaseUrl === null || start.overrides.now !== undefined;
  return isOwn ? start.now : clockBeside(start, () => serverTime(lookup));
}

/** `ask` reads the reference clock. */
export async function clockBeside(
  { now, opened }: Pick<Start, 'now' | 'opened'>,
  ask: () => Promise<number>,
): Promise<() => number> {
  // The fold says it where the own clock is ahead.
  const server = new ServerClock(ask, now, () => {});
  await server.read();
  const job = repeatJob(
    () => server.read(),
    readInterval,
    () => {},
  );
  opened.defer(() => job.stop());
  return () => {
    const own = now();
    const right = server.now;
    return Math.abs(own - right) < allowed ? own : right;
  };
}
