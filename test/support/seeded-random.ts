/** A random generator of integers below a bound. The seed makes every run draw the same ones, so that a failure is reproducible. */
export function seededRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}
