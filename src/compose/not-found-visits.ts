import type { Database } from '../storage/database.ts';
import { addNotFoundVisits, type NotFoundCount } from '../storage/not-found-visits.ts';
import type { NotFoundTally } from '../visit/not-found-tally.ts';
import type { DataPlane } from './data-plane.ts';
import { logFault, repeatWhileOpen } from './repeat-job.ts';
import type { Start } from './start.ts';

/** Per round. There are only more if a client makes addresses up. */
const maxCounts = 1_000;

/**
 * Moves the counts of visits to addresses without a link from the memory of both threads to the store. A crash loses the last
 * seconds of them.
 */
export function storeNotFoundVisits(
  start: Start,
  database: Database,
  dataPlane: Pick<DataPlane, 'takeNotFound'>,
  tally: NotFoundTally,
): void {
  let waiting: readonly NotFoundCount[] = [];
  const store = async () => {
    // Counts that the store didn't take are retried before more are taken: the tallies are bounded.
    if (waiting.length === 0) waiting = await mostVisited(dataPlane, tally);
    while (waiting[0] !== undefined) {
      const { domainId, day } = waiting[0];
      const isOfSame = (count: NotFoundCount) => count.domainId === domainId && count.day === day;
      const counts = waiting.filter(isOfSame);
      await database.write((queries) => addNotFoundVisits(queries, domainId, day, counts));
      waiting = waiting.filter((count) => !isOfSame(count));
    }
  };
  const onFault = logFault(start.log, 'visits to nowhere not counted');
  // Closed in reverse order: the rest is stored once the job has stopped.
  start.opened.defer(() => store().catch(onFault));
  repeatWhileOpen(start, store, 'notFoundInterval', onFault);
}

async function mostVisited(
  dataPlane: Pick<DataPlane, 'takeNotFound'>,
  tally: NotFoundTally,
): Promise<readonly NotFoundCount[]> {
  const sums = new Map<string, NotFoundCount>();
  for (const count of [...(await dataPlane.takeNotFound()), ...tally.take()]) {
    const key = `${count.domainId} ${count.day} ${count.suffix}`;
    sums.set(key, { ...count, visits: count.visits + (sums.get(key)?.visits ?? 0) });
  }
  return [...sums.values()].sort((a, b) => b.visits - a.visits).slice(0, maxCounts);
}
