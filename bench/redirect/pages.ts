import { markdownTable, replaceSections, writePlot } from '../performance-page.ts';
import { barPlot } from '../plot.ts';
import { formatNumber, formatRange } from '../table.ts';
import type { Cold } from './cold.ts';
import { coldCosts, coldLatencies } from './cold-rows.ts';
import { growthColumns, growthNote, growthRow } from './growth-rows.ts';
import type { Latency } from './latency.ts';
import { latencyColumns, latencyRows } from './latency-rows.ts';
import type { Measured } from './rounds.ts';
import type { Tls } from './tls.ts';
import type { Workers } from './workers.ts';

interface StoredResults<Figures> {
  readonly date: string;
  readonly machine: Readonly<Record<string, unknown>>;
  readonly figures: Figures;
}

export interface Results {
  readonly hot?: StoredResults<readonly Measured[]>;
  readonly million?: StoredResults<readonly Measured[]>;
  readonly million_repeated?: StoredResults<readonly Measured[]>;
  readonly cold?: StoredResults<Cold>;
  readonly workers?: StoredResults<Workers>;
  readonly tls?: StoredResults<Tls>;
  readonly rules?: StoredResults<readonly Measured[]>;
  readonly latency?: StoredResults<Latency>;
}

const mebibytes = (bytes: number): string => `${formatNumber(bytes / 2 ** 20)} MiB`;

/** Writes the results to docs/performance.md. */
export async function writePages(results: Results): Promise<void> {
  const sections: Record<string, string> = {};
  const { hot, million, million_repeated: repeated, cold, workers, tls, rules, latency } = results;
  if (hot) sections.hot = await comparison(hot, { file: 'redirect', title: 'A redirect of one link' });
  if (million)
    sections.million = await comparison(million, {
      file: 'million',
      title: 'A redirect of one link in a million',
    });
  if (repeated)
    sections.million_repeated = await comparison(repeated, {
      file: 'million-repeated',
      title: 'A redirect of one link in a million, with repeated visits',
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

const conditionsOf = ({ date, machine }: StoredResults<unknown>): string =>
  `Measured ${date.slice(0, 10)} on ${machine.processor}, ${machine.cores} cores, ${machine.system}, Bun ${machine.bun}; load average before: ${machine.load_before}. Medians, and ranges over the rounds.`;

interface ComparisonOptions {
  readonly file: string;
  readonly title: string;
  /** What the ratios are relative to; by default the first contender, which the plot marks with a line. */
  readonly against?: string;
}

async function comparison(
  stored: StoredResults<readonly Measured[]>,
  { file, title, against }: ComparisonOptions,
): Promise<string> {
  const all = stored.figures;
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
    all.map((measured) => [
      measured.name,
      formatNumber(measured.cpu.median),
      formatRange(measured.cpu),
      formatNumber(measured.cpuRatio.median),
      formatNumber(measured.perSecond.median),
      formatRange(measured.perSecond),
      formatNumber(measured.perSecondRatio.median),
      formatNumber(measured.p50.median),
      `${formatNumber(measured.p99.median)} (${formatRange(measured.p99)})`,
      mebibytes(measured.memory),
    ]),
  );
  const legend = all.map(({ name, what }) => `- **${name}**: ${what}`).join('\n');
  return [await writePlot(`${file}-cpu.svg`, title, plot), table, legend, conditionsOf(stored)].join('\n\n');
}

async function workersTables(stored: StoredResults<Workers>): Promise<string> {
  const { measured, arrangements } = stored.figures;
  const all = await comparison(
    { ...stored, figures: measured },
    { file: 'workers', title: 'A redirect with one worker and with two', against: 'one worker' },
  );
  const grown = markdownTable(
    ['CPU a request, to one worker', ...growthColumns],
    arrangements.map(growthRow),
  );
  return [grown, growthNote, all].join('\n\n');
}

async function tlsTables(stored: StoredResults<Tls>): Promise<string> {
  const { kept: onKept, fresh } = stored.figures;
  return [
    'On kept connections:',
    await comparison({ ...stored, figures: onKept }, { file: 'tls-kept', title: 'A redirect over TLS' }),
    'With a connection and a handshake for each request:',
    await comparison(
      { ...stored, figures: fresh },
      { file: 'tls-fresh', title: 'A handshake and a redirect' },
    ),
  ].join('\n\n');
}

const limits = ({ least, most }: { readonly least: number; readonly most: number }) => ({ least, most });

function coldTable(stored: StoredResults<Cold>): string {
  const cold = stored.figures;
  const { addedToSelectOne, addedToSameQuestion } = cold.postgres;
  const memory = `${formatNumber(cold.floodRequests)} addresses without links increased memory from ${mebibytes(cold.memoryBefore)} to ${mebibytes(cold.memoryAfter)}.`;
  return [
    markdownTable(['A visit to', 'CPU µs'], coldCosts(cold)),
    memory,
    markdownTable(
      ['Latency of a single client, PostgreSQL', 'p50 µs', 'range'],
      coldLatencies(cold.postgres),
    ),
    `So a miss adds ${formatNumber(addedToSelectOne.median)} times (${formatRange(addedToSelectOne)}) what \`select 1\` takes on this machine, and ${formatNumber(addedToSameQuestion.median)} times (${formatRange(addedToSameQuestion)}) what the same query takes.`,
    conditionsOf(stored),
  ].join('\n\n');
}

async function latencyTable(stored: StoredResults<Latency>): Promise<string> {
  const { perSecond, waited } = stored.figures;
  const title = `p99 at ${formatNumber(perSecond)} visits a second`;
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
  return [await writePlot('redirect-latency.svg', title, plot), table, conditionsOf(stored)].join('\n\n');
}
