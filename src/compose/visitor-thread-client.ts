import { moduleUrl } from '../bundle/module-urls.ts';
import type { RawHit } from '../journal/hit.ts';
import { StartProblem } from '../start-problem.ts';
import type { NotFoundCount } from '../storage/not-found-visits.ts';
import type { Metric } from '../telemetry/metrics.ts';
import type { AppServerAccess, Change, Clicks, DataPlane, StartDataPlane } from './data-plane.ts';
import type { Overrides } from './overrides.ts';
import type {
  Environment,
  FromDataPlane,
  Listening,
  Problem,
  Task,
  TaskAnswer,
} from './visitor-thread-protocol.ts';

interface Waiting {
  readonly resolve: (answer: TaskAnswer) => void;
  readonly reject: (cause: Error) => void;
}

/**
 * Runs the data plane in a thread of its own, so that no visitor waits for work of the control plane. The thread reads the
 * settings again from the same environment, because they can't be copied to a worker.
 */
export const startVisitorThread =
  (environment: Environment, onPrepared = () => {}): StartDataPlane =>
  async (config, appServer, { hits }, log) => {
    const thread = new VisitorThreadClient((cause) => {
      // Without this thread no visitor is answered: the supervisor should restart the process.
      log.error('visitors no longer answered', cause);
      process.exit(1);
    });
    const ports = { PORT: String(config.port), HTTP_PORT: String(config.httpPort ?? 'off') };
    await thread.prepare({ ...environment, ...ports }, appServer, hits);
    onPrepared();
    return thread;
  };

class VisitorThreadClient implements DataPlane {
  readonly #worker = new Worker(moduleUrl('visitor-thread'));
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners: (() => void)[] = [];
  #lastId = 0;
  #listening: Listening = { port: 0, httpPort: null, origin: '' };
  /** Changes to be sent in one message at the end of this tick. */
  #unsentChange: { links: Change['links'][number][]; hosts: string[] } | null = null;
  #sending: Promise<unknown> | null = null;
  #isTerminated = false;
  #certificateRequested: (host: string) => void = () => {};

  readonly clicks: Clicks = {
    append: (hit: RawHit) => this.#run({ kind: 'append', hit }),
    settled: () => this.#run({ kind: 'settle' }),
    onFolded: (listener) => void this.#listeners.push(listener),
    cleanUp: () => void this.#run({ kind: 'cleanUp' }),
  };

  constructor(onEnd: (cause: unknown) => void) {
    this.#worker.onmessage = ({ data }: MessageEvent<FromDataPlane>) => this.#receive(data);
    this.#worker.onerror = (event) => onEnd(new Error(event.message));
    // It may also end without an error.
    this.#worker.addEventListener('close', () => {
      if (!this.#isTerminated) onEnd(new Error('their thread has ended'));
    });
  }

  async prepare(
    environment: Environment,
    { clientByPort, ...rest }: AppServerAccess,
    hits: Overrides['hits'],
  ): Promise<void> {
    const appServer = { ...rest, clientByPort: clientByPort.memory };
    try {
      const prepared = await this.#request({ kind: 'prepare', environment, appServer, hits: hits ?? null });
      this.#listening = prepared.listening ?? this.#listening;
    } catch (cause) {
      this.#terminate();
      throw cause;
    }
  }

  get port(): number {
    return this.#listening.port;
  }

  get httpPort(): number | null {
    return this.#listening.httpPort;
  }

  get origin(): string {
    return this.#listening.origin;
  }

  open(origin: string, saltKey: string): Promise<void> {
    return this.#run({ kind: 'open', origin, saltKey });
  }

  listen(): Promise<void> {
    return this.#run({ kind: 'listen' });
  }

  change({ links, hosts }: Change): void {
    if (this.#unsentChange === null) {
      this.#unsentChange = { links: [], hosts: [] };
      queueMicrotask(() => this.#sendChange());
    }
    this.#unsentChange.links.push(...links);
    this.#unsentChange.hosts.push(...hosts);
  }

  onCertificateRequested(listener: (host: string) => void): void {
    this.#certificateRequested = listener;
  }

  /** Returns nothing if it can't be measured. */
  async measure(): Promise<readonly Metric[]> {
    const answer = await this.#request({ kind: 'measure' }).catch((): TaskAnswer => ({}));
    return answer.metrics ?? [];
  }

  async takeNotFound(): Promise<readonly NotFoundCount[]> {
    return (await this.#request({ kind: 'takeNotFound' })).notFound ?? [];
  }

  caughtUp(): Promise<void> | null {
    this.#sendChange();
    return this.#sending === null ? null : this.#sending.then(() => {});
  }

  drain(): Promise<void> {
    return this.#run({ kind: 'drain' });
  }

  stopAccepting(timeout: number): Promise<void> {
    return this.#run({ kind: 'stopAccepting', timeout });
  }

  endConnections(): Promise<void> {
    return this.#run({ kind: 'endConnections' });
  }

  async close(): Promise<void> {
    try {
      await this.#request({ kind: 'close' });
    } finally {
      this.#terminate();
    }
  }

  #terminate(): void {
    this.#isTerminated = true;
    this.#worker.terminate();
  }

  #sendChange(): void {
    const change = this.#unsentChange;
    if (change === null) return;
    this.#unsentChange = null;
    // Messages are answered in order, so waiting for the last one means waiting for all.
    const sending = this.#request({ kind: 'change', change: JSON.stringify(change) }).finally(() => {
      if (this.#sending === sending) this.#sending = null;
    });
    this.#sending = sending;
  }

  async #run(task: Task): Promise<void> {
    await this.#request(task);
  }

  #request(task: Task): Promise<TaskAnswer> {
    const id = ++this.#lastId;
    this.#worker.postMessage({ id, task });
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #receive(message: FromDataPlane): void {
    if (message.kind === 'folded') {
      for (const listener of this.#listeners) listener();
      return;
    }
    if (message.kind === 'certificateRequested') {
      this.#certificateRequested(message.host);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === 'done') waiting?.resolve(message.answer);
    else waiting?.reject(errorOf(message.problem));
  }
}

function errorOf({ message, stack, isForeseen }: Problem): Error {
  return isForeseen ? new StartProblem(message) : Object.assign(new Error(message), { stack });
}
