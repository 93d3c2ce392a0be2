/** So long may one call keep this thread to itself, in milliseconds: others wait behind it. */
const maxMilliseconds = 0.5;
/** Looking at the clock takes as long as a small thing itself. */
const checkEvery = 4;

let lastTurn: Promise<void> = Promise.resolve();

/**
 * For work that takes milliseconds in one go, and that many may ask for at once: each has a turn of the event loop to itself,
 * and what others wait for comes in between.
 */
export function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  return lastTurn;
}

/** Work on many things, in stretches that end by the clock: how long one thing takes is not known beforehand. */
export class TimeSlice {
  #end = performance.now() + maxMilliseconds;
  #things = 0;

  /** To be asked before each thing. */
  get isOver(): boolean {
    this.#things++;
    return this.#things % checkEvery === 0 && performance.now() >= this.#end;
  }

  /** Goes on after everybody else has had a turn. */
  async pause(): Promise<void> {
    await new Promise(setImmediate);
    this.#end = performance.now() + maxMilliseconds;
  }
}
