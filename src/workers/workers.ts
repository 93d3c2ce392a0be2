import { type Ending, KeptWorker } from './kept-worker.ts';

/**
 * Several processes, each of them the whole program, on one port that they share. The first comes before the others:
 * whatever keeps the program from starting is found, and said, once.
 */
export class Workers {
  readonly #workers: readonly KeptWorker[];

  constructor(
    count: number,
    command: readonly string[],
    onEnded: (ending: Ending) => void,
    sleep: (milliseconds: number) => Promise<void> = Bun.sleep,
  ) {
    const isLast = () => !this.#workers.some(({ isRunning }) => isRunning);
    const keeper = { onEnded, isLast, sleep };
    this.#workers = Array.from({ length: count }, () => new KeptWorker(command, keeper));
  }

  /** What is to be printed once all of them answer; null when one could not start: it has said why. */
  async start(): Promise<string | null> {
    const [first, ...others] = this.#workers;
    const greeting = (await first?.start()) ?? null;
    if (greeting === null) return null;
    const greetings = await Promise.all(others.map((worker) => worker.start()));
    if (!greetings.includes(null)) return greeting;
    await this.stop();
    return null;
  }

  /** The processes that answer at the moment. */
  get serving(): readonly number[] {
    return this.#workers.flatMap(({ serving }) => serving ?? []);
  }

  /** Lets all of them finish what is under way. */
  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
  }
}
