import { join } from 'node:path';
import { contenders } from './contenders.ts';
import type { Effort } from './effort.ts';
import { prepareFixture } from './fixture.ts';
import { connections } from './hot.ts';
import { type Measured, measureAlternately } from './rounds.ts';
import { Running } from './running.ts';
import { seededRandom, shuffled, zipf } from './zipf.ts';

const visits = 1_000_000;

/** A million links with realistic popularity: a few get most of the visits. */
export async function measureMillion({ many, rounds, seconds }: Effort): Promise<readonly Measured[]> {
  using fixture = await prepareFixture(many);
  const random = seededRandom(11);
  // The popularity of a link is independent of when it was created.
  const byRank = shuffled(fixture.links, random);
  const rankOf = zipf(byRank.length);
  const paths = join(fixture.folder, 'visits');
  const lines = Array.from({ length: visits }, () => `/${byRank[rankOf(random())]?.suffix}`);
  await Bun.write(paths, `${lines.join('\n')}\n`);
  await using running = new AsyncDisposableStack();
  const all: Running[] = [];
  for (const contender of contenders(fixture)) {
    if (!['nginx', 'Linnet', 'Linnet, fold held back'].includes(contender.name)) continue;
    all.push(running.use(await Running.start(contender)));
  }
  return await measureAlternately(all, rounds, { seconds, connections, paths });
}
