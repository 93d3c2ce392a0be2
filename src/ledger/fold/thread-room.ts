import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** For its event loop, its modules, the database with its files, and the journals that it reads. */
const needed = 32;

/** A path that can always be opened: an image may have no /dev/null. */
const anything = process.platform === 'win32' ? devNull : '/';

/**
 * Whether there are enough free file descriptors for another thread: a thread that runs out of them while it starts crashes the
 * process.
 */
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
