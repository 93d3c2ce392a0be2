import type { Subprocess } from 'bun';

/** What a worker says to its parent, once: that it answers, and what is to be printed then. */
export interface WorkerReady {
  readonly greeting: string;
}

export interface Ending {
  readonly pid: number;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | number | null;
}

interface Life {
  /** Its greeting once it answers; null when it ended before. */
  readonly ready: Promise<string | null>;
  readonly ended: Promise<Ending>;
}

const firstPause = 100;
const longestPause = 5_000;
/** Whoever has run for so long did not fail at starting. */
const longEnough = 10_000;

/** A process that is started again whenever it ends, the less eagerly the more often in a row. */
export class KeptWorker {
  readonly #command: readonly string[];
  readonly #onEnded: (ending: Ending) => void;
  readonly #stopping = Promise.withResolvers<void>();
  #isStopping = false;
  #process: Subprocess | null = null;
  #keeping: Promise<void> = Promise.resolve();

  constructor(command: readonly string[], onEnded: (ending: Ending) => void) {
    this.#command = command;
    this.#onEnded = onEnded;
  }

  /** Its greeting once it answers, and from then on it is kept; null when it could not start: it has said why. */
  async start(): Promise<string | null> {
    const life = this.#begin();
    const greeting = await life.ready;
    if (greeting !== null) this.#keeping = this.#keep(life);
    return greeting;
  }

  /** Lets it finish what is under way. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#stopping.resolve();
    this.#process?.kill('SIGTERM');
    await this.#process?.exited;
    await this.#keeping;
  }

  async #keep(first: Life): Promise<void> {
    let life = first;
    for (let inRow = 0; ; inRow++) {
      const began = performance.now();
      const ending = await life.ended;
      if (this.#isStopping) return;
      this.#onEnded(ending);
      if (performance.now() - began > longEnough) inRow = 0;
      await Promise.race([
        Bun.sleep(Math.min(longestPause, firstPause * 2 ** inRow)),
        this.#stopping.promise,
      ]);
      if (this.#isStopping) return;
      life = this.#begin();
    }
  }

  #begin(): Life {
    const ready = Promise.withResolvers<string | null>();
    const ended = Promise.withResolvers<Ending>();
    const started = Bun.spawn([...this.#command], {
      stdin: 'ignore',
      stdout: 'inherit',
      stderr: 'inherit',
      ipc: ({ greeting }: WorkerReady) => ready.resolve(greeting),
      onExit: ({ pid, signalCode }, code) => {
        ready.resolve(null);
        ended.resolve({ pid, code, signal: signalCode });
      },
    });
    this.#process = started;
    return { ready: ready.promise, ended: ended.promise };
  }
}
