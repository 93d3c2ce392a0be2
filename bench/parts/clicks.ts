import { join } from 'node:path';
import type { RawHit } from '../../src/journal/hit.ts';
import type { Effort } from '../effort.ts';
import { figure, ratio } from '../figures.ts';
import { hitMix, plainHits, writeJournal } from '../hit-mix.ts';
import { temporaryFolder } from '../leftovers.ts';
import { ask, register } from '../owner.ts';
import { start } from '../program.ts';
import { number, type Report, range } from '../table.ts';
import { Contender, inRounds, visitors } from '../visits.ts';

/** A redirect that writes its hit to the journal beside one that forgets it, in the same program. */
export async function measureJournal({ clicks }: Effort): Promise<Report> {
  using folder = temporaryFolder();
  const settings = (hits: string) => ({
    PORT: '0',
    DATA_DIR: join(folder.path, hits),
    MISS_LIMIT: '0',
    HITS: hits,
  });
  await using forgetful = await start('bench/recording-program.ts', settings('dropped'));
  await using recording = await start('bench/recording-program.ts', settings('unfolded'));
  const [without, kept] = await Promise.all(
    [forgetful, recording].map(async (program) => {
      const { key } = await register(program);
      const { suffix } = await ask<{ suffix: string }>(program, 'POST', '/api/v1/link', {
        body: { destination_url: 'https://shop.example.com/' },
        credential: key,
      });
      return new Contender(program, suffix);
    }),
  );
  if (!without || !kept) throw new Error('no programs');
  await inRounds([without, kept], clicks.rounds, clicks.seconds);
  const difference = figure(kept.cpu.map((cpu, round) => cpu - (without.cpu[round] ?? Number.NaN)));
  const times = ratio(kept.cpu, without.cpu);
  const row = (name: string, { cpu, perSecond }: Contender) => [
    name,
    number(figure(cpu).median),
    range(figure(cpu)),
    number(figure(perSecond).median),
  ];
  return {
    title: `Journal, ${visitors} connections`,
    columns: ['CPU µs', 'range', 'a second'],
    rows: [row('hits dropped', without), row('hits in the journal', kept)],
    notes: [
      `A hit in the journal costs ${number(difference.median)} µs (${range(difference)}) more, ${number(times.median)} times (${range(times)}). Promised: at most 3 µs.`,
    ],
    figures: {
      dropped_us: figure(without.cpu),
      journal_us: figure(kept.cpu),
      difference_us: difference,
      cpu_ratio: times,
    },
  };
}

interface FoldRun {
  readonly seconds: number;
  readonly cpu: number;
  readonly early: number;
  readonly late: number;
  readonly stored: number;
}

const until = Date.now();
const mixes = {
  hour: { what: 'a busy hour', hits: (count: number) => hitMix(count, until) },
  one_link: { what: 'one link, one visitor', hits: (count: number) => plainHits(count, until, 1) },
  million_links: {
    what: 'a million links, one visitor',
    hits: (count: number) => plainHits(count, until, 1_000_000),
  },
};

/** Journals of several kinds of traffic, each folded into an empty SQLite file. */
export async function measureFold({ folded, clicks }: Effort): Promise<Report> {
  const runs = Object.fromEntries(Object.keys(mixes).map((name) => [name, [] as FoldRun[]]));
  const rounds = Math.ceil(clicks.rounds / 3);
  for (let round = 0; round < rounds; round++)
    for (const [name, { hits }] of Object.entries(mixes)) runs[name]?.push(await foldRun(hits(folded)));
  const of = (name: string, fact: (run: FoldRun) => number) => figure((runs[name] ?? []).map(fact));
  const mib = (name: string, fact: (run: FoldRun) => number) => number(of(name, fact).median / 2 ** 20);
  const named = Object.entries(mixes).map(([name, { what }]) => {
    const us = of(name, ({ cpu }) => (cpu * 1e6) / folded);
    const perSecond = of(name, ({ seconds }) => folded / seconds);
    const bytes = of(name, ({ stored }) => stored / folded);
    return { name, what, us, perSecond, bytes };
  });
  return {
    title: `Fold into SQLite, ${number(folded)} hits`,
    columns: ['CPU µs a hit', 'range', 'a second', 'bytes a hit', 'MiB at 40%', 'MiB at the end'],
    rows: named.map(({ name, what, us, perSecond, bytes }) => [
      what,
      number(us.median),
      range(us),
      number(perSecond.median),
      number(bytes.median),
      mib(name, ({ early }) => early),
      mib(name, ({ late }) => late),
    ]),
    notes: [
      'A busy hour: 10,000 links by Zipf, 2,000 user agents, 50,000 addresses, 15% with UTM parameters. The others within ten minutes; a million links by Zipf.',
      'Bytes are those of the whole store afterwards, roll-ups among them. Promised: at least 120,000 a second on one core in a busy hour.',
    ],
    figures: Object.fromEntries(
      named.map(({ name, us, perSecond, bytes }) => [
        name,
        { hits: folded, cpu_us: us, per_second: perSecond, bytes_a_hit: bytes },
      ]),
    ),
  };
}

async function foldRun(hits: Iterable<RawHit>): Promise<FoldRun> {
  using folder = temporaryFolder();
  writeJournal(join(folder.path, 'journal', 'bench', 'left'), hits);
  const { PATH = '', HOME = '' } = process.env;
  const child = Bun.spawn([process.execPath, join(import.meta.dir, '..', 'fold-run.ts')], {
    env: { PATH, HOME, DATA_DIR: folder.path },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  return JSON.parse(await new Response(child.stdout).text()) as FoldRun;
}
