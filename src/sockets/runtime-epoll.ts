import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The epoll that the runtime's loop in this thread waits for: the one that watches this file. Null where nothing tells. */
export function runtimeEpoll(watched: number): number | null {
  const line = new RegExp(`^tfd:\\s*${watched} `, 'm');
  try {
    const found = readdirSync('/proc/self/fd').find(
      (file) => isEpoll(file) && line.test(readFileSync(`/proc/self/fdinfo/${file}`, 'utf8')),
    );
    return found === undefined ? null : Number(found);
  } catch {
    return null;
  }
}

function isEpoll(file: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${file}`) === 'anon_inode:[eventpoll]';
  } catch {
    // Closed meanwhile.
    return false;
  }
}
