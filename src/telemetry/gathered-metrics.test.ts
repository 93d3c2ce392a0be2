import { expect, test } from 'bun:test';
import { GatheredMetrics } from './gathered-metrics.ts';
import { type Metric, mergeMetrics } from './metrics.ts';

const visits = (value: number, outcome = 'redirect'): Metric => ({
  name: 'linnet_visits_total',
  help: 'Visits.',
  kind: 'counter',
  samples: [{ labels: { outcome }, value }],
});
const gauge = (name: string, value: number, together?: 'highest'): Metric => ({
  name,
  help: 'How much.',
  kind: 'gauge',
  ...(together && { aggregation: together }),
  samples: [{ value }],
});
const valuesOf = (metrics: readonly Metric[]) =>
  Object.fromEntries(metrics.map(({ name, samples }) => [name, samples.map(({ value }) => value)]));

test('values of several threads are added per label, except those where the highest counts', () => {
  const merged = mergeMetrics([
    [visits(2), gauge('lag', 5, 'highest'), gauge('connections', 3)],
    [visits(3), gauge('lag', 4, 'highest'), gauge('connections', 4)],
    [visits(7, 'expired')],
  ]);
  expect(valuesOf(merged)).toEqual({ linnet_visits_total: [5, 7], lag: [5], connections: [7] });
});

test("the counters of a worker that has ended still count, but its gauges don't", () => {
  const gathered = new GatheredMetrics();
  gathered.report(1, [visits(10), gauge('connections', 3)]);
  gathered.report(2, [visits(1), gauge('connections', 1)]);
  gathered.report(1, [visits(12), gauge('connections', 2)]);
  gathered.ended(1);
  gathered.report(3, [visits(1), gauge('connections', 5)]);
  expect(valuesOf(gathered.all())).toEqual({ linnet_visits_total: [14], connections: [6] });
});
