import { beforeAll, describe, expect, test } from 'bun:test';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FailedStart } from './support/failing-start.ts';
import { migratedPostgres, migratedSqlite } from './support/migrated-store.ts';
import { exitCodeOf, runScript, temporaryFolder } from './support/program.ts';

type Settings = Record<string, string>;

const failures: { cause: string; problem: RegExp; prepare: (folder: string) => Promise<Settings> }[] = [
  {
    cause: 'an invalid host',
    problem: /^Listening on no such host/,
    prepare: async () => ({ HOST: 'no such host' }),
  },
  {
    cause: 'a data folder that is a file',
    problem: /^The data folder .* can not be written/,
    prepare: async (folder) => {
      await writeFile(join(folder, 'file'), '');
      return { DATA_DIR: join(folder, 'file') };
    },
  },
  {
    cause: 'a SQLite file with other contents',
    problem: /^The SQLite file in .* can not be opened/,
    prepare: async (folder) => {
      await writeFile(join(folder, 'linnet.sqlite'), 'long enough to be seen as no database'.repeat(100));
      return {};
    },
  },
  {
    cause: 'an unreachable database',
    problem: /^The database at 127\.0\.0\.1:1\/none can not be reached/,
    prepare: async () => ({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }),
  },
  {
    cause: 'a missing country file, which is only read when visits are accepted',
    problem: /^COUNTRY_FILE can not be used/,
    prepare: async (folder) => ({ COUNTRY_FILE: join(folder, 'none') }),
  },
  {
    cause: 'a missing country file on PostgreSQL',
    problem: /^COUNTRY_FILE can not be used/,
    prepare: async (folder) => ({
      COUNTRY_FILE: join(folder, 'none'),
      DATABASE_URL: await migratedPostgres(),
    }),
  },
  {
    cause: 'a store that fails once visits are accepted',
    problem: /^no such table: users/,
    prepare: async () => ({ BREAK: 'the accounts, once visitors are let in' }),
  },
  {
    cause: 'the same store failure, after the fold of an earlier journal has begun',
    problem: /^no such table: users/,
    prepare: async (folder) => {
      await mkdir(join(folder, 'journal', 'node', 'killed'), { recursive: true });
      return { BREAK: 'the accounts, once visitors are let in' };
    },
  },
  {
    cause: 'two failures, of which the first is reported',
    problem: /^COUNTRY_FILE can not be used/,
    prepare: async (folder) => ({ COUNTRY_FILE: join(folder, 'none'), BREAK: 'the closing, too' }),
  },
];

/** The results of starts that fail one after the other, in a process that exits once nothing keeps its event loop alive. */
async function failedStarts(starts: readonly Settings[]): Promise<FailedStart[]> {
  const program = runScript('failing-start.ts', { STARTS: JSON.stringify(starts) });
  try {
    expect(await exitCodeOf(program)).toBe(0);
    return JSON.parse(program.output().out);
  } finally {
    program.kill('SIGKILL');
  }
}

const threads = ['in a thread', 'here'];
const failed = new Map<string, FailedStart>();

beforeAll(async () => {
  await using folder = await temporaryFolder();
  const pairs = threads.flatMap((VISITORS) => failures.map((failure) => ({ VISITORS, ...failure })));
  const starts = await Promise.all(
    pairs.map(async ({ VISITORS, prepare }, index) => {
      const DATA_DIR = join(folder.path, String(index));
      await mkdir(DATA_DIR);
      await migratedSqlite(DATA_DIR);
      return { VISITORS, DATA_DIR, ...(await prepare(DATA_DIR)) };
    }),
  );
  const all = await failedStarts(starts);
  for (const [index, { VISITORS, cause }] of pairs.entries())
    failed.set(`${VISITORS}: ${cause}`, all[index] as FailedStart);
});

describe.each(threads)('with visitors %s, a failing start', (visitors) => {
  test.each(failures)('because of $cause leaves nothing open', ({ cause, problem }) => {
    expect(failed.get(`${visitors}: ${cause}`)?.problem).toMatch(problem);
    expect(failed.get(`${visitors}: ${cause}`)?.held).toEqual([]);
  });

  if (visitors === 'in a thread')
    test('answers requests that have arrived meanwhile before it ends', () => {
      expect(failed.get('in a thread: a store that fails once visits are accepted')?.isWaitedFor).toBe(true);
    });
});
