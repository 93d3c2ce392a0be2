import type { Effort } from '../effort.ts';
import { temporaryFolder } from '../exit-cleanup.ts';
import { figure, ratio } from '../figures.ts';
import { makeLinks, register } from '../owner.ts';
import { startLinnet, startScript } from '../program.ts';
import { formatNumber, formatRange, type Report } from '../table.ts';
import { Contender, connections, inRounds } from '../visits.ts';

const destination = 'https://shop.example.com/collections/autumn/products/1742?utm_source=mail';

/** Compares a plain redirect with the minimum on this runtime, in alternation. */
export async function measureRedirect({ redirects }: Effort): Promise<Report> {
  using folder = temporaryFolder();
  await using program = await startLinnet(folder.path);
  await using bareProgram = await startScript('bench/bare-redirect.ts', { LOCATION: destination });
  const owner = await register(program);
  const [suffix = ''] = await makeLinks(program, owner, [{ destination_url: destination }]);
  const linnet = new Contender(program, suffix);
  const bare = new Contender(bareProgram, suffix);
  await inRounds([linnet, bare], redirects.rounds, redirects.seconds);
  return report(linnet, bare);
}

function report(linnet: Contender, bare: Contender): Report {
  const isMeasured = linnet.cpu.length > 0;
  const row = (name: string, { cpu, busy, perSecond }: Contender) => [
    name,
    isMeasured ? formatNumber(figure(cpu).median) : 'not measured',
    isMeasured ? formatRange(figure(cpu)) : '',
    isMeasured ? `${formatNumber(figure(busy).median)}%` : '',
    formatNumber(figure(perSecond).median),
    formatRange(figure(perSecond)),
  ];
  const times = ratio(linnet.cpu, bare.cpu);
  const cpuNote = `CPU of Linnet's redirect compared with the bare one: ${formatNumber(times.median)} times (${formatRange(times)}).`;
  const side = ({ cpu, busy, perSecond }: Contender) => ({
    cpu_us: isMeasured ? figure(cpu) : null,
    busy_percent: isMeasured ? figure(busy) : null,
    per_second: figure(perSecond),
  });
  return {
    title: `Redirect, ${connections} connections`,
    columns: ['CPU µs', 'range', 'busy', 'a second', 'range'],
    rows: [row('Linnet', linnet), row('bare Bun.serve', bare)],
    notes: [
      isMeasured ? cpuNote : 'CPU time is read from /proc, which this system does not have.',
      'CPU is user and system time of the whole server process; "busy" is its share of one core.',
    ],
    figures: { linnet: side(linnet), bare: side(bare), cpu_ratio: isMeasured ? times : null },
  };
}
