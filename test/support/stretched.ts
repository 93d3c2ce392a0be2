import { existsSync, readFileSync } from 'node:fs';

const work = 40;
/** What a test waits for takes several turns of several processes, and each waits for a processor. */
const turns = 5;
/** A machine is as busy as it was so long ago. */
const lasts = 1_000;

let measured = { at: Number.NEGATIVE_INFINITY, slowness: 1 };

/**
 * A time in which something is promised, for the machine as it is now: as it is where nothing else runs, and longer the more
 * other programs take of the processors. So a busy machine makes a test slow, and not red.
 */
export function stretched(milliseconds: number): number {
  if (performance.now() - measured.at > lasts) measured = { slowness: slowness(), at: performance.now() };
  return milliseconds * (1 + turns * (measured.slowness - 1));
}

/** How much longer this thread takes than its work needs: 1 where it has a processor of its own. */
function slowness(): number {
  const begun = performance.now();
  const before = processorTime();
  let used = 0;
  while (used < work) {
    for (let turn = 0; turn < 1e5; turn++);
    used = processorTime() - before;
  }
  return Math.max(1, (performance.now() - begun) / used);
}

const schedule = '/proc/thread-self/schedstat';

/** Milliseconds that this thread has had a processor for; of the clock, where the system doesn't tell. */
export function processorTime(): number {
  if (!existsSync(schedule)) return performance.now();
  return Number(readFileSync(schedule, 'utf8').split(' ', 1)[0]) / 1e6;
}
