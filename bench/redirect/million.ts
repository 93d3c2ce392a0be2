import { join } from 'node:path';
import { contenders } from './contenders.ts';
import type { Effort } from './effort.ts';
import { prepareFixture } from './fixture.ts';
import { connections } from './hot.ts';
import { type Measured, measureAlternately } from './rounds.ts';
import { Running } from './running.ts';
import { seededRandom, shuffled } from './zipf.ts';

/** A million links with realistic popularity: a few get most of the visits. */
export async function measureMillion({
  many,
  rounds,
  seconds,
  fillSeconds,
}: Effort): Promise<readonly Measured[]> {
  using fixture = await prepareFixture(many);
  // The popularity of a link is independent of when it was created.
  const byRank = shuffled(fixture.links, seededRandom(11));
  const byPopularity = join(fixture.folder, 'by-popularity');
  await Bun.write(byPopularity, byRank.map(({ suffix }) => `/${suffix}\n`).join(''));
  await using running = new AsyncDisposableStack();
  const all: Running[] = [];
  for (const contender of contenders(fixture)) {
    if (!['nginx', 'Linnet', 'Linnet, fold held back'].includes(contender.name)) continue;
    all.push(running.use(await Running.start(contender)));
  }
  return await measureAlternately(all, rounds, { seconds, connections, byPopularity }, fillSeconds);
}
