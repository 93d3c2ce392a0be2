import { certificateProblems } from '../rules/domains/certificate-problem.ts';
import { certificateCounts } from '../storage/certificates.ts';
import type { Queries } from '../storage/schema.ts';
import { gauge, type Metric, samplesBy } from '../telemetry/metrics.ts';

/** The state of the certificates that this service orders. They are in the store, so every process reports the same. */
export async function certificateMetrics(queries: Queries, ownHost: string, now: number): Promise<Metric[]> {
  const counts = await certificateCounts(queries, ownHost, now);
  const failing = new Map(counts.map((count) => [count.problem, count]));
  const byProblem = (of: 'names' | 'failures') =>
    certificateProblems.map((problem) => ({ labels: { problem }, value: failing.get(problem)?.[of] ?? 0 }));
  const sum = (of: 'names' | 'served') => counts.reduce((total, count) => total + count[of], 0);
  const [all, served] = [sum('names'), sum('served')];
  const ends = counts.flatMap(({ first_end }) => (first_end === null ? [] : [first_end]));
  return [
    gauge(
      'linnet_certificate_names',
      'Names for which a certificate was requested, by whether they have a valid one.',
      samplesBy('certificate', { valid: served, none: all - served }),
    ),
    gauge(
      'linnet_certificate_failing_names',
      'Names whose last order of a certificate failed, by what is wrong. The page Domains and the log name them and say what to do.',
      byProblem('names'),
    ),
    gauge(
      'linnet_certificate_failed_orders',
      'Orders that failed in a row, of all failing names together, by what was wrong with the last.',
      byProblem('failures'),
    ),
    gauge(
      'linnet_certificate_first_end_timestamp_seconds',
      'When the first of the valid certificates ends; missing where there is none.',
      ends.length === 0 ? [] : Math.round(Math.min(...ends) / 1000),
    ),
  ];
}
