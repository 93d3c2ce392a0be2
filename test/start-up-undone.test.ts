import { beforeAll, describe, expect, test } from 'bun:test';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FailedStart } from './support/failing-start.ts';
import { migratedPostgres, migratedSqlite } from './support/migrated-store.ts';
import { endOf, runScript, temporaryFolder } from './support/program.ts';

type Settings = Record<string, string>;

const failures: { of: string; problem: RegExp; prepare: (folder: string) => Promise<Settings> }[] = [
  {
    of: 'a host that is none',
    problem: /^Listening on no such host/,
    prepare: async () => ({ HOST: 'no such host' }),
  },
  {
    of: 'a data folder that can not be one',
    problem: /^The data folder .* can not be written/,
    prepare: async (folder) => {
      await writeFile(join(folder, 'file'), '');
      return { DATA_DIR: join(folder, 'file') };
    },
  },
  {
    of: 'a SQLite file that is none',
    problem: /^The SQLite file in .* can not be opened/,
    prepare: async (folder) => {
      await writeFile(join(folder, 'linnet.sqlite'), 'long enough to be seen as no database'.repeat(100));
      return {};
    },
  },
  {
    of: 'a database that is not reachable',
    problem: /^The database at 127\.0\.0\.1:1\/none can not be reached/,
    prepare: async () => ({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }),
  },
  {
    of: 'a country file that is none, which is seen when visitors are let in',
    problem: /^COUNTRY_FILE can not be used/,
    prepare: async (folder) => ({ COUNTRY_FILE: join(folder, 'none') }),
  },
  {
    of: 'the same on PostgreSQL',
    problem: /^COUNTRY_FILE can not be used/,
    prepare: async (folder) => ({
      COUNTRY_FILE: join(folder, 'none'),
      DATABASE_URL: await migratedPostgres(),
    }),
  },
  {
    of: 'a store that breaks once visitors are let in',
    problem: /^no such table: users/,
    prepare: async () => ({ BREAK: 'the accounts, once visitors are let in' }),
  },
  {
    of: 'the same, where the fold has begun with what an earlier process left',
    problem: /^no such table: users/,
    prepare: async (folder) => {
      await mkdir(join(folder, 'journal', 'node', 'of-the-dead'), { recursive: true });
      return { BREAK: 'the accounts, once visitors are let in' };
    },
  },
  {
    of: 'two things, of which the first is told',
    problem: /^COUNTRY_FILE can not be used/,
    prepare: async (folder) => ({ COUNTRY_FILE: join(folder, 'none'), BREAK: 'the closing, too' }),
  },
];

/** What starts print that fail one after the other, in a process that exits once nothing keeps its event loop alive. */
async function failedStarts(VISITORS: string, starts: readonly Settings[]): Promise<FailedStart[]> {
  const program = runScript('failing-start.ts', { VISITORS, STARTS: JSON.stringify(starts) });
  try {
    expect(await endOf(program)).toBe(0);
    return JSON.parse(program.output().out);
  } finally {
    program.kill('SIGKILL');
  }
}

describe.each(['in a thread', 'here'])('with visitors %s, a failing start', (visitors) => {
  const failed = new Map<string, FailedStart>();

  beforeAll(async () => {
    await using folder = await temporaryFolder();
    const starts = await Promise.all(
      failures.map(async ({ prepare }, index) => {
        const DATA_DIR = join(folder.path, String(index));
        await mkdir(DATA_DIR);
        await migratedSqlite(DATA_DIR);
        return { DATA_DIR, ...(await prepare(DATA_DIR)) };
      }),
    );
    const all = await failedStarts(visitors, starts);
    for (const [index, { of }] of failures.entries()) failed.set(of, all[index] as FailedStart);
  });

  test.each(failures)('because of $of leaves nothing open', ({ of, problem }) => {
    expect(failed.get(of)?.problem).toMatch(problem);
    expect(failed.get(of)?.held).toEqual([]);
  });

  if (visitors === 'in a thread')
    test('at its very end first answers requests that have arrived meanwhile', () => {
      expect(failed.get('a store that breaks once visitors are let in')?.isWaitedFor).toBe(true);
    });
});
