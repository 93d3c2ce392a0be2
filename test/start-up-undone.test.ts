import { describe, expect, test } from 'bun:test';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freshPostgres } from './support/postgres.ts';
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
      DATABASE_URL: await freshPostgres(),
    }),
  },
  {
    of: 'a store that breaks once visitors are let in',
    problem: /^no such table: users/,
    prepare: async () => ({ BREAK: 'the accounts, once visitors are let in' }),
  },
  {
    of: 'two things, of which the first is told',
    problem: /^COUNTRY_FILE can not be used/,
    prepare: async (folder) => ({ COUNTRY_FILE: join(folder, 'none'), BREAK: 'the closing, too' }),
  },
];

interface LastWords {
  readonly problem: string;
  readonly isWaitedFor: boolean;
  readonly held: readonly string[];
}

/** What a program says whose start fails, once nothing keeps it awake any more. */
async function lastWords(settings: Settings): Promise<LastWords> {
  const program = runScript('failing-start.ts', settings);
  try {
    expect(await endOf(program)).toBe(0);
    return JSON.parse(program.output().out);
  } finally {
    program.kill('SIGKILL');
  }
}

describe.each(['in a thread', 'here'])(
  'with visitors %s, a start that fails leaves nothing open',
  (VISITORS) => {
    test.each(failures)('because of $of', async ({ problem, prepare }) => {
      await using folder = await temporaryFolder();
      const settings = { DATA_DIR: folder.path, VISITORS, ...(await prepare(folder.path)) };
      const said = await lastWords(settings);
      expect(said.problem).toMatch(problem);
      expect(said.held).toEqual([]);
    });
  },
);

describe('a start that fails at its very end, on sqlite,', () => {
  const brokenLate = { BREAK: 'the accounts, once visitors are let in', VISITORS: 'in a thread' };

  test('lets those be answered first who have come meanwhile', async () => {
    await using folder = await temporaryFolder();
    const { isWaitedFor } = await lastWords({ ...brokenLate, DATA_DIR: folder.path });
    expect(isWaitedFor).toBe(true);
  });

  test('ends the fold that has begun with what an earlier process left', async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, 'journal', 'node', 'of-the-dead'), { recursive: true });
    const { problem, held } = await lastWords({ ...brokenLate, DATA_DIR: folder.path });
    expect([problem, held]).toEqual(['no such table: users', []]);
  });
});
