import { number, print, range } from '../table.ts';
import type { Cold } from './cold.ts';
import { coldCosts, coldWaits } from './cold-rows.ts';
import { growthColumns, growthNote, growthRow } from './growth-rows.ts';
import type { Latency } from './latency.ts';
import { latencyColumns, latencyRows } from './latency-rows.ts';
import type { Measured } from './rounds.ts';
import type { Workers } from './workers.ts';

export const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const mebibytes = (bytes: number): string => number(bytes / 2 ** 20);

export function sayMeasured(
  title: string,
  all: readonly Measured[],
  against = `to ${all[0]?.name ?? ''}`,
): void {
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

export function sayWorkers({ measured, arrangements }: Workers): void {
  sayMeasured('Workers that share a port', measured, 'to one worker');
  say(
    print({
      title: 'CPU a request, to one worker',
      columns: growthColumns,
      rows: arrangements.map(growthRow),
      notes: [growthNote],
      figures: arrangements,
    }),
  );
}

export function sayCold(cold: Cold): void {
  const { postgres } = cold;
  say(
    print({
      title: 'Links that are in no cache',
      columns: ['CPU µs'],
      rows: coldCosts(cold),
      notes: [
        `A miss on SQLite costs ${number(cold.missCpu - cold.hitCpu)} µs more. Promised: at most 40.`,
        `${number(cold.floodRequests)} addresses that lead nowhere: from ${mebibytes(cold.memoryBefore)} to ${mebibytes(cold.memoryAfter)} MiB.`,
      ],
      figures: cold,
    }),
  );
  say(
    print({
      title: 'What one visitor waits, PostgreSQL',
      columns: ['p50 µs', 'range'],
      rows: coldWaits(postgres),
      notes: [
        `A miss adds ${number(postgres.addedToSelectOne.median)} times what \`select 1\` takes, ${number(postgres.addedToSameQuestion.median)} times what the same question takes.`,
      ],
      figures: postgres,
    }),
  );
}

export function sayLatency({ perSecond, waited }: Latency): void {
  say(
    print({
      title: `Waiting at ${number(perSecond)} visits a second, half of what Linnet can carry`,
      columns: latencyColumns.slice(1),
      rows: latencyRows(waited),
      notes: ['Counted from when a visit was due, at a fixed rate, whether or not the answers keep up.'],
      figures: waited,
    }),
  );
}
