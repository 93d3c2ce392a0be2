import { join } from 'node:path';
import { contenders, earlierName } from './contenders.ts';
import type { Effort } from './effort.ts';
import { prepareFixture } from './fixture.ts';
import { connections } from './hot.ts';
import { type Measured, measureAlternately } from './rounds.ts';
import { Running } from './running.ts';
import { seededRandom, shuffled, zipf } from './zipf.ts';

/** More than a round's requests: by Zipf's law they are to some 70,000 links. */
const repeatedVisits = 220_000;
const compared = ['nginx', 'Linnet', 'Linnet, fold held back', earlierName];

/**
 * A million links with realistic popularity: a few get most of the visits. Each round draws its own, or begins with the same ones as
 * the round before, whose links are cached since then.
 */
export async function measureMillion(
  { many, rounds, seconds, fillSeconds }: Effort,
  visits: 'drawn' | 'repeated',
): Promise<readonly Measured[]> {
  using fixture = await prepareFixture(many);
  // The popularity of a link is independent of when it was created.
  const random = seededRandom(11);
  const byRank = shuffled(fixture.links, random).map(({ suffix }) => `/${suffix}\n`);
  const file = join(fixture.folder, 'paths');
  const isRepeated = visits === 'repeated';
  const rankOf = zipf(byRank.length);
  const paths = isRepeated
    ? Array.from({ length: repeatedVisits }, () => byRank[rankOf(random())] ?? '')
    : byRank;
  await Bun.write(file, paths.join(''));
  const plan = { seconds, connections, ...(isRepeated ? { paths: file } : { byPopularity: file }) };
  await using running = new AsyncDisposableStack();
  const all: Running[] = [];
  for (const contender of contenders(fixture)) {
    if (!compared.includes(contender.name)) continue;
    all.push(running.use(await Running.start(contender)));
  }
  return await measureAlternately(all, rounds, plan, isRepeated ? undefined : fillSeconds);
}
