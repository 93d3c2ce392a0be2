import type { ConnectionTable, Limited } from './connection-table.ts';
import { descriptorLimit, openDescriptors } from './descriptor-limit.ts';
import type { Guard } from './guard.ts';

const interval = 1_000;
/** Descriptors that are to be free, whatever has taken the others: the journal, the fold and the store go on. */
const minFree = 32;
const minConnections = 8;

/** Says how many more descriptors this process may open; null where the system doesn't tell. It needs none itself. */
export function freeDescriptors(): () => number | null {
  const limit = descriptorLimit();
  return () => {
    const open = openDescriptors();
    return open === null ? null : limit - open;
  };
}

/**
 * Counts the descriptors now and then, where the system tells their number. When something other than visitors takes more of
 * them than was set aside, there are fewer connections for as long as that lasts: accepting one doesn't fail for want of
 * a descriptor, which the runtime would try again and again.
 */
export function keepDescriptorReserve<Connection extends Limited>(
  maxConnections: number,
  connections: ConnectionTable<Connection>,
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
