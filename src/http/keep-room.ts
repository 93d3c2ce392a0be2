import type { Connection } from './connection.ts';
import type { ConnectionTable } from './connection-table.ts';
import { descriptorLimit, openDescriptors } from './descriptor-limit.ts';
import type { Guard } from './guard.ts';

const interval = 1_000;
/** Descriptors that are to be free, whatever has taken the others: the journal, the fold and the store go on. */
const minFree = 32;
const minConnections = 8;

/**
 * Counts the descriptors now and then, where the system tells their number. When something other than visitors takes more of
 * them than was set aside, there are fewer connections for as long as that lasts: accepting one never fails for want of
 * a descriptor, which the runtime would try again and again.
 */
export function keepRoom(
  maxConnections: number,
  connections: ConnectionTable<Connection>,
  guard: Guard,
): Timer {
  const limit = descriptorLimit();
  return setInterval(() => {
    const open = openDescriptors();
    if (open === null) return;
    const room = connections.size + limit - open - minFree;
    try {
      connections.limitTo(Math.min(maxConnections, Math.max(room, minConnections)));
    } catch (cause) {
      guard.report(cause);
    }
  }, interval);
}
