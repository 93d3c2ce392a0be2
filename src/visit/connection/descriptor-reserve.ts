import type { ConnectionTable, Limited } from './connection-table.ts';
import { descriptorLimit, openDescriptors } from './descriptor-limit.ts';
import type { Guard } from './guard.ts';

const interval = 1_000;
/** Descriptors kept free for the journal, the fold and the store. */
const minFree = 32;
const minConnections = 8;

/**
 * Returns a function that counts the free descriptors of this process without opening one; null where the system can't report it.
 */
export function freeDescriptors(): () => number | null {
  const limit = descriptorLimit();
  return () => {
    const open = openDescriptors();
    return open === null ? null : limit - open;
  };
}

/**
 * Counts the descriptors every second, where the system can report them. While something other than visitors uses more than was
 * reserved, fewer connections are allowed: otherwise `accept` would fail for lack of a descriptor, and the runtime would retry it
 * in a loop.
 */
export function keepDescriptorReserve(
  maxConnections: number,
  connections: Pick<ConnectionTable<Limited>, 'size' | 'limitTo'>,
  guard: Pick<Guard, 'report'>,
  free = freeDescriptors(),
): Timer {
  return setInterval(() => {
    try {
      const left = free();
      if (left === null) return;
      const room = connections.size + left - minFree;
      connections.limitTo(Math.min(maxConnections, Math.max(room, minConnections)));
    } catch (cause) {
      guard.report(cause);
    }
  }, interval);
}
