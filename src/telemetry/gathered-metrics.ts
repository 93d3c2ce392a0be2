import { type Metric, mergeMetrics } from './metrics.ts';

/**
 * The values of an instance's workers. A worker that has ended still counts with its last values, so that no counter decreases:
 * Prometheus would take that for a restart.
 */
export class GatheredMetrics {
  readonly #running = new Map<number, readonly Metric[]>();
  #ended: readonly Metric[] = [];

  report(pid: number, metrics: readonly Metric[]): void {
    this.#running.set(pid, metrics);
  }

  ended(pid: number): void {
    const last = this.#running.get(pid) ?? [];
    this.#running.delete(pid);
    this.#ended = mergeMetrics([this.#ended, last.filter(({ kind }) => kind !== 'gauge')]);
  }

  all(): readonly Metric[] {
    // In this order, so that gauges are stable while workers come and go.
    return mergeMetrics([...this.#running.values(), this.#ended]);
  }
}
