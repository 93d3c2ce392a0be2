import { cpuTime } from '../cpu-time.ts';
import type { Effort } from '../effort.ts';
import { type Figure, figure } from '../figures.ts';
import { temporaryFolder } from '../leftovers.ts';
import { load } from '../load.ts';
import { callBytes, type Owner, register } from '../owner.ts';
import { startPostgres } from '../postgres.ts';
import { type Program, startLinnet } from '../program.ts';
import { number, type Report, range } from '../table.ts';

const perCall = 1_000;
const connections = 16;

interface Way {
  readonly name: string;
  readonly promised: number | null;
  readonly linksPerRequest: number;
  readonly connections: number;
  readonly status: number;
  readonly path: string;
  readonly body: (turn: number) => unknown;
}

interface Measured {
  readonly store: string;
  readonly way: string;
  readonly promised: number | null;
  readonly per_second: Figure;
  readonly cpu_us_a_link: Figure | null;
}

const linkOf = (number: number) => ({
  destination_url: `https://shop.example.com/collections/${number % 97}/products/${number}?utm_source=mail&utm_campaign=week-${number % 52}`,
  name: `Mailing of week ${number % 52}, product ${number}`,
});

const inBulk = (promised: number): Way => ({
  name: `${perCall.toLocaleString('en')} a call, one call after another`,
  promised,
  linksPerRequest: perCall,
  connections: 1,
  status: 200,
  path: '/api/v1/link/bulk?disable_png=true',
  body: (turn) => ({ links: Array.from({ length: perCall }, (_, index) => linkOf(turn * perCall + index)) }),
});

const singly = (promised: number | null): Way => ({
  name: `one a call, ${connections} connections`,
  promised,
  linksPerRequest: 1,
  connections,
  status: 201,
  path: '/api/v1/link?disable_png=true',
  body: linkOf,
});

/** How fast links are made, by the thousand and one by one, on either store. */
export async function measureBulk(effort: Effort): Promise<Report> {
  const measured = [...(await onSqlite(effort)), ...(await onPostgres(effort))];
  return {
    title: 'Links made',
    columns: ['a second', 'range', 'CPU µs a link', ''],
    rows: measured.map(({ store, way, promised, per_second, cpu_us_a_link }) => [
      `${store}: ${way}`,
      number(per_second.median),
      range(per_second),
      cpu_us_a_link === null ? '' : number(cpu_us_a_link.median),
      verdict(per_second.median, promised),
    ]),
    notes: [
      'CPU is that of all threads of Linnet, the compiler of its scripts among them; not that of PostgreSQL.',
      'PostgreSQL runs on this machine with fsync=off; SQLite waits for the disk.',
    ],
    figures: measured,
  };
}

const verdict = (perSecond: number, promised: number | null): string =>
  promised === null
    ? ''
    : `${perSecond >= promised ? 'reaches' : 'below'} the ${promised.toLocaleString('en')} that are promised`;

async function onSqlite(effort: Effort): Promise<Measured[]> {
  using folder = temporaryFolder();
  await using program = await startLinnet(folder.path);
  return await measure('SQLite', program, [inBulk(20_000), singly(3_000)], effort);
}

async function onPostgres(effort: Effort): Promise<Measured[]> {
  using folder = temporaryFolder();
  await using postgres = await startPostgres();
  await using program = await startLinnet(folder.path, postgres.url);
  return await measure('PostgreSQL', program, [inBulk(10_000), singly(null)], effort);
}

async function measure(
  store: string,
  program: Program,
  ways: readonly Way[],
  { creations }: Effort,
): Promise<Measured[]> {
  const owner = await register(program);
  const measured: Measured[] = [];
  for (const way of ways) {
    const next = requests(program, owner, way);
    const run = () => load(program, { ...way, seconds: creations.seconds, next });
    await run();
    const [perSecond, cpu]: [number[], number[]] = [[], []];
    for (let round = 0; round < creations.rounds; round++) {
      const before = cpuTime(program);
      const { requests, perSecond: rate } = await run();
      const after = cpuTime(program);
      perSecond.push(rate * way.linksPerRequest);
      if (before !== null && after !== null) cpu.push((after - before) / (requests * way.linksPerRequest));
    }
    measured.push({
      store,
      way: way.name,
      promised: way.promised,
      per_second: figure(perSecond),
      cpu_us_a_link: cpu.length > 0 ? figure(cpu) : null,
    });
  }
  return measured;
}

/** Made beforehand, so that what is measured is not how fast this process writes JSON. */
function requests(program: Program, owner: Owner, way: Way): () => Uint8Array {
  const ready = Array.from({ length: 50 }, (_, turn) =>
    callBytes(program, owner, 'POST', way.path, way.body(turn)),
  );
  let turn = 0;
  return () => ready[turn++ % ready.length] as Uint8Array;
}
