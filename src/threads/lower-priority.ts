import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * On a single core that is busy with visits, a thread with this niceness gets a thirtieth of it. With 10, four busy threads took
 * a third of the core; with 19, a thread that holds SQLite's lock would keep the others waiting longer than they do.
 */
const niceness = 15;

/**
 * Lowers the priority of the calling thread, and of those it starts from then on, below that of the data plane: while a backlog
 * was folded on the same core, the median visit waited 70 ms without this, and 0.3 ms with it. Linux has a niceness per thread;
 * on other systems, and where it isn't permitted, nothing happens.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    const thread = readlinkSync('/proc/thread-self').split('/').at(-1);
    setPriority(Number(thread), niceness);
  } catch {
    // Not permitted: the thread keeps its priority.
  }
}
