/** Milliseconds that one call may occupy this thread while others wait. */
const maxMilliseconds = 0.5;
/** Reading the clock takes as long as processing a small item. */
const checkEvery = 4;

let lastTick: Promise<void> = Promise.resolve();

/**
 * For work that takes milliseconds in one go and may arrive in bursts: each item gets its own tick of the event loop, with other
 * work in between.
 */
export function nextFreeTick(): Promise<void> {
  lastTick = lastTick.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  return lastTick;
}

/** Splits work on many items into slices that end by the clock, because the time per item is not known beforehand. */
export class TimeSlice {
  #end = performance.now() + maxMilliseconds;
  #items = 0;

  /** Check before each item. */
  get isOver(): boolean {
    this.#items++;
    return this.#items % checkEvery === 0 && performance.now() >= this.#end;
  }

  /** Continues after other work has run. */
  async pause(): Promise<void> {
    await new Promise(setImmediate);
    this.#end = performance.now() + maxMilliseconds;
  }
}

/** Maps items to results, with other work in between. */
export async function mapInSlices<Item, Result>(
  items: Iterable<Item>,
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const timeSlice = new TimeSlice();
  const results: Result[] = [];
  for (const item of items) {
    if (timeSlice.isOver) await timeSlice.pause();
    results.push(map(item, results.length));
  }
  return results;
}
