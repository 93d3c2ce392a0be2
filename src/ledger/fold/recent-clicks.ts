/** Clicks for finding repeats, sorted by instant: keys of `repeat-key.ts`, and the instant of each. */
export interface RecentClicks {
  readonly keys: Float64Array;
  readonly instants: Float64Array;
}

export const noClicks: RecentClicks = { keys: new Float64Array(), instants: new Float64Array() };

const keyLength = Float64Array.BYTES_PER_ELEMENT;
const distanceLength = Int32Array.BYTES_PER_ELEMENT;

/** As bytes: the first instant, the keys, then the milliseconds of each click after the first. */
export function packClicks(pairs: Float64Array): Uint8Array {
  const count = pairs.length / 2;
  const bytes = new Uint8Array(keyLength + count * (keyLength + distanceLength));
  const base = pairs[1] ?? 0;
  const keys = new Float64Array(bytes.buffer, 0, 1 + count);
  const distances = new Int32Array(bytes.buffer, keyLength * (1 + count), count);
  keys[0] = base;
  for (let index = 0; index < count; index++) {
    keys[1 + index] = pairs[index * 2] ?? 0;
    distances[index] = (pairs[index * 2 + 1] ?? 0) - base;
  }
  return bytes;
}

export function unpackClicks(cells: Uint8Array): RecentClicks {
  // The bytes of a database may have any alignment.
  const { buffer } = cells.slice();
  const count = (cells.length - keyLength) / (keyLength + distanceLength);
  const [base = 0] = new Float64Array(buffer, 0, 1);
  const distances = new Int32Array(buffer, keyLength * (1 + count), count);
  return {
    keys: new Float64Array(buffer, keyLength, count),
    instants: Float64Array.from(distances, (distance) => base + distance),
  };
}

/** More than the claims of some minutes have; clicks beyond that are left out. */
const maxMerged = 2 ** 21;

/** All clicks with an instant from `from` on and before `to`, sorted. */
export function mergedClicks(all: readonly RecentClicks[], from: number, to: number): RecentClicks {
  const first = Math.floor(from);
  const count = all.reduce((sum, { keys }) => sum + keys.length, 0);
  if (count === 0) return noClicks;
  const keys = new Float64Array(count);
  const order = new Float64Array(count);
  let end = 0;
  for (const clicks of all)
    for (let index = 0; index < clicks.keys.length && end < maxMerged; index++) {
      const instant = clicks.instants[index] ?? 0;
      if (instant < first || instant >= to) continue;
      keys[end] = clicks.keys[index] ?? 0;
      order[end] = (instant - first) * maxMerged + end;
      end += 1;
    }
  const sorted = order.subarray(0, end).sort();
  const index = (at: number) => (sorted[at] ?? 0) % maxMerged;
  return {
    keys: Float64Array.from({ length: end }, (_, at) => keys[index(at)] ?? 0),
    instants: Float64Array.from(
      { length: end },
      (_, at) => first + Math.floor((sorted[at] ?? 0) / maxMerged),
    ),
  };
}
