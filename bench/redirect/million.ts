import { join } from 'node:path';
import { contenders } from './contenders.ts';
import type { Effort } from './effort.ts';
import { prepareGround } from './ground.ts';
import { connections } from './hot.ts';
import { inTurns, type Measured } from './rounds.ts';
import { Running } from './running.ts';
import { numbers, shuffled, zipf } from './zipf.ts';

const visits = 1_000_000;

/** A million links, visited as links are: few of them by nearly everyone. */
export async function measureMillion({ many, rounds, seconds }: Effort): Promise<readonly Measured[]> {
  using ground = await prepareGround(many);
  const random = numbers(11);
  // Which link is popular has nothing to do with when it was made.
  const byRank = shuffled(ground.links, random);
  const placeOf = zipf(byRank.length);
  const paths = join(ground.folder, 'visits');
  const lines = Array.from({ length: visits }, () => `/${byRank[placeOf(random())]?.suffix}`);
  await Bun.write(paths, `${lines.join('\n')}\n`);
  await using running = new AsyncDisposableStack();
  const all: Running[] = [];
  for (const contender of contenders(ground)) {
    if (!['nginx', 'Linnet', 'Linnet, fold held back'].includes(contender.name)) continue;
    all.push(running.use(await Running.start(contender)));
  }
  return await inTurns(all, rounds, { seconds, connections, paths });
}
