import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** For its loop, its modules, the database with what lies beside it, and the journals that it reads. */
const needed = 32;

/** Something that can be opened anywhere: an image may have no /dev/null. */
const anything = process.platform === 'win32' ? devNull : '/';

/** Whether the system has file descriptors for another thread: one that finds none while it starts takes the process with it. */
export function hasRoomForThread(): boolean {
  const taken: number[] = [];
  try {
    while (taken.length < needed) taken.push(openSync(anything, 'r'));
    return true;
  } catch (cause) {
    return !/^(EMFILE|ENFILE)$/.test((cause as NodeJS.ErrnoException).code ?? '');
  } finally {
    for (const descriptor of taken) closeSync(descriptor);
  }
}
