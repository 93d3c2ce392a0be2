import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * On one core that is full of visits a thread with this has a thirtieth of it. With 10, four of them at work took a
 * third from visitors; with 19, one that holds SQLite's lock would keep the others waiting for longer than they do.
 */
const niceness = 15;

/**
 * Makes the thread that calls this, and those it starts from then on, wait for the one that answers visitors, where
 * they have to share a core: with a backlog to fold beside it, half of all visits waited 70 ms without this, and 0.3 ms
 * with it. Linux gives each thread a niceness of its own; elsewhere nothing happens, nor where it isn't allowed.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    const thread = readlinkSync('/proc/thread-self').split('/').at(-1);
    setPriority(Number(thread), niceness);
  } catch {
    // Then it competes with the others, as it would anywhere else.
  }
}
