import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** File descriptors of a thread: for its event loop, its modules, the database with its files or connection, and the journals that it reads. */
const neededDescriptors = 32;

/** A path that can always be opened: an image may have no /dev/null. */
const openablePath = process.platform === 'win32' ? devNull : '/';

/**
 * Whether there are enough free file descriptors for another thread: a thread that runs out of them while it starts crashes the
 * process.
 */
export function hasFreeDescriptors(): boolean {
  const descriptors: number[] = [];
  try {
    while (descriptors.length < neededDescriptors) descriptors.push(openSync(openablePath, 'r'));
    return true;
  } catch (cause) {
    return !/^(EMFILE|ENFILE)$/.test((cause as NodeJS.ErrnoException).code ?? '');
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}
