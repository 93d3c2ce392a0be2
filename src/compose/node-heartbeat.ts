import { hostname } from 'node:os';
import { version } from '../../package.json' with { type: 'json' };
import { nodeIdIn } from '../journal/files.ts';
import { dayLength } from '../rules/durations.ts';
import { goneAfter } from '../rules/node-status.ts';
import type { Database } from '../storage/database.ts';
import { newestMigration } from '../storage/newest-migration.ts';
import { forgetEarlier, forgetGone, forgetProcess, reportNode } from '../storage/nodes.ts';
import type { Metric } from '../telemetry/metrics.ts';
import { repeatWhileOpen } from './repeat-job.ts';
import type { Start } from './start.ts';
import { unfoldedBytes } from './store-metrics.ts';

/** Milliseconds for which a node is listed after it is gone with nothing left to fold. */
const listedFor = 7 * dayLength;

const metricOf = (metrics: readonly Metric[], name: string): number =>
  metrics.find((metric) => metric.name === name)?.samples[0]?.value ?? 0;

/**
 * Reports this process's state to the store, so that each node knows the state of all. Returns a function that removes it from
 * the list: call it once its clicks are folded, as far as possible.
 */
export function reportThisNode(
  start: Start,
  database: Database,
  dataDir: string,
  measure: () => Promise<readonly Metric[]>,
): () => Promise<void> {
  const node = nodeIdIn(dataDir);
  const process = crypto.randomUUID();
  const host_name = hostname().slice(0, 200);
  const { now } = start;
  const started_at = now();
  const bytes = () => unfoldedBytes(database.lookup, dataDir);
  const report = async () => {
    const metrics = await measure();
    const waiting_clicks = metricOf(metrics, 'linnet_journal_lag_clicks');
    const waiting_bytes = await bytes();
    const seen_at = now();
    const lag = Math.round(metricOf(metrics, 'linnet_journal_lag_seconds') * 1_000);
    const waiting_since = waiting_clicks > 0 ? seen_at - lag : null;
    const state = { seen_at, waiting_clicks, waiting_since, waiting_bytes };
    await database.write(async (queries) => {
      const program = { host_name, version, migration: newestMigration };
      await reportNode(queries, { node, process, started_at, ...program, ...state });
      await forgetEarlier(queries, node, seen_at - goneAfter);
      await forgetGone(queries, seen_at - listedFor);
    });
  };
  // While the database is down, other checks report that; the list then shows when this process was last seen.
  repeatWhileOpen(start, report, 'heartbeatInterval');
  return async () => {
    try {
      if ((await bytes()) === 0) await database.write((queries) => forgetProcess(queries, node, process));
    } catch {
      // It stays in the list, with the clicks that waited when it was last seen.
    }
  };
}
