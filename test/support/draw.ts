/** Draws whole numbers, each below what is asked for: the same ones in every run, so that what fails fails again. */
export function drawFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}
