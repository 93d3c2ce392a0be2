import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** For its loop, its modules, the database with what lies beside it, and the journals that it reads. */
const needed = 32;

/** Whether the system has file descriptors for another thread: one that finds none while it starts takes the process with it. */
export function hasRoomForThread(): boolean {
  const taken: number[] = [];
  try {
    while (taken.length < needed) taken.push(openSync(devNull, 'r'));
    return true;
  } catch {
    return false;
  } finally {
    for (const descriptor of taken) closeSync(descriptor);
  }
}
