import { markdownTable, replaceSections, writePlot } from '../page.ts';
import { barPlot } from '../plot.ts';
import { number, range } from '../table.ts';
import type { Cold } from './cold.ts';
import type { Latency } from './latency.ts';
import type { Measured } from './rounds.ts';

interface Kept<Figures> {
  readonly date: string;
  readonly machine: Readonly<Record<string, unknown>>;
  readonly figures: Figures;
}

export interface Results {
  readonly hot?: Kept<readonly Measured[]>;
  readonly million?: Kept<readonly Measured[]>;
  readonly cold?: Kept<Cold>;
  readonly workers?: Kept<readonly Measured[]>;
  readonly latency?: Kept<Latency>;
}

const mebibytes = (bytes: number): string => `${number(bytes / 2 ** 20)} MiB`;

/** Writes what was measured into docs/performance.md. */
export async function writePages(results: Results): Promise<void> {
  const sections: Record<string, string> = {};
  const { hot, million, cold, workers, latency } = results;
  if (hot) sections.hot = await comparison(hot, 'redirect', 'A redirect of one link');
  if (million) sections.million = await comparison(million, 'million', 'A redirect of one link in a million');
  if (workers)
    sections.workers = await comparison(workers, 'workers', 'A redirect with one worker and with two');
  if (cold) sections.cold = coldTable(cold);
  if (latency) sections.latency = await latencyTable(latency);
  await replaceSections(sections);
}

const circumstances = ({ date, machine }: Kept<unknown>): string =>
  `Measured ${date.slice(0, 10)} on ${machine.processor}, ${machine.cores} cores, ${machine.system}, Bun ${machine.bun}; load of the machine before: ${machine.load_before}. Median, and range over the rounds.`;

async function comparison(kept: Kept<readonly Measured[]>, file: string, title: string): Promise<string> {
  const all = kept.figures;
  const first = all[0]?.name ?? '';
  const cpu = all.map((each) => ({
    name: each.name,
    value: each.cpu.median,
    ...limits(each.cpu),
    isOurs: each.name === 'Linnet',
  }));
  const reference = all[0]?.cpu.median ?? 0;
  const plot = barPlot({
    title,
    unit: 'µs of CPU a request: user and system, all processes and threads',
    bars: cpu,
    line: { value: reference, name: first },
  });
  const table = markdownTable(
    [
      '',
      'CPU µs',
      'range',
      `to ${first}`,
      'requests a second',
      'range',
      `to ${first}`,
      'p50 µs',
      'p99 µs',
      'memory',
    ],
    all.map((each) => [
      each.name,
      number(each.cpu.median),
      range(each.cpu),
      number(each.cpuRatio.median),
      number(each.perSecond.median),
      range(each.perSecond),
      number(each.perSecondRatio.median),
      number(each.p50.median),
      `${number(each.p99.median)} (${range(each.p99)})`,
      mebibytes(each.memory),
    ]),
  );
  const legend = all.map(({ name, what }) => `- **${name}**: ${what}`).join('\n');
  return [await writePlot(`${file}-cpu.svg`, title, plot), table, legend, circumstances(kept)].join('\n\n');
}

const limits = ({ least, most }: { readonly least: number; readonly most: number }) => ({ least, most });

function coldTable(kept: Kept<Cold>): string {
  const cold = kept.figures;
  const table = markdownTable(
    ['A visit to', 'CPU µs'],
    [
      ['a link that is known', number(cold.hitCpu)],
      ['a link that has to be looked up (SQLite)', number(cold.missCpu)],
      ['an address known to lead nowhere', number(cold.unknownCpu)],
      ['ever new addresses that lead nowhere', number(cold.floodCpu)],
    ],
  );
  const memory = `${number(cold.floodRequests)} addresses that lead nowhere took memory from ${mebibytes(cold.memoryBefore)} to ${mebibytes(cold.memoryAfter)}.`;
  return [table, memory, circumstances(kept)].join('\n\n');
}

async function latencyTable(kept: Kept<Latency>): Promise<string> {
  const { perSecond, waited } = kept.figures;
  const title = `p99 at ${number(perSecond)} visits a second`;
  const plot = barPlot({
    title,
    unit: 'µs from when a visit was due, at half of what Linnet carries on one core',
    bars: waited.map(({ name, p99 }) => ({
      name,
      value: p99.median,
      ...limits(p99),
      isOurs: name.startsWith('Linnet'),
    })),
  });
  const table = markdownTable(
    ['', 'p50 µs', 'p99 µs', 'range', 'longest µs'],
    waited.map(({ name, p50, p99, most }) => [
      name,
      number(p50.median),
      number(p99.median),
      range(p99),
      number(most.median),
    ]),
  );
  return [await writePlot('redirect-latency.svg', title, plot), table, circumstances(kept)].join('\n\n');
}
