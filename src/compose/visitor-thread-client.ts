import { moduleUrl } from '../bundle/module-urls.ts';
import type { Environment } from '../config/load.ts';
import { StartProblem } from '../start-problem.ts';
import type { Metric } from '../telemetry/metrics.ts';
import type { AppServerAccess, Change, Clicks, DataPlane, StartDataPlane } from './data-plane.ts';
import type { Overrides } from './overrides.ts';
import type {
  Arguments,
  CallName,
  FromDataPlane,
  Listening,
  Problem,
  Result,
} from './visitor-thread-protocol.ts';

interface Waiting {
  readonly resolve: (result: Result<CallName>) => void;
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
  #sending: Promise<void> | null = null;
  #isTerminated = false;
  #certificateRequested: (host: string) => void = () => {};

  readonly clicks: Clicks = {
    append: (hit) => this.#call('append', hit),
    settled: () => this.#call('settled'),
    onFolded: (listener) => void this.#listeners.push(listener),
    cleanUp: () => void this.#call('cleanUp'),
  };
  readonly open = (origin: string, saltKey: string) => this.#call('open', origin, saltKey);
  readonly listen = () => this.#call('listen');
  readonly takeNotFound = () => this.#call('takeNotFound');
  readonly drain = () => this.#call('drain');
  readonly stopAccepting = (timeout: number) => this.#call('stopAccepting', timeout);
  readonly endConnections = () => this.#call('endConnections');

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
      this.#listening = await this.#call('prepare', environment, appServer, hits);
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
  measure(): Promise<readonly Metric[]> {
    return this.#call('measure').catch(() => []);
  }

  caughtUp(): Promise<void> | null {
    this.#sendChange();
    return this.#sending;
  }

  async close(): Promise<void> {
    try {
      await this.#call('close');
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
    const sending = this.#call('change', JSON.stringify(change)).finally(() => {
      if (this.#sending === sending) this.#sending = null;
    });
    this.#sending = sending;
  }

  #call<Name extends CallName>(name: Name, ...args: Arguments<Name>): Promise<Result<Name>> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Result<Name>>();
    // The thread answers a call with the result of that call.
    this.#waiting.set(id, { resolve: (result) => resolve(result as Result<Name>), reject });
    this.#worker.postMessage({ id, name, args });
    return promise;
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
    if (message.kind === 'done') waiting?.resolve(message.result);
    else waiting?.reject(errorOf(message.problem));
  }
}

function errorOf({ message, stack, isForeseen }: Problem): Error {
  return isForeseen ? new StartProblem(message) : Object.assign(new Error(message), { stack });
}
