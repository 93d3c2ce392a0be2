import { destinationProblems } from '../rules/watched-destinations.ts';
import type { Queries } from '../storage/schema.ts';
import { longestWait } from '../storage/watched-hosts.ts';
import { countUrls } from '../storage/watched-urls.ts';
import { gauge, type Metric } from '../telemetry/metrics.ts';

/** The state of watched destinations. They are in the store, so every process reports the same. */
export async function destinationMetrics(queries: Queries, now: number): Promise<Metric[]> {
  const counts = new Map((await countUrls(queries)).map(({ problem, count }) => [problem, count]));
  return [
    gauge(
      'linnet_watched_destinations',
      'Addresses that are looked at daily, by what is wrong with them.',
      [null, ...destinationProblems].map((problem) => ({
        labels: { problem: problem ?? 'none' },
        value: counts.get(problem) ?? 0,
      })),
    ),
    gauge(
      'linnet_watched_destinations_wait_seconds',
      'For how long a destination waits that is due. A host is asked every ten seconds at most, so many addresses of one host wait.',
      Math.round((await longestWait(queries, now)) / 1000),
    ),
  ];
}
