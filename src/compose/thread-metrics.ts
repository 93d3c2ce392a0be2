import type { ClickRecorderFigures } from '../ledger/click-recorder.ts';
import { clickServerCalls, clickServerState } from '../ledger/click-server-calls.ts';
import { storeFaults } from '../rules/errors.ts';
import type { Histogram } from '../structures/histogram.ts';
import type { Log } from '../telemetry/log.ts';
import { counter, gauge, highest, type Metric, type Sample, samplesBy } from '../telemetry/metrics.ts';
import type { VisitCounts } from '../visit/visit-counts.ts';

/** The counts of the thread that answers visits. `feedLag`: milliseconds since the change feed was last read. */
export function visitMetrics(counts: VisitCounts, feedLag: number): Metric[] {
  return [
    counter(
      'linnet_visits_total',
      'Visits by what they were answered with.',
      counts.outcomes().map(({ outcome, count }) => ({ labels: { outcome }, value: count })),
    ),
    {
      name: 'linnet_visit_duration_seconds',
      help: 'From reading a visit of a plain link to sending its answer, with its click in the journal.',
      kind: 'histogram',
      samples: histogramSamples(counts.answerTimes, 1_000),
    },
    counter(
      'linnet_link_cache_lookups_total',
      'Visits by whether their address was in the cache of links, with a link or as one that has none.',
      samplesBy('result', { hit: counts.cacheHits, miss: counts.cacheMisses }),
    ),
    highest(
      gauge(
        'linnet_feed_lag_seconds',
        'For how long the feed of changed links has not been read.',
        feedLag / 1_000,
      ),
    ),
  ];
}

/** Counts of any thread, whatever runs in it. */
export function threadMetrics(log: Log): Metric[] {
  return [
    counter(
      'linnet_database_errors_total',
      'Failed calls of the database: it was away, full or overrun, or took too long.',
      samplesBy('kind', storeFaults),
    ),
    counter(
      'linnet_log_events_total',
      'Warnings and errors by the event that the log names, also those that it holds back.',
      log.counts().map(({ level, event, count }) => ({ labels: { level, event }, value: count })),
    ),
    ...(clickServerCalls.sent > 0 ? clickServerMetrics() : []),
  ];
}

/** Only if individual clicks are in ClickHouse. */
function clickServerMetrics(): Metric[] {
  const { sent, unreachable, refused, too_slow, insertions, insertedHits, insertionMilliseconds } =
    clickServerCalls;
  return [
    counter('linnet_clickhouse_calls_total', 'Statements that were sent to ClickHouse.', sent),
    counter(
      'linnet_clickhouse_errors_total',
      'Statements that ClickHouse did not answer, refused, or took too long for.',
      samplesBy('kind', { unreachable, refused, too_slow }),
    ),
    highest(
      gauge(
        'linnet_clickhouse_away',
        'Whether the last statement found ClickHouse away, or was refused.',
        Number(clickServerState.isUnavailable),
      ),
    ),
    counter('linnet_clickhouse_insertions_total', 'Batches of hits that ClickHouse has taken.', insertions),
    counter('linnet_clickhouse_inserted_hits_total', 'Hits of those batches.', insertedHits),
    counter(
      'linnet_clickhouse_insertion_seconds_total',
      'Seconds that inserting them took.',
      insertionMilliseconds / 1_000,
    ),
  ];
}

export const clickMetrics = (figures: ClickRecorderFigures): Metric[] => [
  counter('linnet_clicks_recorded_total', 'Hits that were taken into the journal.', figures.kept),
  gauge(
    'linnet_journal_lag_clicks',
    'Hits of running processes that are not in the database yet.',
    figures.waiting,
  ),
  highest(
    gauge(
      'linnet_journal_lag_seconds',
      'For how long the oldest of those has waited.',
      figures.waitingFor / 1_000,
    ),
  ),
  gauge('linnet_clicks_in_memory', 'Hits that the disk does not take, kept in memory.', figures.held),
  counter('linnet_clicks_dropped_total', 'Hits that are lost: no disk took them.', figures.dropped),
  counter(
    'linnet_journal_damaged_total',
    'Segments of the journal that had other bytes than were written.',
    figures.damaged,
  ),
];

/** `perUnit`: how many of the histogram's units make one of the metric's. */
function histogramSamples({ bounds, cumulative, sum }: Histogram, perUnit: number): Sample[] {
  const ends = [...bounds.map((bound) => String(bound / perUnit)), '+Inf'];
  return [
    ...ends.map((le, index) => ({
      suffix: '_bucket' as const,
      labels: { le },
      value: cumulative[index] ?? 0,
    })),
    { suffix: '_sum', value: sum / perUnit },
    { suffix: '_count', value: cumulative.at(-1) ?? 0 },
  ];
}
