import { type Figure, figure, ratio } from '../figures.ts';
import { type Contender, linnetCommand, linnetSettings, nginxCommand } from './contenders.ts';
import { contenderCore, loadCore } from './cores.ts';
import type { Effort } from './effort.ts';
import { type PreparedFixture, prepareFixture } from './fixture.ts';
import { connections } from './hot.ts';
import { alternatingRounds, type Measured, type Round, summary } from './rounds.ts';
import { Running } from './running.ts';
import { latenciesAt } from './waits-at.ts';

export interface Workers {
  /** nginx and Linnet in each arrangement, each relative to itself with one worker. */
  readonly measured: readonly Measured[];
  readonly arrangements: readonly ArrangementResult[];
}

/** CPU per request in one arrangement. */
export interface ArrangementResult {
  readonly name: string;
  /** Relative to one worker. */
  readonly nginxGrowth: Figure;
  readonly linnetGrowth: Figure;
  /** The ratio of Linnet's growth to nginx's, which cancels out the machine's share. */
  readonly growthRatio: Figure;
  /** Linnet relative to nginx, both in this arrangement. */
  readonly toNginx: Figure;
  /** Context switches per thousand requests. */
  readonly nginxSwitches: Figure;
  readonly linnetSwitches: Figure;
  /** Relative to one worker, at the same number of visits a second for each worker. */
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
 * Two workers on one core show what sharing costs, whatever else the machine does. Two on two cores compete with the load generator,
 * so only their CPU per request is meaningful, not their requests per second.
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
    what: 'Two processes on two cores, one of them shared with the load.',
    workers: 2,
    cores: `${contenderCore},${loadCore}`,
  },
];

/** Compares one worker with two, and nginx likewise in the same rounds, because the machine causes much of the difference. */
export async function measureWorkers({ links, rounds, seconds }: Effort): Promise<Workers> {
  using fixture = await prepareFixture(links);
  await using stack = new AsyncDisposableStack();
  const running: Running[] = [];
  for (const [index, arrangement] of arrangements.entries())
    for (const contender of [
      nginxAs(fixture, arrangement, 3911 + index),
      linnetAs(fixture, arrangement, 3921 + index),
    ])
      running.push(stack.use(await Running.start(contender, arrangement.cores)));
  const path = `/${fixture.destination.SUFFIX}`;
  const workersOf = (index: number) => arrangements[index >> 1]?.workers ?? 1;
  // Each worker gets the same number of connections.
  const roundsByContender = await alternatingRounds(running, rounds, (index) => ({
    seconds,
    connections: connections * workersOf(index),
    path,
  }));
  const steady = await atSameRate(running, rounds, path, workersOf);
  const [nginxAlone = [], linnetAlone = []] = roundsByContender;
  return {
    measured: running.map((one, index) =>
      summary(one, roundsByContender[index] ?? [], index % 2 ? linnetAlone : nginxAlone),
    ),
    arrangements: arrangements.map(({ name }, index) => {
      const [nginx, linnet] = [roundsByContender[index * 2] ?? [], roundsByContender[index * 2 + 1] ?? []];
      return {
        name,
        nginxGrowth: ratio(cpus(nginx), cpus(nginxAlone)),
        linnetGrowth: ratio(cpus(linnet), cpus(linnetAlone)),
        growthRatio: ratio(growth(linnet, linnetAlone), growth(nginx, nginxAlone)),
        toNginx: ratio(cpus(linnet), cpus(nginx)),
        nginxSwitches: switches(nginx),
        linnetSwitches: switches(linnet),
        nginxSteady: ratio(steady[index * 2] ?? [], steady[0] ?? []),
        linnetSteady: ratio(steady[index * 2 + 1] ?? [], steady[1] ?? []),
      };
    }),
  };
}

/** CPU per request of each contender by round, at a rate that one load generator can sustain for two workers. */
async function atSameRate(
  running: readonly Running[],
  rounds: number,
  path: string,
  workersOf: (index: number) => number,
): Promise<number[][]> {
  const cpuByContender = running.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, one] of running.entries()) {
      const workers = workersOf(index);
      const before = one.cpu();
      const { answered } = await latenciesAt({
        port: one.contender.port,
        path,
        perSecond: steadyRate * workers,
        seconds: steadySeconds,
        connections: connections * workers,
      });
      await one.untilIdle();
      cpuByContender[index]?.push((one.cpu() - before) / answered);
    }
  return cpuByContender;
}

const cpus = (rounds: readonly Round[]): number[] => rounds.map(({ cpu }) => cpu);

const switches = (rounds: readonly Round[]): Figure => figure(rounds.map((round) => round.switches * 1000));

const growth = (rounds: readonly Round[], alone: readonly Round[]): number[] =>
  rounds.map(({ cpu }, round) => cpu / (alone[round]?.cpu ?? Number.NaN));

const nginxAs = (
  fixture: PreparedFixture,
  { name, what, workers }: Arrangement,
  port: number,
): Contender => ({
  name: `nginx, ${name}`,
  what: `${what} \`worker_processes ${workers}\`, and \`reuseport\` at the port.`,
  command: nginxCommand(fixture, port, workers),
  port,
});

const linnetAs = (
  fixture: PreparedFixture,
  { name, what, workers }: Arrangement,
  port: number,
): Contender => ({
  name: `Linnet, ${name}`,
  what: `${what} \`WORKERS=${workers}\`.`,
  command: linnetCommand,
  settings: linnetSettings(port, fixture.dataDir(`workers-${port}`), { WORKERS: String(workers) }),
  port,
});
