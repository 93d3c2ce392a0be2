import { drainMicrotasks } from 'bun:jsc';
import { AsyncLocalStorage } from 'node:async_hooks';

/** What runs until it is killed: then its timers never fire, and whatever it waits for never comes. */
export class SimulatedProcess {
  /** How far its clock is ahead of the right time. */
  readonly clockError: number;
  readonly #parent: SimulatedProcess | null;
  #isKilled = false;

  constructor(clockError: number, parent: SimulatedProcess | null = null) {
    this.clockError = clockError;
    this.#parent = parent;
  }

  get isDead(): boolean {
    return this.#isKilled || (this.#parent?.isDead ?? false);
  }

  /** This one, or the thread that it is. */
  kill(): void {
    this.#isKilled = true;
  }

  /** With all its threads, whichever of them this is. */
  killWhole(): void {
    if (this.#parent === null) this.kill();
    else this.#parent.killWhole();
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
const owners = new AsyncLocalStorage<SimulatedProcess>();
const beginning = Date.UTC(2027, 2, 1, 12);

/**
 * Time, chance and the order of events, all drawn from a seed: the same seed gives the same run. Timers of the code under
 * test are events here; between two of them everything that is ready to run does.
 */
export class World {
  #events: Event[] = [];
  #order = 0;
  #state: number;
  #now = 0;
  readonly problems: string[] = [];
  /** What happened, and when. */
  readonly story: string[] = [];

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e37_79b1) | 0;
  }

  /** Milliseconds since the beginning. */
  get now(): number {
    return this.#now;
  }

  /** The right time. */
  get instant(): number {
    return beginning + this.#now;
  }

  /** In [0, 1). */
  random(): number {
    this.#state = (this.#state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number below this one. */
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
    return owners.getStore();
  }

  runAs<T>(owner: SimulatedProcess, work: () => T): T {
    return owners.run(owner, work);
  }

  /** Without any owner: nothing keeps it from happening. */
  runAsNobody<T>(work: () => T): T {
    return owners.exit(work);
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
    const behind = this.#events.findLastIndex(({ at }) => at <= event.at);
    this.#events.splice(behind + 1, 0, event);
    return event;
  }

  pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(milliseconds, resolve);
    });
  }

  /** Lets so much time go by. */
  async pass(milliseconds: number): Promise<void> {
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
      if (event.isOver || event.owner?.isDead) continue;
      event.isOver = true;
      try {
        if (event.owner === undefined) this.runAsNobody(event.task);
        else this.runAs(event.owner, event.task);
      } catch (cause) {
        this.fail(cause);
      }
    }
  }

  tell(what: string): void {
    this.story.push(`${(this.#now / 1_000).toFixed(3)} ${what}`);
  }

  fail(cause: unknown): void {
    this.problems.push(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));
  }
}

/** From now on clocks, timers and chance of this process are those of the world. */
export function enter(world: World): void {
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
  unhandled = (cause) => world.fail(cause);
}

let unhandled: (cause: unknown) => void = () => {};
process.on('unhandledRejection', (cause) => unhandled(cause));

/** Everything is as it was. */
export function leave(): void {
  Object.assign(globalThis, real.timers);
  Bun.sleep = real.sleep;
  Date.now = real.dateNow;
  performance.now = real.performanceNow;
  Math.random = real.random;
  crypto.randomUUID = real.randomUUID;
}
