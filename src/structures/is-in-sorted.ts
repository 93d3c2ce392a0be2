/** By binary search: a set of thousands of numbers would have to be built before each use. */
export const isInSorted = (sorted: readonly number[]) => (value: number) => {
  let low = 0;
  for (let high = sorted.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === value;
};
