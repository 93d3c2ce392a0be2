import { type Metric, mergeMetrics } from './metrics.ts';

/**
 * What the workers of an instance have measured. A worker that has ended still counts with what it told last, so that no counter
 * goes back: Prometheus would take that for a restart.
 */
export class GatheredMetrics {
  readonly #running = new Map<number, readonly Metric[]>();
  #ended: readonly Metric[] = [];

  told(pid: number, metrics: readonly Metric[]): void {
    this.#running.set(pid, metrics);
  }

  ended(pid: number): void {
    const last = this.#running.get(pid) ?? [];
    this.#running.delete(pid);
    this.#ended = mergeMetrics([this.#ended, last.filter(({ kind }) => kind !== 'gauge')]);
  }

  all(): readonly Metric[] {
    // In this order, so that gauges stay where they are while workers come and go.
    return mergeMetrics([...this.#running.values(), this.#ended]);
  }
}
