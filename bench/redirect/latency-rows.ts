import { number, range } from '../table.ts';
import type { Waited } from './latency.ts';

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
export function latencyRows(waited: readonly Waited[]): string[][] {
  const [nginx] = waited;
  return waited.map(({ name, p50, p99, most, more, kernel }) => [
    more === null ? name : `${name} (more than “${more.than}”)`,
    number(p50.median),
    number(p99.median),
    range(p99),
    number(p99.median / (nginx?.p99.median ?? 1)),
    more === null ? '' : number(more.ms.median),
    more === null ? '' : range(more.ms),
    number(most.median),
    number(kernel.median),
  ]);
}
