import { firstNotBelow } from '../../structures/sorted-numbers.ts';

/** The index of the last bucket that starts at or before an hour, given the first hours of the buckets; 0 before all of them. */
export const bucketIndex = (starts: readonly number[], hour: number): number =>
  Math.max(0, firstNotBelow(starts, hour + 1) - 1);
