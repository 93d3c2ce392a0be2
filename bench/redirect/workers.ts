import { contenders } from './contenders.ts';
import { contenderCore, loadCore } from './cores.ts';
import type { Effort } from './effort.ts';
import { prepareGround } from './ground.ts';
import { connections } from './hot.ts';
import { inTurns, type Measured } from './rounds.ts';
import { Running } from './running.ts';

/**
 * One worker and two. Two on one core show what sharing costs, whatever else the machine has to do; two on two cores
 * leave the load generator only what they don't take, so their requests a second say little and their CPU a request all.
 */
export async function measureWorkers({ links, rounds, seconds }: Effort): Promise<readonly Measured[]> {
  using ground = await prepareGround(links);
  const linnet = contenders(ground).find(({ name }) => name === 'Linnet');
  if (!linnet) throw new Error('no such contender');
  const variant = (name: string, what: string, port: number, WORKERS: string) => ({
    ...linnet,
    name,
    what,
    port,
    settings: { ...linnet.settings, PORT: String(port), DATA_DIR: ground.dataDir(name), WORKERS },
  });
  await using running = new AsyncDisposableStack();
  const both = `${contenderCore},${loadCore}`;
  const all = [
    await Running.start(variant('one worker', 'Linnet with its defaults, on one core.', 3911, '1')),
    await Running.start(variant('two workers, one core', 'WORKERS=2, both on that core.', 3912, '2')),
    await Running.start(
      variant('two workers, two cores', 'WORKERS=2, beside the load on its core.', 3913, '2'),
      both,
    ),
  ].map((one) => running.use(one));
  return await inTurns(all, rounds, { seconds, connections, path: `/${ground.destination.SUFFIX}` });
}
