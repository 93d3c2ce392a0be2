import { existsSync, readFileSync } from 'node:fs';

/** Milliseconds of CPU time that a measurement takes. */
const measuringTime = 40;
/** A test waits for several steps in several processes, each of which waits for a CPU. */
const stepCount = 5;
/** How long a measurement is valid, in milliseconds. */
const validity = 1_000;

let measured = { at: Number.NEGATIVE_INFINITY, slowness: 1 };

/**
 * Scales a timeout to the current load: unchanged on an idle machine, longer the more CPU other programs use. So a busy
 * machine makes a test slow instead of failing it.
 */
export function scaledToLoad(milliseconds: number): number {
  if (performance.now() - measured.at > validity) measured = { slowness: slowness(), at: performance.now() };
  return milliseconds * (1 + stepCount * (measured.slowness - 1));
}

/** Elapsed time divided by the CPU time of this thread: 1 if it has a CPU to itself. */
function slowness(): number {
  const startedAt = performance.now();
  const before = processorTime();
  let used = 0;
  while (used < measuringTime) {
    for (let turn = 0; turn < 1e5; turn++);
    used = processorTime() - before;
  }
  return Math.max(1, (performance.now() - startedAt) / used);
}

const schedule = '/proc/thread-self/schedstat';

/** Milliseconds of CPU time of this thread; wall time where the system doesn't report it. */
export function processorTime(): number {
  if (!existsSync(schedule)) return performance.now();
  return Number(readFileSync(schedule, 'utf8').split(' ', 1)[0]) / 1e6;
}
