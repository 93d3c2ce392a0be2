import { join } from 'node:path';
import type { RawHit } from '../../src/journal/hit.ts';
import type { Effort } from '../effort.ts';
import { temporaryFolder } from '../exit-cleanup.ts';
import { figure, ratio } from '../figures.ts';
import { type FoldRun, foldJournals, journalIn } from '../fold-journals.ts';
import { hitMix, plainHits, writeJournal } from '../hit-mix.ts';
import { makeLinks, register } from '../owner.ts';
import { startScript } from '../program.ts';
import { formatNumber, formatRange, type Report } from '../table.ts';
import { Contender, connections, inRounds } from '../visits.ts';

/** Compares a redirect that writes its hit to the journal with one that drops it, in the same program. */
export async function measureJournal({ clicks }: Effort): Promise<Report> {
  using folder = temporaryFolder();
  const settings = (hits: string) => ({
    PORT: '0',
    DATA_DIR: join(folder.path, hits),
    MISS_LIMIT: '0',
    HITS: hits,
  });
  await using dropping = await startScript('bench/recording-program.ts', settings('dropped'));
  await using recording = await startScript('bench/recording-program.ts', settings('unfolded'));
  const [dropped, journalled] = await Promise.all(
    [dropping, recording].map(async (program) => {
      const owner = await register(program);
      const links = [{ destination_url: 'https://shop.example.com/' }];
      const [suffix = ''] = await makeLinks(program, owner, links);
      return new Contender(program, suffix);
    }),
  );
  if (!dropped || !journalled) throw new Error('no programs');
  await inRounds([dropped, journalled], clicks.rounds, clicks.seconds);
  const difference = figure(journalled.cpu.map((cpu, round) => cpu - (dropped.cpu[round] ?? Number.NaN)));
  const times = ratio(journalled.cpu, dropped.cpu);
  const row = (name: string, { cpu, perSecond }: Contender) => [
    name,
    formatNumber(figure(cpu).median),
    formatRange(figure(cpu)),
    formatNumber(figure(perSecond).median),
  ];
  return {
    title: `Journal, ${connections} connections`,
    columns: ['CPU µs', 'range', 'a second'],
    rows: [row('hits dropped', dropped), row('hits journalled', journalled)],
    notes: [
      `Journalling a hit costs ${formatNumber(difference.median)} µs (${formatRange(difference)}) more, ${formatNumber(times.median)} times (${formatRange(times)}). Promised: at most 3 µs.`,
    ],
    figures: {
      dropped_us: figure(dropped.cpu),
      journal_us: figure(journalled.cpu),
      difference_us: difference,
      cpu_ratio: times,
    },
  };
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

/** Folds journals of several kinds of traffic, each into an empty SQLite file. */
export async function measureFold({ folded, clicks }: Effort): Promise<Report> {
  const runs = Object.fromEntries(Object.keys(mixes).map((name) => [name, [] as FoldRun[]]));
  const rounds = Math.ceil(clicks.rounds / 3);
  for (let round = 0; round < rounds; round++)
    for (const [name, { hits }] of Object.entries(mixes)) runs[name]?.push(await foldRun(hits(folded)));
  const of = (name: string, fact: (run: FoldRun) => number) => figure((runs[name] ?? []).map(fact));
  const mib = (name: string, fact: (run: FoldRun) => number) => formatNumber(of(name, fact).median / 2 ** 20);
  const named = Object.entries(mixes).map(([name, { what }]) => {
    const us = of(name, ({ cpu }) => (cpu * 1e6) / folded);
    const perSecond = of(name, ({ seconds }) => folded / seconds);
    const bytes = of(name, ({ stored }) => stored / folded);
    return { name, what, us, perSecond, bytes };
  });
  return {
    title: `Fold into SQLite, ${formatNumber(folded)} hits`,
    columns: ['CPU µs a hit', 'range', 'a second', 'bytes a hit', 'MiB at 40%', 'MiB at the end'],
    rows: named.map(({ name, what, us, perSecond, bytes }) => [
      what,
      formatNumber(us.median),
      formatRange(us),
      formatNumber(perSecond.median),
      formatNumber(bytes.median),
      mib(name, ({ early }) => early),
      mib(name, ({ late }) => late),
    ]),
    notes: [
      'A busy hour: 10,000 links by Zipf, 2,000 user agents, 50,000 addresses, 15% with UTM parameters. The other two span ten minutes; the million links are visited by Zipf.',
      'Bytes are those of the whole store afterwards, including roll-ups. Promised: at least 120,000 a second on one core in a busy hour.',
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
  writeJournal(journalIn(folder.path), hits);
  return await foldJournals(folder.path);
}
