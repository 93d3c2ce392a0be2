import { contenders } from './contenders.ts';
import type { Effort } from './effort.ts';
import { prepareFixture } from './fixture.ts';
import { type Measured, measureAlternately } from './rounds.ts';
import { Running } from './running.ts';

export const connections = 64;

/** Visits to one link among a thousand. */
export async function measureHot({ links, rounds, seconds }: Effort): Promise<readonly Measured[]> {
  using fixture = await prepareFixture(links);
  await using running = new AsyncDisposableStack();
  const all: Running[] = [];
  for (const contender of contenders(fixture)) all.push(running.use(await Running.start(contender)));
  return await measureAlternately(all, rounds, {
    seconds,
    connections,
    path: `/${fixture.destination.SUFFIX}`,
  });
}
