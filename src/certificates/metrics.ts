import { certificateProblems } from '../rules/certificate-problem.ts';
import { certificateCounts } from '../storage/certificates.ts';
import type { Queries } from '../storage/schema.ts';
import type { Metric } from '../telemetry/metrics.ts';

const seconds = (milliseconds: number) => Math.round(milliseconds / 1000);

/** The state of the certificates that this service orders. They are in the store, so every process reports the same. */
export async function certificateMetrics(queries: Queries, ownHost: string, now: number): Promise<Metric[]> {
  const counts = await certificateCounts(queries, ownHost, now);
  const failing = new Map(counts.map((count) => [count.problem, count]));
  const sum = (of: 'names' | 'served') => counts.reduce((total, count) => total + count[of], 0);
  const [all, served] = [sum('names'), sum('served')];
  const ends = counts.flatMap(({ first_end }) => (first_end === null ? [] : [first_end]));
  return [
    {
      name: 'linnet_certificate_names',
      help: 'Names for which a certificate was requested, by whether they have a valid one.',
      kind: 'gauge',
      samples: [
        { labels: { certificate: 'valid' }, value: served },
        { labels: { certificate: 'none' }, value: all - served },
      ],
    },
    {
      name: 'linnet_certificate_failing_names',
      help: 'Names whose last order of a certificate failed, by what is wrong. The page Domains and the log name them and say what to do.',
      kind: 'gauge',
      samples: certificateProblems.map((problem) => ({
        labels: { problem },
        value: failing.get(problem)?.names ?? 0,
      })),
    },
    {
      name: 'linnet_certificate_failed_orders',
      help: 'Orders that failed in a row, of all failing names together, by what was wrong with the last.',
      kind: 'gauge',
      samples: certificateProblems.map((problem) => ({
        labels: { problem },
        value: failing.get(problem)?.failures ?? 0,
      })),
    },
    {
      name: 'linnet_certificate_first_end_timestamp_seconds',
      help: 'When the first of the valid certificates ends; missing where there is none.',
      kind: 'gauge',
      samples: ends.length === 0 ? [] : [{ value: seconds(Math.min(...ends)) }],
    },
  ];
}
