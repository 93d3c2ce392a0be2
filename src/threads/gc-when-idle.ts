/** Milliseconds between two looks. */
const interval = 500;
/** Microseconds of CPU from one look to the next, below which a thread is at rest. */
const still = 5_000;
/** And since it was last cleared up, above which it may have left much behind. */
const worthIt = 200_000;

/**
 * Clears up what this thread has left behind, as soon as it has nothing else to do. The collector itself comes when memory
 * is asked for, so what a busy minute has left stays for hours in a thread that is idle after it, while the others need
 * theirs. It takes some milliseconds, and doesn't come again before there was as much to do once more. `release` lets go
 * of what is only kept to be used again.
 */
export function collectWhenIdle(release = () => {}): void {
  let before = cpuTime();
  let clearedAt = 0;
  setInterval(() => {
    const now = cpuTime();
    const isAtRest = now - before < still;
    before = now;
    if (!isAtRest || now - clearedAt < worthIt) return;
    release();
    Bun.gc(true);
    before = cpuTime();
    clearedAt = before;
  }, interval).unref();
}

function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
