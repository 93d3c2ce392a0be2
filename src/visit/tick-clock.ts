/**
 * A clock that is read once in a tick of the event loop. A reading takes 35 ns, and the clock that the nodes of a cluster share
 * needs two; under load a tick has some sixty requests.
 */
export function tickClock(clock: () => number, afterTick: (task: () => void) => void): () => number {
  let now = 0;
  const forget = (): void => {
    now = 0;
  };
  return () => {
    if (now === 0) {
      now = clock();
      afterTick(forget);
    }
    return now;
  };
}
