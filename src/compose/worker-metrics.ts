import { waitAtMost, withTimeout } from '../structures/with-timeout.ts';
import { GatheredMetrics } from '../telemetry/gathered-metrics.ts';
import { counter, gauge, type Metric } from '../telemetry/metrics.ts';

/** Messages about metrics between workers and their parent process. */
type ToWorker =
  | { readonly kind: 'measure' }
  | { readonly kind: 'gathered'; readonly id: number; readonly metrics: readonly Metric[] };
type FromWorker =
  | { readonly kind: 'measured'; readonly metrics: readonly Metric[] }
  | { readonly kind: 'gather'; readonly id: number };

/** Milliseconds. A slower worker counts with its last values. */
const timeout = 1_000;
/** Milliseconds that a worker waits for its parent process. */
const parentTimeout = 5_000;

interface Workers {
  readonly serving: readonly number[];
  send(pid: number, message: ToWorker): void;
}

/** In the parent process: has all workers measure when one of them gets a request for `/metrics`. */
export class MetricsCollector {
  readonly #workers: () => Workers;
  readonly #gathered = new GatheredMetrics();
  readonly #rounds = new Set<{ readonly missing: Set<number>; readonly done: () => void }>();
  #endings = 0;

  constructor(workers: () => Workers) {
    this.#workers = workers;
  }

  received(pid: number, message: unknown): void {
    const { kind, ...rest } = message as FromWorker;
    if (kind === 'measured' && 'metrics' in rest) this.#measured(pid, rest.metrics);
    if (kind === 'gather' && 'id' in rest) void this.#gather(pid, rest.id);
  }

  ended(pid: number): void {
    this.#endings += 1;
    this.#gathered.ended(pid);
    this.#noLongerMissing(pid);
  }

  #own(): readonly Metric[] {
    return [
      gauge('linnet_workers_serving', 'Workers that serve.', this.#workers().serving.length),
      counter('linnet_workers_ended_total', 'Workers that ended and were started again.', this.#endings),
    ];
  }

  #measured(pid: number, metrics: readonly Metric[]): void {
    if (this.#workers().serving.includes(pid)) this.#gathered.report(pid, metrics);
    this.#noLongerMissing(pid);
  }

  #noLongerMissing(pid: number): void {
    for (const round of this.#rounds) {
      round.missing.delete(pid);
      if (round.missing.size === 0) round.done();
    }
  }

  async #gather(requester: number, id: number): Promise<void> {
    const workers = this.#workers();
    const { promise, resolve } = Promise.withResolvers<void>();
    const round = { missing: new Set(workers.serving), done: resolve };
    this.#rounds.add(round);
    for (const pid of workers.serving) workers.send(pid, { kind: 'measure' });
    await waitAtMost(timeout, promise);
    this.#rounds.delete(round);
    workers.send(requester, { kind: 'gathered', id, metrics: [...this.#gathered.all(), ...this.#own()] });
  }
}

/** In a worker: requests the metrics of all workers from the parent process, and measures when the parent requests it. */
export class MetricsOfAll {
  readonly #send: (message: FromWorker) => void;
  readonly #measure: () => Promise<readonly Metric[]>;
  readonly #waiting = new Map<number, (metrics: readonly Metric[]) => void>();
  #lastId = 0;

  constructor(send: (message: FromWorker) => void, measure: () => Promise<readonly Metric[]>) {
    this.#send = send;
    this.#measure = measure;
  }

  readonly gather = async (): Promise<readonly Metric[]> => {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<readonly Metric[]>();
    this.#waiting.set(id, resolve);
    this.#send({ kind: 'gather', id });
    try {
      return await withTimeout(parentTimeout, promise, () => {
        throw new Error('no answer from the process above');
      });
    } finally {
      this.#waiting.delete(id);
    }
  };

  /** Returns whether the message was one of these. */
  received(message: unknown): boolean {
    const incoming = message as Partial<ToWorker> | null;
    if (incoming?.kind === 'measure') {
      this.#measure().then(
        (metrics) => this.#send({ kind: 'measured', metrics }),
        () => {},
      );
      return true;
    }
    if (incoming?.kind !== 'gathered') return false;
    const { id, metrics } = incoming as Extract<ToWorker, { kind: 'gathered' }>;
    this.#waiting.get(id)?.(metrics);
    return true;
  }
}
