import { contenders } from './contenders.ts';
import type { Effort } from './effort.ts';
import { prepareGround } from './ground.ts';
import { inTurns, type Measured } from './rounds.ts';
import { Running } from './running.ts';

export const connections = 64;

/** One link among a thousand, visited again and again. */
export async function measureHot({ links, rounds, seconds }: Effort): Promise<readonly Measured[]> {
  using ground = await prepareGround(links);
  await using running = new AsyncDisposableStack();
  const all: Running[] = [];
  for (const contender of contenders(ground)) all.push(running.use(await Running.start(contender)));
  return await inTurns(all, rounds, { seconds, connections, path: `/${ground.destination.SUFFIX}` });
}
