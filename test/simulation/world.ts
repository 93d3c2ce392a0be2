import { drainMicrotasks } from 'bun:jsc';
import { AsyncLocalStorage } from 'node:async_hooks';

/** A process or thread. Once it is killed, its timers never fire, and what it awaits never settles. */
export class SimulatedProcess {
  /** How far its clock is ahead of the true time. */
  readonly clockError: number;
  readonly #parent: SimulatedProcess | null;
  #isKilled = false;

  constructor(clockError: number, parent: SimulatedProcess | null = null) {
    this.clockError = clockError;
    this.#parent = parent;
  }

  get isKilled(): boolean {
    return this.#isKilled || (this.#parent?.isKilled ?? false);
  }

  /** Kills this process, or only this thread. */
  kill(): void {
    this.#isKilled = true;
  }

  /** Kills the process with all its threads; may be called on any of them. */
  killWithThreads(): void {
    if (this.#parent === null) this.kill();
    else this.#parent.killWithThreads();
  }
}

interface Event {
  readonly at: number;
  readonly order: number;
  readonly owner: SimulatedProcess | undefined;
  readonly task: () => void;
  isOver: boolean;
}

const { setTimeout, setImmediate, clearTimeout, clearImmediate } = globalThis;
const real = {
  timers: { setTimeout, setImmediate, clearTimeout, clearImmediate },
  sleep: Bun.sleep,
  dateNow: Date.now,
  performanceNow: performance.now,
  random: Math.random,
  randomUUID: crypto.randomUUID,
};
const processes = new AsyncLocalStorage<SimulatedProcess>();
const startTime = Date.UTC(2027, 2, 1, 12);

/**
 * Time, random numbers and the order of events, all drawn from a seed: the same seed gives the same run. Timers of the code
 * under test are events; between two events, everything runs that is ready to run.
 */
export class World {
  #events: Event[] = [];
  #order = 0;
  #state: number;
  #now = 0;
  readonly problems: string[] = [];
  /** What happened, and when. */
  readonly trace: string[] = [];

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e37_79b1) | 0;
  }

  /** Milliseconds since the start. */
  get now(): number {
    return this.#now;
  }

  /** The true time, in milliseconds since 1970. */
  get instant(): number {
    return startTime + this.#now;
  }

  /** In [0, 1). */
  random(): number {
    this.#state = (this.#state + 0x6d2b_79f5) | 0;
    let hash = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    hash = (hash + Math.imul(hash ^ (hash >>> 7), 61 | hash)) ^ hash;
    return ((hash ^ (hash >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A random integer from 0 to `end` - 1. */
  below(end: number): number {
    return Math.floor(this.random() * end);
  }

  happens(probability: number): boolean {
    return this.random() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  get owner(): SimulatedProcess | undefined {
    return processes.getStore();
  }

  runAs<T>(owner: SimulatedProcess, work: () => T): T {
    return processes.run(owner, work);
  }

  /** Without an owner, so that no kill prevents it. */
  runWithoutOwner<T>(work: () => T): T {
    return processes.exit(work);
  }

  after(milliseconds: number, task: () => void): Event {
    const { owner } = this;
    const event = {
      at: Math.ceil(this.#now + Math.max(0, milliseconds)),
      order: this.#order++,
      owner,
      task,
      isOver: false,
    };
    const position = this.#events.findLastIndex(({ at }) => at <= event.at);
    this.#events.splice(position + 1, 0, event);
    return event;
  }

  pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(milliseconds, resolve);
    });
  }

  /** Advances the time, and runs all events that are due meanwhile. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await new Promise<void>((resolve) => {
      // Outside all microtasks, so that they can be drained between two events without a turn of the real event loop.
      real.timers.setImmediate(() => {
        this.#runUntil(end);
        resolve();
      });
    });
    this.#now = end;
  }

  #runUntil(end: number): void {
    for (;;) {
      drainMicrotasks();
      const event = this.#events[0];
      if (event === undefined || event.at > end || this.problems.length > 0) return;
      this.#events.shift();
      this.#now = event.at;
      if (event.isOver || event.owner?.isKilled) continue;
      event.isOver = true;
      try {
        if (event.owner === undefined) this.runWithoutOwner(event.task);
        else this.runAs(event.owner, event.task);
      } catch (cause) {
        this.fail(cause);
      }
    }
  }

  log(what: string): void {
    this.trace.push(`${(this.#now / 1_000).toFixed(3)} ${what}`);
  }

  fail(cause: unknown): void {
    this.problems.push(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));
  }
}

/** Replaces the clocks, timers and random numbers of this process by those of the world. */
export function replaceGlobals(world: World): void {
  const cancel = (event: unknown) => {
    if (event) (event as Event).isOver = true;
  };
  const timer = (task: (...values: unknown[]) => void, wait = 0, ...values: unknown[]) =>
    world.after(wait, () => task(...values));
  Object.assign(globalThis, {
    setTimeout: timer,
    setImmediate: (task: (...values: unknown[]) => void, ...values: unknown[]) => timer(task, 0, ...values),
    clearTimeout: cancel,
    clearImmediate: cancel,
  });
  Bun.sleep = ((wait: number) => world.pause(wait)) as typeof Bun.sleep;
  Date.now = () => world.instant + (world.owner?.clockError ?? 0);
  performance.now = () => world.now;
  Math.random = () => world.random();
  crypto.randomUUID = () => {
    const hex = () =>
      world
        .below(2 ** 32)
        .toString(16)
        .padStart(8, '0');
    const [one, two, three, four] = [hex(), hex(), hex(), hex()];
    return `${one}-${two.slice(0, 4)}-${two.slice(4)}-${three.slice(0, 4)}-${three.slice(4)}${four}`;
  };
  onUnhandledRejection = (cause) => world.fail(cause);
}

let onUnhandledRejection: (cause: unknown) => void = () => {};
process.on('unhandledRejection', (cause) => onUnhandledRejection(cause));

/** Undoes `replaceGlobals`. */
export function restoreGlobals(): void {
  Object.assign(globalThis, real.timers);
  Bun.sleep = real.sleep;
  Date.now = real.dateNow;
  performance.now = real.performanceNow;
  Math.random = real.random;
  crypto.randomUUID = real.randomUUID;
}
