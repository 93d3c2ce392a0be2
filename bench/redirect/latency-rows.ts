import { formatNumber, formatRange } from '../table.ts';
import type { LatencyResult } from './latency.ts';

export const latencyColumns = [
  '',
  'p50 µs',
  'p99 µs',
  'range',
  'to nginx',
  'more, ms',
  'range',
  'longest µs',
  "kernel's threads, ms",
];

/** The first row must be nginx. */
export function latencyRows(waited: readonly LatencyResult[]): string[][] {
  const [nginx] = waited;
  return waited.map(({ name, p50, p99, most, more, kernel }) => [
    more === null ? name : `${name} (more than “${more.than}”)`,
    formatNumber(p50.median),
    formatNumber(p99.median),
    formatRange(p99),
    formatNumber(p99.median / (nginx?.p99.median ?? 1)),
    more === null ? '' : formatNumber(more.ms.median),
    more === null ? '' : formatRange(more.ms),
    formatNumber(most.median),
    formatNumber(kernel.median),
  ]);
}
