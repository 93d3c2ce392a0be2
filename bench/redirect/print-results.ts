import { printLine } from '../results.ts';
import { formatNumber, formatRange, formatReport } from '../table.ts';
import type { Cold } from './cold.ts';
import { coldCosts, coldLatencies } from './cold-rows.ts';
import { growthColumns, growthNote, growthRow } from './growth-rows.ts';
import type { Latency } from './latency.ts';
import { latencyColumns, latencyRows } from './latency-rows.ts';
import type { Measured } from './rounds.ts';
import type { Workers } from './workers.ts';

const mebibytes = (bytes: number): string => formatNumber(bytes / 2 ** 20);

export function printMeasured(
  title: string,
  all: readonly Measured[],
  against = `to ${all[0]?.name ?? ''}`,
): void {
  printLine(
    formatReport({
      title,
      columns: ['CPU µs', 'range', against, 'a second', 'range', against, 'p50 µs', 'p99 µs', 'range', 'MiB'],
      rows: all.map(({ name, cpu, cpuRatio, perSecond, perSecondRatio, p50, p99, memory }) => [
        name,
        formatNumber(cpu.median),
        formatRange(cpu),
        formatNumber(cpuRatio.median),
        formatNumber(perSecond.median),
        formatRange(perSecond),
        formatNumber(perSecondRatio.median),
        formatNumber(p50.median),
        formatNumber(p99.median),
        formatRange(p99),
        mebibytes(memory),
      ]),
      notes: [
        ...all.map(({ name, what }) => `${name}: ${what}`),
        'Each contender runs alone on one core, and the load on the other. CPU is user and system, all processes and threads.',
      ],
      figures: all,
    }),
  );
}

export function printWorkers({ measured, arrangements }: Workers): void {
  printMeasured('Workers that share a port', measured, 'to one worker');
  printLine(
    formatReport({
      title: 'CPU a request, relative to one worker',
      columns: growthColumns,
      rows: arrangements.map(growthRow),
      notes: [growthNote],
      figures: arrangements,
    }),
  );
}

export function printCold(cold: Cold): void {
  const { postgres } = cold;
  printLine(
    formatReport({
      title: 'Uncached links',
      columns: ['CPU µs'],
      rows: coldCosts(cold),
      notes: [
        `A miss on SQLite costs ${formatNumber(cold.missCpu - cold.hitCpu)} µs more. Promised: at most 40.`,
        `${formatNumber(cold.floodRequests)} addresses without links: from ${mebibytes(cold.memoryBefore)} to ${mebibytes(cold.memoryAfter)} MiB.`,
      ],
      figures: cold,
    }),
  );
  printLine(
    formatReport({
      title: 'Latency of a single client, PostgreSQL',
      columns: ['p50 µs', 'range'],
      rows: coldLatencies(postgres),
      notes: [
        `A miss adds ${formatNumber(postgres.addedToSelectOne.median)} times what \`select 1\` takes, ${formatNumber(postgres.addedToSameQuestion.median)} times what the same query takes.`,
      ],
      figures: postgres,
    }),
  );
}

export function printLatency({ perSecond, waited }: Latency): void {
  printLine(
    formatReport({
      title: `Latency at ${formatNumber(perSecond)} visits a second, half of Linnet’s capacity`,
      columns: latencyColumns.slice(1),
      rows: latencyRows(waited),
      notes: ['Measured from when a visit was due, at a fixed rate, whether or not responses keep up.'],
      figures: waited,
    }),
  );
}
