import type { Subprocess } from 'bun';
import { type EndedWorker, restartDelay } from './restart-delay.ts';

/** A worker's first message to its parent: it serves now, with a text to be printed. */
interface WorkerReady {
  /** The startup banner. A worker that was upgraded may have an older parent, which knows this name only. */
  readonly greeting: string;
}

export interface Ending {
  /** Null if the process could not be started at all. */
  readonly pid: number | null;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | number | null;
  /** Why the process could not be started. */
  readonly error?: string;
}

interface Supervisor {
  onEnded(ending: Ending): void;
  /** Called with each further message of a worker. */
  onMessage(pid: number, message: unknown): void;
  /** Whether no other worker runs at the moment. */
  isLast(): boolean;
  sleep(milliseconds: number): Promise<void>;
}

interface Run {
  /** Its startup banner once it serves; null if it ended before. */
  readonly ready: Promise<string | null>;
  readonly ended: Promise<Ending>;
}

const isReady = (message: unknown): message is WorkerReady =>
  typeof (message as WorkerReady | null)?.greeting === 'string';

/** Milliseconds. A worker that has run for this long did not fail to start. */
const stableAfter = 10_000;

/** A process that is restarted whenever it ends, after a pause that grows with each failure in a row. */
export class SupervisedWorker {
  readonly #command: readonly string[];
  readonly #supervisor: Supervisor;
  readonly #stopping = Promise.withResolvers<void>();
  #isStopping = false;
  #isRunning = false;
  #serving: number | null = null;
  #process: Subprocess | null = null;
  #supervising: Promise<void> = Promise.resolve();

  constructor(command: readonly string[], supervisor: Supervisor) {
    this.#command = command;
    this.#supervisor = supervisor;
  }

  /** Whether it serves, or is about to. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** The id of the process that serves; null while none does. */
  get serving(): number | null {
    return this.#serving;
  }

  /**
   * Resolves to its startup banner once it serves, and from then on restarts it when it ends; null if it could not start, in which
   * case it has printed why, or if it was stopped before.
   */
  async start(): Promise<string | null> {
    if (this.#isStopping) return null;
    const run = this.#begin();
    const banner = await run.ready;
    if (banner !== null) this.#supervising = this.#supervise(run);
    return banner;
  }

  /** Nothing is sent to a worker that doesn't serve. */
  send(message: unknown): void {
    if (this.#serving !== null) this.#process?.send(message);
  }

  /** Lets it finish its requests. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#stopping.resolve();
    // The worker has to know that the other workers end as well.
    this.send('ending');
    this.#process?.kill('SIGTERM');
    await this.#process?.exited;
    await this.#supervising;
  }

  async #supervise(first: Run): Promise<void> {
    let run = first;
    for (let failures = 0; ; failures++) {
      const began = performance.now();
      const ending = await run.ended;
      if (this.#isStopping) return;
      this.#supervisor.onEnded(ending);
      if (performance.now() - began > stableAfter) failures = 0;
      const hasServed = (await run.ready) !== null;
      await this.#pause({ failures, hasServed, isLast: this.#supervisor.isLast() });
      if (this.#isStopping) return;
      run = this.#beginAgain();
    }
  }

  /** The system may be out of processes or memory, or the program's file is being replaced: the next attempt may succeed. */
  #beginAgain(): Run {
    try {
      return this.#begin();
    } catch (cause) {
      const ending = { pid: null, code: null, signal: null, error: (cause as Error).message };
      return { ready: Promise.resolve(null), ended: Promise.resolve(ending) };
    }
  }

  async #pause(ended: EndedWorker): Promise<void> {
    const pause = restartDelay(ended);
    if (pause > 0) await Promise.race([this.#supervisor.sleep(pause), this.#stopping.promise]);
  }

  #begin(): Run {
    const ready = Promise.withResolvers<string | null>();
    const ended = Promise.withResolvers<Ending>();
    const started = Bun.spawn([...this.#command], {
      // Inherited but not read: to ignore it, a container image would need a /dev/null.
      stdin: 'inherit',
      stdout: 'inherit',
      stderr: 'inherit',
      ipc: (message: unknown, { pid }) => {
        if (!isReady(message)) {
          this.#supervisor.onMessage(pid, message);
          return;
        }
        this.#serving = pid;
        ready.resolve(message.greeting);
      },
      onExit: ({ pid, signalCode }, code) => {
        this.#isRunning = false;
        this.#serving = null;
        ready.resolve(null);
        ended.resolve({ pid, code, signal: signalCode });
      },
    });
    this.#isRunning = true;
    this.#process = started;
    return { ready: ready.promise, ended: ended.promise };
  }
}
