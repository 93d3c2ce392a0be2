import { number, print, range } from '../table.ts';
import type { Cold } from './cold.ts';
import type { Latency } from './latency.ts';
import type { Measured } from './rounds.ts';

export const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const mebibytes = (bytes: number): string => number(bytes / 2 ** 20);

export function sayMeasured(title: string, all: readonly Measured[]): void {
  const against = `to ${all[0]?.name ?? ''}`;
  say(
    print({
      title,
      columns: ['CPU µs', 'range', against, 'a second', 'range', against, 'p50 µs', 'p99 µs', 'range', 'MiB'],
      rows: all.map(({ name, cpu, cpuRatio, perSecond, perSecondRatio, p50, p99, memory }) => [
        name,
        number(cpu.median),
        range(cpu),
        number(cpuRatio.median),
        number(perSecond.median),
        range(perSecond),
        number(perSecondRatio.median),
        number(p50.median),
        number(p99.median),
        range(p99),
        mebibytes(memory),
      ]),
      notes: [
        ...all.map(({ name, what }) => `${name}: ${what}`),
        'Each contender alone on one core in its turn, the load on the other. CPU is user and system, all processes and threads.',
      ],
      figures: all,
    }),
  );
}

export function sayCold(cold: Cold): void {
  say(
    print({
      title: 'Links that are in no cache, SQLite',
      columns: ['CPU µs'],
      rows: [
        ['a link that is known', number(cold.hitCpu)],
        ['a link that has to be looked up', number(cold.missCpu)],
        ['an address known to lead nowhere', number(cold.unknownCpu)],
        ['ever new addresses that lead nowhere', number(cold.floodCpu)],
      ],
      notes: [
        `A miss costs ${number(cold.missCpu - cold.hitCpu)} µs more. Promised: at most 40.`,
        `${number(cold.floodRequests)} addresses that lead nowhere: from ${mebibytes(cold.memoryBefore)} to ${mebibytes(cold.memoryAfter)} MiB.`,
      ],
      figures: cold,
    }),
  );
}

export function sayLatency({ perSecond, waited }: Latency): void {
  say(
    print({
      title: `Waiting at ${number(perSecond)} visits a second, half of what Linnet can carry`,
      columns: ['p50 µs', 'p99 µs', 'range', 'longest µs'],
      rows: waited.map(({ name, p50, p99, most }) => [
        name,
        number(p50.median),
        number(p99.median),
        range(p99),
        number(most.median),
      ]),
      notes: ['Counted from when a visit was due, at a fixed rate, whether or not the answers keep up.'],
      figures: waited,
    }),
  );
}
