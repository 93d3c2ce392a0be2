import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unfoldedIn } from '../journal/unfolded.ts';
import { watermarksOf } from '../storage/journal-watermarks.ts';
import { outboxStanding } from '../storage/outbox-standing.ts';
import type { Queries } from '../storage/schema.ts';
import type { Metric } from '../telemetry/metrics.ts';
import { gauge } from './thread-metrics.ts';

/** What webhooks wait to be sent: of the whole instance, so every node tells the same. */
export async function outboxMetrics(queries: Queries, now: number): Promise<Metric[]> {
  const { waiting, oldest } = await outboxStanding(queries);
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

/** Clicks of this node that are not in the database, those of earlier processes too. */
export async function journalMetrics(queries: Queries, dataDir: string): Promise<Metric[]> {
  const node = readFileSync(join(dataDir, 'node.id'), 'utf8').trim();
  const { bytes } = unfoldedIn(dataDir, await watermarksOf(queries, node));
  return [
    gauge(
      'linnet_journal_unfolded_bytes',
      'Bytes of all journals in this data folder that are not in the database.',
      bytes,
    ),
  ];
}
