import { type Ending, SupervisedWorker } from './supervised-worker.ts';

/**
 * Several processes on one shared port, each of them the whole program. The first is started before the others, so that a
 * problem with starting is reported only once.
 */
export class Workers {
  readonly #workers: readonly SupervisedWorker[];

  constructor(
    count: number,
    command: readonly string[],
    onEnded: (ending: Ending) => void,
    sleep: (milliseconds: number) => Promise<void> = Bun.sleep,
    onMessage: (pid: number, message: unknown) => void = () => {},
  ) {
    const isLast = () => !this.#workers.some(({ isRunning }) => isRunning);
    const supervisor = { onEnded, onMessage, isLast, sleep };
    this.#workers = Array.from({ length: count }, () => new SupervisedWorker(command, supervisor));
  }

  /**
   * The text to be printed once all of them serve; null if one could not start, in which case it has printed why, or after a stop. `onFirst` is
   * called as soon as one of them serves.
   */
  async start(onFirst: () => void = () => {}): Promise<string | null> {
    const [first, ...others] = this.#workers;
    const banner = (await first?.start()) ?? null;
    if (banner === null) return null;
    onFirst();
    const banners = await Promise.all(others.map((worker) => worker.start()));
    if (!banners.includes(null)) return banner;
    await this.stop();
    return null;
  }

  /** The ids of the processes that serve at the moment. */
  get serving(): readonly number[] {
    return this.#workers.flatMap(({ serving }) => serving ?? []);
  }

  send(pid: number, message: unknown): void {
    this.#workers.find(({ serving }) => serving === pid)?.send(message);
  }

  /** Lets all of them finish their requests. */
  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
  }
}
