import { cpuTime } from '../cpu-time.ts';
import type { Effort } from '../effort.ts';
import { temporaryFolder } from '../exit-cleanup.ts';
import { type Figure, figure, ratio } from '../figures.ts';
import { load } from '../load.ts';
import { callBytes, type Owner, register } from '../owner.ts';
import { startPostgres } from '../postgres.ts';
import { type Program, startLinnet } from '../program.ts';
import { formatNumber, formatRange, type Report } from '../table.ts';
import { type BareStore, bareStore } from './bare-creation.ts';

const linksPerCall = 1_000;
const connections = 16;

interface Variant {
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
  /** The store alone with the same links, and Linnet's rate relative to it. */
  readonly bare_per_second: Figure | null;
  readonly of_bare: Figure | null;
}

const linkOf = (number: number) => ({
  destination_url: `https://shop.example.com/collections/${number % 97}/products/${number}?utm_source=mail&utm_campaign=week-${number % 52}`,
  name: `Mailing of week ${number % 52}, product ${number}`,
});

const inBulk = (promised: number): Variant => ({
  name: `${linksPerCall.toLocaleString('en')} per call, one call after another`,
  promised,
  linksPerRequest: linksPerCall,
  connections: 1,
  status: 200,
  path: '/api/v1/link/bulk?disable_png=true',
  body: (turn) => ({
    links: Array.from({ length: linksPerCall }, (_, index) => linkOf(turn * linksPerCall + index)),
  }),
});

const singly = (promised: number | null): Variant => ({
  name: `one per call, ${connections} connections`,
  promised,
  linksPerRequest: 1,
  connections,
  status: 201,
  path: '/api/v1/link?disable_png=true',
  body: linkOf,
});

/** How fast links are created on each store, by the thousand and one at a time. */
export async function measureBulk(effort: Effort): Promise<Report> {
  const measured = [...(await onSqlite(effort)), ...(await onPostgres(effort))];
  return {
    title: 'Creating links',
    columns: ['a second', 'range', 'CPU µs a link', 'store alone', 'ratio', ''],
    rows: measured.map(({ store, way, promised, per_second, cpu_us_a_link, bare_per_second, of_bare }) => [
      `${store}: ${way}`,
      formatNumber(per_second.median),
      formatRange(per_second),
      cpu_us_a_link === null ? '' : formatNumber(cpu_us_a_link.median),
      bare_per_second === null ? '' : formatNumber(bare_per_second.median),
      of_bare === null ? '' : `${formatNumber(of_bare.median)} (${formatRange(of_bare)})`,
      verdict(per_second.median, promised),
    ]),
    notes: [
      'CPU is that of all threads of Linnet, including the compiler, but not that of PostgreSQL.',
      'Store alone: the same links written by the same statements from this process, as many per transaction, in alternation with Linnet, without lookups, checks, QR codes or responses. It shows how fast the machine was in this hour.',
      'PostgreSQL runs on this machine with fsync=off; SQLite waits for the disk.',
    ],
    figures: measured,
  };
}

const verdict = (perSecond: number, promised: number | null): string =>
  promised === null
    ? ''
    : `${perSecond >= promised ? 'reaches' : 'below'} the promised ${promised.toLocaleString('en')}`;

async function onSqlite(effort: Effort): Promise<Measured[]> {
  using folder = temporaryFolder();
  await using program = await startLinnet(folder.path);
  using bare = await bareStore();
  const owner = await register(program);
  return [
    await measure('SQLite', program, owner, inBulk(20_000), effort, bare),
    await measure('SQLite', program, owner, singly(3_000), effort),
  ];
}

async function onPostgres(effort: Effort): Promise<Measured[]> {
  using folder = temporaryFolder();
  await using postgres = await startPostgres();
  await using program = await startLinnet(folder.path, postgres.url);
  const owner = await register(program);
  return [
    await measure('PostgreSQL', program, owner, inBulk(10_000), effort),
    await measure('PostgreSQL', program, owner, singly(null), effort),
  ];
}

async function measure(
  store: string,
  program: Program,
  owner: Owner,
  variant: Variant,
  { creations }: Effort,
  bare?: BareStore,
): Promise<Measured> {
  const next = requestsOf(program, owner, variant);
  const run = () => load(program, { ...variant, seconds: creations.seconds, next });
  const runBare = (calls: number) => (bare ? storeBare(bare, calls) : Number.NaN);
  await runBare((await run()).requests);
  const [perSecond, cpu, alone]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < creations.rounds; round++) {
    const before = cpuTime(program);
    const { requests, perSecond: rate } = await run();
    const after = cpuTime(program);
    perSecond.push(rate * variant.linksPerRequest);
    if (before !== null && after !== null) cpu.push((after - before) / (requests * variant.linksPerRequest));
    alone.push(await runBare(requests));
  }
  return {
    store,
    way: variant.name,
    promised: variant.promised,
    per_second: figure(perSecond),
    cpu_us_a_link: cpu.length > 0 ? figure(cpu) : null,
    bare_per_second: bare ? figure(alone) : null,
    of_bare: bare ? ratio(perSecond, alone) : null,
  };
}

/** Stores as many links as Linnet did, so that both stores grow at the same rate. Returns links per second. */
async function storeBare(bare: BareStore, calls: number): Promise<number> {
  const startedAt = performance.now();
  for (let call = 0; call < calls; call++)
    await bare.store(Array.from({ length: linksPerCall }, (_, index) => linkOf(call * linksPerCall + index)));
  return (calls * linksPerCall * 1_000) / (performance.now() - startedAt);
}

/** Builds the requests beforehand, so that writing JSON in this process isn't measured. */
function requestsOf(program: Program, owner: Owner, variant: Variant): () => Uint8Array {
  const prepared = Array.from({ length: 50 }, (_, turn) =>
    callBytes(program, owner, 'POST', variant.path, variant.body(turn)),
  );
  let turn = 0;
  return () => prepared[turn++ % prepared.length] as Uint8Array;
}
