/** The index of the last bucket that starts at or before an hour, given the first hours of the buckets; 0 before all of them. */
export function bucketIndex(starts: readonly number[], hour: number): number {
  let [low, high] = [0, Math.max(0, starts.length - 1)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= hour) low = middle;
    else high = middle - 1;
  }
  return low;
}
