import type { RawHit } from '../journal/hit.ts';
import { StartProblem } from '../start-problem.ts';
import type { Overrides } from './overrides.ts';
import type { Change, Clicks, ServerBehind, StartVisitors, Visitors } from './visitors.ts';
import type { Environment, Errand, FromVisitors, Listening, Problem } from './worker-protocol.ts';

interface Waiting {
  readonly resolve: (listening: Listening | null) => void;
  readonly reject: (cause: Error) => void;
}

/**
 * Beside the thread that this is called in: whatever is done for people who manage links, no visitor waits for it.
 * Settings don't cross as they are: they are read there again, from the same environment.
 */
export const visitorsInThread =
  (environment: Environment, onPrepared = () => {}): StartVisitors =>
  async (config, behind, { hits }, log) => {
    const thread = new VisitorThread((cause) => {
      // Without it nobody is answered: whoever started this process is to start it again.
      log.error('visitors no longer answered', cause);
      process.exit(1);
    });
    await thread.prepare({ ...environment, PORT: String(config.port) }, behind, hits);
    onPrepared();
    return thread;
  };

class VisitorThread implements Visitors {
  readonly #worker = new Worker(new URL('../visitor-thread.ts', import.meta.url).href);
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners: (() => void)[] = [];
  #lastId = 0;
  #listening: Listening = { port: 0, origin: '' };
  /** Changes that go in one message, at the end of this turn. */
  #untold: { links: Change['links'][number][]; hosts: string[] } | null = null;
  #telling: Promise<unknown> | null = null;
  #isDismissed = false;

  readonly clicks: Clicks = {
    append: (hit: RawHit) => this.#do({ to: 'append', hit }),
    settled: () => this.#do({ to: 'settle' }),
    onFolded: (listener) => void this.#listeners.push(listener),
    tidy: () => void this.#do({ to: 'tidy' }),
  };

  constructor(onDeath: (cause: unknown) => void) {
    this.#worker.onmessage = ({ data }: MessageEvent<FromVisitors>) => this.#hear(data);
    this.#worker.onerror = (event) => onDeath(new Error(event.message));
    // One that leaves without a word answers nobody, either.
    this.#worker.addEventListener('close', () => {
      if (!this.#isDismissed) onDeath(new Error('their thread has ended'));
    });
  }

  async prepare(
    environment: Environment,
    { clientByPort, ...rest }: ServerBehind,
    hits: Overrides['hits'],
  ): Promise<void> {
    const behind = { ...rest, clientByPort: clientByPort.memory };
    try {
      this.#listening =
        (await this.#ask({ to: 'prepare', environment, behind, hits: hits ?? null })) ?? this.#listening;
    } catch (cause) {
      this.#dismiss();
      throw cause;
    }
  }

  get port(): number {
    return this.#listening.port;
  }

  get origin(): string {
    return this.#listening.origin;
  }

  open(origin: string): Promise<void> {
    return this.#do({ to: 'open', origin });
  }

  listen(): Promise<void> {
    return this.#do({ to: 'listen' });
  }

  change({ links, hosts }: Change): void {
    if (this.#untold === null) {
      this.#untold = { links: [], hosts: [] };
      queueMicrotask(() => this.#tell());
    }
    this.#untold.links.push(...links);
    this.#untold.hosts.push(...hosts);
  }

  caughtUp(): Promise<void> | null {
    this.#tell();
    return this.#telling === null ? null : this.#telling.then(() => {});
  }

  stopTaking(patience: number): Promise<void> {
    return this.#do({ to: 'stopTaking', patience });
  }

  endConnections(): Promise<void> {
    return this.#do({ to: 'endConnections' });
  }

  async close(): Promise<void> {
    try {
      await this.#ask({ to: 'close' });
    } finally {
      this.#dismiss();
    }
  }

  #dismiss(): void {
    this.#isDismissed = true;
    this.#worker.terminate();
  }

  #tell(): void {
    const change = this.#untold;
    if (change === null) return;
    this.#untold = null;
    // Messages are answered in order: who waits for the last of them has waited for all.
    const telling = this.#ask({ to: 'know', change: JSON.stringify(change) }).finally(() => {
      if (this.#telling === telling) this.#telling = null;
    });
    this.#telling = telling;
  }

  async #do(errand: Errand): Promise<void> {
    await this.#ask(errand);
  }

  #ask(errand: Errand): Promise<Listening | null> {
    const id = ++this.#lastId;
    this.#worker.postMessage({ id, errand });
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #hear(message: FromVisitors): void {
    if (message.kind === 'folded') {
      for (const listener of this.#listeners) listener();
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === 'done') waiting?.resolve(message.listening);
    else waiting?.reject(errorOf(message.problem));
  }
}

function errorOf({ message, stack, isForeseen }: Problem): Error {
  return isForeseen ? new StartProblem(message) : Object.assign(new Error(message), { stack });
}
