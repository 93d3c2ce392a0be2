/** Milliseconds between two checks. */
const interval = 500;
/** Microseconds of CPU from one check to the next, below which a thread is idle. */
const maxIdleUse = 5_000;
/** Microseconds of CPU since the last collection, above which another one is worth its time. */
const minUse = 200_000;

/**
 * Collects this thread's garbage once it is idle after a busy time. With its timer turned off
 * (`scripts/start-environment.json`), the runtime only collects when it allocates, so the garbage of a busy minute would stay for hours in
 * a thread that is idle afterwards. It takes some milliseconds, and is only repeated
 * after the thread has been as busy again. `release` drops buffers that are only kept for reuse.
 */
export function collectWhenIdle(release = () => {}): void {
  let before = cpuTime();
  let collectedAt = 0;
  setInterval(() => {
    const now = cpuTime();
    const isIdle = now - before < maxIdleUse;
    before = now;
    if (!isIdle || now - collectedAt < minUse) return;
    release();
    Bun.gc(true);
    before = cpuTime();
    collectedAt = before;
  }, interval).unref();
}

function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
