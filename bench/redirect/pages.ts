import { markdownTable, replaceSections, writePlot } from '../performance-page.ts';
import { barPlot } from '../plot.ts';
import { number, range } from '../table.ts';
import type { Cold } from './cold.ts';
import { coldCosts, coldWaits } from './cold-rows.ts';
import { growthColumns, growthNote, growthRow } from './growth-rows.ts';
import type { Latency } from './latency.ts';
import { latencyColumns, latencyRows } from './latency-rows.ts';
import type { Measured } from './rounds.ts';
import type { Tls } from './tls.ts';
import type { Workers } from './workers.ts';

interface Kept<Figures> {
  readonly date: string;
  readonly machine: Readonly<Record<string, unknown>>;
  readonly figures: Figures;
}

export interface Results {
  readonly hot?: Kept<readonly Measured[]>;
  readonly million?: Kept<readonly Measured[]>;
  readonly cold?: Kept<Cold>;
  readonly workers?: Kept<Workers>;
  readonly tls?: Kept<Tls>;
  readonly rules?: Kept<readonly Measured[]>;
  readonly latency?: Kept<Latency>;
}

const mebibytes = (bytes: number): string => `${number(bytes / 2 ** 20)} MiB`;

/** Writes the results to docs/performance.md. */
export async function writePages(results: Results): Promise<void> {
  const sections: Record<string, string> = {};
  const { hot, million, cold, workers, tls, rules, latency } = results;
  if (hot) sections.hot = await comparison(hot, { file: 'redirect', title: 'A redirect of one link' });
  if (million)
    sections.million = await comparison(million, {
      file: 'million',
      title: 'A redirect of one link in a million',
    });
  if (workers) sections.workers = await workersTables(workers);
  if (tls) sections.tls = await tlsTables(tls);
  if (rules)
    sections.rules = await comparison(rules, {
      file: 'rules',
      title: 'A redirect of a link with ten rules',
      against: 'no rules',
    });
  if (cold) sections.cold = coldTable(cold);
  if (latency) sections.latency = await latencyTable(latency);
  await replaceSections(sections);
}

const circumstances = ({ date, machine }: Kept<unknown>): string =>
  `Measured ${date.slice(0, 10)} on ${machine.processor}, ${machine.cores} cores, ${machine.system}, Bun ${machine.bun}; load average before: ${machine.load_before}. Medians, and ranges over the rounds.`;

interface Shown {
  readonly file: string;
  readonly title: string;
  /** What the ratios are relative to; by default the first contender, which the plot marks with a line. */
  readonly against?: string;
}

async function comparison(kept: Kept<readonly Measured[]>, { file, title, against }: Shown): Promise<string> {
  const all = kept.figures;
  const [first] = all;
  const ratioTo = `to ${against ?? first?.name ?? ''}`;
  const plot = barPlot({
    title,
    unit: 'µs of CPU a request: user and system, all processes and threads',
    bars: all.map(({ name, cpu }) => ({
      name,
      value: cpu.median,
      ...limits(cpu),
      isOurs: name === 'Linnet' || (against !== undefined && name.startsWith('Linnet')),
    })),
    ...(against === undefined && first ? { line: { value: first.cpu.median, name: first.name } } : {}),
  });
  const table = markdownTable(
    ['', 'CPU µs', 'range', ratioTo, 'requests a second', 'range', ratioTo, 'p50 µs', 'p99 µs', 'memory'],
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

async function workersTables(kept: Kept<Workers>): Promise<string> {
  const { measured, arrangements } = kept.figures;
  const all = await comparison(
    { ...kept, figures: measured },
    { file: 'workers', title: 'A redirect with one worker and with two', against: 'one worker' },
  );
  const grown = markdownTable(
    ['CPU a request, to one worker', ...growthColumns],
    arrangements.map(growthRow),
  );
  return [grown, growthNote, all].join('\n\n');
}

async function tlsTables(kept: Kept<Tls>): Promise<string> {
  const { kept: onKept, fresh } = kept.figures;
  return [
    'On kept connections:',
    await comparison({ ...kept, figures: onKept }, { file: 'tls-kept', title: 'A redirect over TLS' }),
    'With a connection and a handshake for each request:',
    await comparison({ ...kept, figures: fresh }, { file: 'tls-fresh', title: 'A handshake and a redirect' }),
  ].join('\n\n');
}

const limits = ({ least, most }: { readonly least: number; readonly most: number }) => ({ least, most });

function coldTable(kept: Kept<Cold>): string {
  const cold = kept.figures;
  const { addedToSelectOne, addedToSameQuestion } = cold.postgres;
  const memory = `${number(cold.floodRequests)} addresses without links increased memory from ${mebibytes(cold.memoryBefore)} to ${mebibytes(cold.memoryAfter)}.`;
  return [
    markdownTable(['A visit to', 'CPU µs'], coldCosts(cold)),
    memory,
    markdownTable(['Latency of a single client, PostgreSQL', 'p50 µs', 'range'], coldWaits(cold.postgres)),
    `So a miss adds ${number(addedToSelectOne.median)} times (${range(addedToSelectOne)}) what \`select 1\` takes on this machine, and ${number(addedToSameQuestion.median)} times (${range(addedToSameQuestion)}) what the same query takes.`,
    circumstances(kept),
  ].join('\n\n');
}

async function latencyTable(kept: Kept<Latency>): Promise<string> {
  const { perSecond, waited } = kept.figures;
  const title = `p99 at ${number(perSecond)} visits a second`;
  const plot = barPlot({
    title,
    unit: 'µs from when a visit was due, at half of Linnet’s capacity on one core',
    bars: waited.map(({ name, p99 }) => ({
      name,
      value: p99.median,
      ...limits(p99),
      isOurs: name.startsWith('Linnet'),
    })),
  });
  const table = markdownTable(latencyColumns, latencyRows(waited));
  return [await writePlot('redirect-latency.svg', title, plot), table, circumstances(kept)].join('\n\n');
}
