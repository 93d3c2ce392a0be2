import { type Figure, figure, ratio } from '../figures.ts';
import type { Running } from './running.ts';
import { runWrk, type WrkOptions } from './wrk.ts';

export interface Round {
  /** Microseconds of CPU a request. */
  readonly cpu: number;
  /** Context switches per request. */
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
  /** The ratio to the first contender, or to another reference, by round. */
  readonly cpuRatio: Figure;
  readonly perSecondRatio: Figure;
  /** Bytes, at the end. */
  readonly memory: number;
}

/** Each round measures every contender, starting with a different one: a disturbance of the machine affects all of them. */
export async function measureAlternately(
  running: readonly Running[],
  rounds: number,
  plan: WrkOptions,
  warmUp?: number,
): Promise<readonly Measured[]> {
  const roundsByContender = await alternatingRounds(running, rounds, () => plan, warmUp);
  const [first = []] = roundsByContender;
  return running.map((one, index) => summary(one, roundsByContender[index] ?? [], first));
}

/** The rounds of each contender, after so many seconds that aren't measured. */
export async function alternatingRounds(
  running: readonly Running[],
  rounds: number,
  planOf: (index: number) => WrkOptions,
  warmUp = 2,
): Promise<Round[][]> {
  const roundsByContender = running.map((): Round[] => []);
  for (const [index, one] of running.entries()) {
    const plan = planOf(index);
    await runWrk(`${one.url}${pathOf(plan)}`, { ...plan, seconds: warmUp });
    await one.untilIdle();
  }
  for (let round = 0; round < rounds; round++) {
    for (let index = 0; index < running.length; index++) {
      const turn = (round + index) % running.length;
      const one = running[turn] as Running;
      roundsByContender[turn]?.push(await measure(one, planOf(turn)));
    }
  }
  return roundsByContender;
}

const pathOf = ({ path }: WrkOptions): string => path ?? '/';

async function measure(running: Running, plan: WrkOptions): Promise<Round> {
  const before = { cpu: running.cpu(), switches: running.switches() };
  const { requests, perSecond, p50, p99 } = await runWrk(`${running.url}${pathOf(plan)}`, plan);
  const switches = (running.switches() - before.switches) / requests;
  // Work that is deferred until the load ends counts as well.
  await running.untilIdle();
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
