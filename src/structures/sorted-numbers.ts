/** By binary search: the first index whose number is at least `min`; the length if there is none. */
export function firstNotBelow(sorted: ArrayLike<number>, min: number): number {
  let low = 0;
  for (let high = sorted.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < min) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A set of thousands of numbers would have to be built before each use. */
export const isInSorted = (sorted: ArrayLike<number>) => (value: number) =>
  sorted[firstNotBelow(sorted, value)] === value;
