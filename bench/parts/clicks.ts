import { join } from 'node:path';
import type { Effort } from '../effort.ts';
import { figure, ratio } from '../figures.ts';
import { hitMix, writeJournal } from '../hit-mix.ts';
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
}

/** A journal of a busy hour, folded into an empty SQLite file. */
export async function measureFold({ folded }: Effort): Promise<Report> {
  using folder = temporaryFolder();
  const bytes = writeJournal(join(folder.path, 'journal', 'bench', 'left'), hitMix(folded, Date.now()));
  const { PATH = '', HOME = '' } = process.env;
  const child = Bun.spawn([process.execPath, join(import.meta.dir, '..', 'fold-run.ts')], {
    env: { PATH, HOME, DATA_DIR: folder.path },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const run = JSON.parse(await new Response(child.stdout).text()) as FoldRun;
  const perSecond = folded / run.seconds;
  const perCpuSecond = folded / run.cpu;
  const mib = (bytes: number) => number(bytes / 2 ** 20);
  return {
    title: `Fold into SQLite, ${number(folded)} hits`,
    columns: ['a second', 'a CPU second', 'MiB at 40%', 'MiB at the end'],
    rows: [
      ['ledger and all roll-ups', number(perSecond), number(perCpuSecond), mib(run.early), mib(run.late)],
    ],
    notes: [
      '10,000 links by Zipf, 2,000 user agents, 50,000 addresses, 15% with UTM parameters, within one hour.',
      `${number(bytes / folded)} bytes a hit in the journal. Promised: at least 120,000 a second on one core.`,
    ],
    figures: { hits: folded, bytes, ...run, per_second: perSecond, per_cpu_second: perCpuSecond },
  };
}
