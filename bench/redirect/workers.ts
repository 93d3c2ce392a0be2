import { type Figure, figure, ratio } from '../figures.ts';
import { type Contender, linnet, linnetCommand, nginxCommand } from './contenders.ts';
import { contenderCore, loadCore } from './cores.ts';
import type { Effort } from './effort.ts';
import { type Prepared, prepareGround } from './ground.ts';
import { connections } from './hot.ts';
import { type Measured, type Round, summary, takeTurns } from './rounds.ts';
import { Running } from './running.ts';
import { waitsAt } from './waits-at.ts';

export interface Workers {
  /** nginx and Linnet in each arrangement, each held against itself with one worker. */
  readonly measured: readonly Measured[];
  readonly arrangements: readonly Arranged[];
}

/** CPU a request in one arrangement. */
export interface Arranged {
  readonly name: string;
  /** How much more than with one worker. */
  readonly nginxGrowth: Figure;
  readonly linnetGrowth: Figure;
  /** Linnet's growth to nginx's: what is Linnet's own, whatever the machine adds. */
  readonly growthRatio: Figure;
  /** Linnet to nginx, both arranged like this. */
  readonly toNginx: Figure;
  /** How often threads gave up their core, in a thousand requests. */
  readonly nginxSwitches: Figure;
  readonly linnetSwitches: Figure;
  /** How much more than with one worker, where each worker gets the same number of visits a second. */
  readonly nginxSteady: Figure;
  readonly linnetSteady: Figure;
}

/** Visits a second for each worker. */
export const steadyRate = 40_000;
const steadySeconds = 2;

interface Arrangement {
  readonly name: string;
  readonly what: string;
  readonly workers: number;
  readonly cores: string;
}

/**
 * Two on one core show what sharing costs, whatever else the machine has to do; two on two cores leave the load generator
 * only what they don't take, so their requests a second say little and their CPU a request all.
 */
const arrangements: readonly Arrangement[] = [
  { name: 'one worker', what: 'One process answers, on one core.', workers: 1, cores: contenderCore },
  {
    name: 'two workers, one core',
    what: 'Two processes, both on that core.',
    workers: 2,
    cores: contenderCore,
  },
  {
    name: 'two workers, two cores',
    what: 'Two processes, beside the load on its core.',
    workers: 2,
    cores: `${contenderCore},${loadCore}`,
  },
];

/** One worker and two, and nginx arranged in the same ways in the same rounds: much of what two cost is the machine's. */
export async function measureWorkers({ links, rounds, seconds }: Effort): Promise<Workers> {
  using ground = await prepareGround(links);
  await using stack = new AsyncDisposableStack();
  const running: Running[] = [];
  for (const [place, arrangement] of arrangements.entries())
    for (const contender of [
      nginxAs(ground, arrangement, 3911 + place),
      linnetAs(ground, arrangement, 3921 + place),
    ])
      running.push(stack.use(await Running.start(contender, arrangement.cores)));
  const path = `/${ground.destination.SUFFIX}`;
  const workersOf = (place: number) => arrangements[place >> 1]?.workers ?? 1;
  // So that each worker has as much to do at a time, however many there are.
  const seen = await takeTurns(running, rounds, (place) => ({
    seconds,
    connections: connections * workersOf(place),
    path,
  }));
  const steady = await atSameRate(running, rounds, path, workersOf);
  const [nginxAlone = [], linnetAlone = []] = seen;
  return {
    measured: running.map((one, index) =>
      summary(one, seen[index] ?? [], index % 2 ? linnetAlone : nginxAlone),
    ),
    arrangements: arrangements.map(({ name }, place) => {
      const [nginx, ours] = [seen[place * 2] ?? [], seen[place * 2 + 1] ?? []];
      return {
        name,
        nginxGrowth: ratio(cpus(nginx), cpus(nginxAlone)),
        linnetGrowth: ratio(cpus(ours), cpus(linnetAlone)),
        growthRatio: ratio(growth(ours, linnetAlone), growth(nginx, nginxAlone)),
        toNginx: ratio(cpus(ours), cpus(nginx)),
        nginxSwitches: switches(nginx),
        linnetSwitches: switches(ours),
        nginxSteady: ratio(steady[place * 2] ?? [], steady[0] ?? []),
        linnetSteady: ratio(steady[place * 2 + 1] ?? [], steady[1] ?? []),
      };
    }),
  };
}

/** CPU a request, of each and round by round, at a rate that one load can keep up for two workers. */
async function atSameRate(
  running: readonly Running[],
  rounds: number,
  path: string,
  workersOf: (place: number) => number,
): Promise<number[][]> {
  const seen = running.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [place, one] of running.entries()) {
      const workers = workersOf(place);
      const before = one.cpu();
      const { answered } = await waitsAt({
        port: one.contender.port,
        path,
        perSecond: steadyRate * workers,
        seconds: steadySeconds,
        connections: connections * workers,
      });
      await one.isAtRest();
      seen[place]?.push((one.cpu() - before) / answered);
    }
  return seen;
}

const cpus = (rounds: readonly Round[]): number[] => rounds.map(({ cpu }) => cpu);

const switches = (rounds: readonly Round[]): Figure => figure(rounds.map((round) => round.switches * 1000));

const growth = (rounds: readonly Round[], alone: readonly Round[]): number[] =>
  rounds.map(({ cpu }, round) => cpu / (alone[round]?.cpu ?? Number.NaN));

const nginxAs = (ground: Prepared, { name, what, workers }: Arrangement, port: number): Contender => ({
  name: `nginx, ${name}`,
  what: `${what} \`worker_processes ${workers}\`, and \`reuseport\` at the port.`,
  command: nginxCommand(ground, port, workers),
  port,
});

const linnetAs = (ground: Prepared, { name, what, workers }: Arrangement, port: number): Contender => ({
  name: `Linnet, ${name}`,
  what: `${what} \`WORKERS=${workers}\`.`,
  command: linnetCommand,
  settings: linnet(port, ground.dataDir(`workers-${port}`), { WORKERS: String(workers) }),
  port,
});
