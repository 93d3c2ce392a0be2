import { makeLinks } from '../owner.ts';
import { contenders } from './contenders.ts';
import type { Effort } from './effort.ts';
import { prepareFixture } from './fixture.ts';
import { connections } from './hot.ts';
import { alternatingRounds, type Measured, summary } from './rounds.ts';
import { Running } from './running.ts';
import { tenRules } from './ten-rules.ts';

const contenderNames = ['Linnet', 'Linnet, fold held back'];
/** As in a newsletter: without a query string, a condition on it costs nothing. */
const query = '?utm_source=mail';

/** Compares a link with ten rules with one without rules, in one program; with the fold and without. */
export async function measureRules({ links, rounds, seconds }: Effort): Promise<readonly Measured[]> {
  using fixture = await prepareFixture(links);
  const { owner, destination } = fixture;
  await using stack = new AsyncDisposableStack();
  const measured: Measured[] = [];
  for (const contender of contenders(fixture).filter(({ name }) => contenderNames.includes(name))) {
    const running = stack.use(await Running.start(contender));
    const link = { destination_url: destination.LOCATION, rules: tenRules(destination.LOCATION) };
    const [suffix = ''] = await makeLinks(contender, owner, [link]);
    const paths = [`/${destination.SUFFIX}${query}`, `/${suffix}${query}`];
    const before = await fastPathCount(running);
    const roundsByContender = await alternatingRounds([running, running], rounds, (index) => ({
      ...{ seconds, connections },
      path: paths[index] ?? '/',
    }));
    const visits = roundsByContender.flat().reduce((sum, { perSecond }) => sum + perSecond * seconds, 0);
    if ((await fastPathCount(running)) - before < visits * 0.9)
      throw new Error(`${contender.name} passed visits on to the app server`);
    for (const [index, kind] of ['no rules', 'ten rules'].entries())
      measured.push({
        ...summary(running, roundsByContender[index] ?? [], roundsByContender[0] ?? []),
        name: `${contender.name}, ${kind}`,
        what: `${contender.what} Each visit is to one link with ${kind}${index === 1 ? ', of which only the last one matches' : ''}.`,
      });
  }
  return measured;
}

/** The number of visits answered by the fast path. */
async function fastPathCount({ url }: Running): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^linnet_visit_duration_seconds_count (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
}
