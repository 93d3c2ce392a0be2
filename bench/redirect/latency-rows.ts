import { number, range } from '../table.ts';
import type { Waited } from './latency.ts';

export const latencyColumns = [
  '',
  'p50 µs',
  'p99 µs',
  'range',
  'to nginx',
  'more than by itself, ms',
  'longest µs',
];

/** nginx comes first, then Linnet by itself, then Linnet while it does other things. */
export function latencyRows(waited: readonly Waited[]): string[][] {
  const [nginx, itself] = waited;
  return waited.map(({ name, p50, p99, most }, place) => [
    name,
    number(p50.median),
    number(p99.median),
    range(p99),
    number(p99.median / (nginx?.p99.median ?? 1)),
    place < 2 ? '' : number((p99.median - (itself?.p99.median ?? 0)) / 1000),
    number(most.median),
  ]);
}
