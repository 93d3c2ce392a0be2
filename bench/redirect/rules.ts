import { ask } from '../owner.ts';
import { contenders } from './contenders.ts';
import type { Effort } from './effort.ts';
import { prepareGround } from './ground.ts';
import { connections } from './hot.ts';
import { type Measured, summary, takeTurns } from './rounds.ts';
import { Running } from './running.ts';
import { tenRules } from './ten-rules.ts';

const visited = ['Linnet', 'Linnet, fold held back'];
/** As a mail's links have it: without a query, a condition on one costs nothing. */
const query = '?utm_source=mail';

/** A link with ten rules beside one without any, in one program; with the fold, and for the answer alone. */
export async function measureRules({ links, rounds, seconds }: Effort): Promise<readonly Measured[]> {
  using ground = await prepareGround(links);
  const { owner, destination } = ground;
  await using stack = new AsyncDisposableStack();
  const measured: Measured[] = [];
  for (const contender of contenders(ground).filter(({ name }) => visited.includes(name))) {
    const running = stack.use(await Running.start(contender));
    const { suffix } = await ask<{ suffix: string }>(contender, 'POST', '/api/v1/link', {
      body: { destination_url: destination.LOCATION, rules: tenRules(destination.LOCATION) },
      credential: owner.key,
    });
    const paths = [`/${destination.SUFFIX}${query}`, `/${suffix}${query}`];
    const before = await answeredFast(running);
    const seen = await takeTurns([running, running], rounds, (place) => ({
      ...{ seconds, connections },
      path: paths[place] ?? '/',
    }));
    const visits = seen.flat().reduce((sum, { perSecond }) => sum + perSecond * seconds, 0);
    if ((await answeredFast(running)) - before < visits * 0.9)
      throw new Error(`${contender.name} left visits to the app server`);
    for (const [place, kind] of ['no rules', 'ten rules'].entries())
      measured.push({
        ...summary(running, seen[place] ?? [], seen[0] ?? []),
        name: `${contender.name}, ${kind}`,
        what: `${contender.what} Each visit is to one link with ${kind}${place === 1 ? ', of which the last is met' : ''}.`,
      });
  }
  return measured;
}

/** How many visits were answered on the fast path. */
async function answeredFast({ url }: Running): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^linnet_visit_duration_seconds_count (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
}
