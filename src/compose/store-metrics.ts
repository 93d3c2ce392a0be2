import { nodeIdIn } from '../journal/files.ts';
import { unfoldedIn } from '../journal/unfolded.ts';
import { destinationProblems } from '../rules/destinations/watched-destinations.ts';
import { nodesOf } from '../rules/node-status.ts';
import { longestWait } from '../storage/destinations/watched-hosts.ts';
import { countUrls } from '../storage/destinations/watched-urls.ts';
import { watermarksOf } from '../storage/journal-watermarks.ts';
import { listNodes } from '../storage/nodes.ts';
import type { Queries } from '../storage/schema.ts';
import { outboxStatus } from '../storage/webhooks/outbox-status.ts';
import { gauge, type Metric, samplesBy } from '../telemetry/metrics.ts';

/** The webhook deliveries waiting to be sent: for the whole instance, so every node reports the same. */
export async function outboxMetrics(queries: Queries, now: number): Promise<Metric[]> {
  const { waiting, oldest } = await outboxStatus(queries);
  return [
    gauge(
      'linnet_outbox_messages',
      'Messages of webhooks that are to be sent, counted up to 100,000.',
      waiting,
    ),
    gauge(
      'linnet_outbox_lag_seconds',
      'How long ago the message was due that has been due for longest.',
      oldest === null ? 0 : Math.max(0, now - oldest) / 1_000,
    ),
  ];
}

/** The number of nodes, as they report themselves: for the whole instance. */
export async function nodeMetrics(queries: Queries, now: number): Promise<Metric[]> {
  const nodes = nodesOf(await listNodes(queries), now);
  const gone = nodes.filter(({ isGone }) => isGone);
  return [
    gauge(
      'linnet_nodes',
      'Nodes by whether they told of themselves in the last minute.',
      samplesBy('state', { here: nodes.length - gone.length, gone: gone.length }),
    ),
    gauge(
      'linnet_gone_node_bytes',
      'Bytes of clicks in journals of nodes that are gone, as they told last.',
      gone.reduce((sum, { waitingBytes }) => sum + waitingBytes, 0),
    ),
  ];
}

/** Clicks of this node that are not in the database, including those of earlier processes. */
export async function journalMetrics(queries: Queries, dataDir: string): Promise<Metric[]> {
  return [
    gauge(
      'linnet_journal_unfolded_bytes',
      'Bytes of all journals in this data folder that are not in the database.',
      await unfoldedBytes(queries, dataDir),
    ),
  ];
}

/** Bytes of all journals in this data folder that are not in the database. */
export async function unfoldedBytes(queries: Queries, dataDir: string): Promise<number> {
  return unfoldedIn(dataDir, await watermarksOf(queries, nodeIdIn(dataDir))).bytes;
}

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
