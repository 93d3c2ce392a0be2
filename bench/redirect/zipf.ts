/** Numbers that look random and are the same in every run. */
export function numbers(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Few have most of the visits: the one at place n has 1/n of the first one's (s = 1). */
export function zipf(count: number): (random: number) => number {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let place = 0; place < count; place++) {
    sum += 1 / (place + 1);
    sums[place] = sum;
  }
  return (random) => {
    const wanted = random * sum;
    let low = 0;
    for (let high = count - 1; low < high; ) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** All of these, in another order. */
export function shuffled<T>(things: readonly T[], random: () => number): T[] {
  const mixed = [...things];
  for (let place = mixed.length - 1; place > 0; place--) {
    const other = Math.floor(random() * (place + 1));
    [mixed[place], mixed[other]] = [mixed[other] as T, mixed[place] as T];
  }
  return mixed;
}
