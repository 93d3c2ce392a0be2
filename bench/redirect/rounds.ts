import { type Figure, figure, ratio } from '../figures.ts';
import type { Running } from './running.ts';
import { type Storm, storm } from './wrk.ts';

export interface Round {
  /** Microseconds of CPU a request. */
  readonly cpu: number;
  /** How often its threads gave up their core, a request. */
  readonly switches: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export interface Measured {
  readonly name: string;
  readonly what: string;
  readonly cpu: Figure;
  readonly perSecond: Figure;
  readonly p50: Figure;
  readonly p99: Figure;
  /** To the first contender, or to whom it is held against, round by round. */
  readonly cpuRatio: Figure;
  readonly perSecondRatio: Figure;
  /** Bytes, at the end. */
  readonly memory: number;
}

/** In turn in the same minute, each round beginning with another: what disturbs the machine disturbs all of them. */
export async function inTurns(
  running: readonly Running[],
  rounds: number,
  plan: Storm,
): Promise<readonly Measured[]> {
  const seen = await takeTurns(running, rounds, () => plan);
  const [first = []] = seen;
  return running.map((one, index) => summary(one, seen[index] ?? [], first));
}

/** The rounds of each of them. */
export async function takeTurns(
  running: readonly Running[],
  rounds: number,
  planOf: (place: number) => Storm,
): Promise<Round[][]> {
  const seen = running.map((): Round[] => []);
  for (const [place, one] of running.entries()) {
    const plan = planOf(place);
    await storm(`${one.url}${pathOf(plan)}`, { ...plan, seconds: 2 });
  }
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < running.length; place++) {
      const turn = (round + place) % running.length;
      const one = running[turn] as Running;
      seen[turn]?.push(await measure(one, planOf(turn)));
    }
  }
  return seen;
}

const pathOf = ({ path }: Storm): string => path ?? '/';

async function measure(running: Running, plan: Storm): Promise<Round> {
  const before = { cpu: running.cpu(), switches: running.switches() };
  const { requests, perSecond, p50, p99 } = await storm(`${running.url}${pathOf(plan)}`, plan);
  const switches = (running.switches() - before.switches) / requests;
  // What is put off until the storm is over is counted as well.
  await running.isAtRest();
  return { cpu: (running.cpu() - before.cpu) / requests, switches, perSecond, p50, p99 };
}

export function summary(running: Running, rounds: readonly Round[], against: readonly Round[]): Measured {
  const { name, what } = running.contender;
  const all = (of: (round: Round) => number) => rounds.map(of);
  return {
    name,
    what,
    cpu: figure(all(({ cpu }) => cpu)),
    perSecond: figure(all(({ perSecond }) => perSecond)),
    p50: figure(all(({ p50 }) => p50)),
    p99: figure(all(({ p99 }) => p99)),
    cpuRatio: ratio(
      all(({ cpu }) => cpu),
      against.map(({ cpu }) => cpu),
    ),
    perSecondRatio: ratio(
      all(({ perSecond }) => perSecond),
      against.map(({ perSecond }) => perSecond),
    ),
    memory: running.memory(),
  };
}
