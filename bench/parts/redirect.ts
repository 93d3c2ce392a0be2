import { cpuTime } from '../cpu-time.ts';
import type { Effort } from '../effort.ts';
import { figure, ratio } from '../figures.ts';
import { temporaryFolder } from '../leftovers.ts';
import { load } from '../load.ts';
import { ask, register } from '../owner.ts';
import { type Program, start, startLinnet } from '../program.ts';
import { requestBytes } from '../request.ts';
import { number, type Report, range } from '../table.ts';

const connections = 64;
const destination = 'https://shop.example.com/collections/autumn/products/1742?utm_source=mail';

/** What a browser sends when somebody follows a link in a mail. */
const browserHeaders = {
  'user-agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'accept-language': 'en-GB,en;q=0.9',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'cross-site',
  'upgrade-insecure-requests': '1',
};

class Contender {
  readonly cpu: number[] = [];
  readonly busy: number[] = [];
  readonly perSecond: number[] = [];
  readonly #program: Program;
  readonly #visit: Uint8Array;

  constructor(program: Program, suffix: string) {
    this.#program = program;
    this.#visit = requestBytes(program.port, 'GET', `/${suffix}`, browserHeaders);
  }

  async warmUp(seconds: number): Promise<void> {
    await this.#visits(seconds);
  }

  async round(seconds: number): Promise<void> {
    const before = cpuTime(this.#program);
    const run = await this.#visits(seconds);
    const after = cpuTime(this.#program);
    this.perSecond.push(run.perSecond);
    if (before === null || after === null) return;
    this.cpu.push((after - before) / run.requests);
    this.busy.push(((after - before) / 1e6 / run.seconds) * 100);
  }

  #visits(seconds: number) {
    return load(this.#program, { connections, seconds, status: 302, next: () => this.#visit });
  }
}

/** A plain redirect beside the least that this runtime can do, turn by turn. */
export async function measureRedirect({ redirects }: Effort): Promise<Report> {
  using folder = temporaryFolder();
  await using program = await startLinnet(folder.path);
  await using bareProgram = await start('bench/bare-redirect.ts', { LOCATION: destination });
  const owner = await register(program);
  const { suffix } = await ask<{ suffix: string }>(program, 'POST', '/api/v1/link', {
    body: { destination_url: destination },
    credential: owner.key,
  });
  const linnet = new Contender(program, suffix);
  const bare = new Contender(bareProgram, suffix);
  for (const contender of [linnet, bare]) await contender.warmUp(redirects.seconds);
  for (let round = 0; round < redirects.rounds; round++) {
    const order = round % 2 === 0 ? [linnet, bare] : [bare, linnet];
    for (const contender of order) await contender.round(redirects.seconds);
  }
  return report(linnet, bare);
}

function report(linnet: Contender, bare: Contender): Report {
  const isMeasured = linnet.cpu.length > 0;
  const row = (name: string, { cpu, busy, perSecond }: Contender) => [
    name,
    isMeasured ? number(figure(cpu).median) : 'not measured',
    isMeasured ? range(figure(cpu)) : '',
    isMeasured ? `${number(figure(busy).median)}%` : '',
    number(figure(perSecond).median),
    range(figure(perSecond)),
  ];
  const times = ratio(linnet.cpu, bare.cpu);
  const cpuNote = `CPU of Linnet's redirect against the bare one: ${number(times.median)} times (${range(times)}).`;
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
      'CPU is user and system time of the whole server process; "busy" is how much of one core that was.',
    ],
    figures: { linnet: side(linnet), bare: side(bare), cpu_ratio: isMeasured ? times : null },
  };
}
