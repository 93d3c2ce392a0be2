import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { SQL } from 'bun';
import { earlierPostgres, earlierStore } from './support/earlier-store.ts';
import { eventually } from './support/eventually.ts';
import { type Program, problemsOf, runServer, temporaryFolder } from './support/program.ts';

/** A port that was free a moment ago: the server prints its port only once it is ready, and these tests connect before that. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });

/** With several workers the port is bound briefly, as a test, before anything is started. */
const isBeforeStart = (response: string): boolean => /^ECONN(REFUSED|RESET)$/.test(response);

let requesting: { readonly stop: () => Promise<readonly string[]> } | undefined;
afterEach(async () => void (await requesting?.stop()));

/** Sends one request after another, and records each kind of answer that differs from the one before. */
function requestRepeatedly(url: string, path: string) {
  const seen: string[] = [];
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      const response = await responseOf(url + path);
      if (seen.at(-1) !== response) seen.push(response);
      // Leaves CPU for the start.
      await Bun.sleep(5);
    }
    return seen;
  })();
  const stop = () => {
    isStopped = true;
    return running;
  };
  return { seen, stop };
}

async function responseOf(address: string): Promise<string> {
  try {
    const { status, headers } = await fetch(address, { redirect: 'manual' });
    const type = headers.get('content-type')?.split(';')[0];
    return status === 503 ? `503 ${type} ${headers.get('retry-after')}` : String(status);
  } catch (cause) {
    return (cause as { code?: string }).code ?? String(cause);
  }
}

/** Keeps a migration from starting until released. */
const migrationBlockers = {
  async sqlite(folder: string) {
    await earlierStore(folder);
    const database = new Database(join(folder, 'linnet.sqlite'));
    database.run('pragma journal_mode = wal');
    database.run('begin immediate');
    return {
      settings: {},
      async release() {
        database.run('rollback');
        database.close();
      },
    };
  },
  async postgres() {
    const url = await earlierPostgres();
    const sql = new SQL({ url, max: 1 });
    const session = await sql.reserve();
    await session.unsafe('begin');
    await session.unsafe('lock table migrations in share row exclusive mode');
    return {
      settings: { DATABASE_URL: url },
      async release() {
        await session.unsafe('rollback');
        session.release();
        await sql.end();
      },
    };
  },
};

describe('while a store is migrated', () => {
  // With workers, a process that doesn't open the store answers.
  test.each([
    ['sqlite', '1'],
    ['sqlite', '2'],
    ['postgres', '1'],
  ] as const)(
    "on %s, from the start, API clients get the API's error and visitors a page, until the service itself responds (WORKERS=%s)",
    async (kind, WORKERS) => {
      await using folder = await temporaryFolder();
      const blocked = await migrationBlockers[kind](folder.path);
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const calls = requestRepeatedly(url, '/api/v1/setup');
      const visits = requestRepeatedly(url, '/rows');
      requesting = { stop: async () => (await Promise.all([calls.stop(), visits.stop()])).flat() };
      const server: Program = runServer({
        ...blocked.settings,
        PORT: String(port),
        DATA_DIR: folder.path,
        WORKERS,
        BACKUP_BEFORE_UPGRADE: 'off',
        CLICK_RETENTION_DAYS: '3650',
        // On a slow machine this requests a missing link very often.
        MISS_LIMIT: '0',
      });
      const hasBegun = ({ seen }: { seen: string[] }) => seen.some((response) => !isBeforeStart(response));
      await eventually(() => hasBegun(calls) && hasBegun(visits), 'the server to listen');
      expect(
        [calls.seen, visits.seen].map((seen) => seen.filter((response) => !isBeforeStart(response))),
      ).toEqual([['503 application/json 1'], ['503 text/html 1']]);
      for (const { seen } of [calls, visits]) seen.splice(0, seen.length - 1);
      const body = await (await fetch(`${url}/api/v1/link`, { method: 'POST', body: '{}' })).json();
      expect(body).toMatchObject({ status_code: 503, error_code: 'STARTING' });
      await blocked.release();
      await server.address();
      const ownStatus = kind === 'sqlite' ? '302' : '404';
      await eventually(
        () => visits.seen.at(-1) === ownStatus && calls.seen.at(-1) === '200',
        'the answers of the service itself',
      );
      expect(
        calls.seen.filter((response) => !/^(ECONNREFUSED|503 application\/json 1|200)$/.test(response)),
      ).toEqual([]);
      expect(
        visits.seen.filter((response) => !['ECONNREFUSED', '503 text/html 1', ownStatus].includes(response)),
      ).toEqual([]);
      await requesting.stop();
      expect(await responseOf(`${url}/rows`)).toBe(ownStatus);
      server.kill('SIGTERM');
      expect(await server.exited).toBe(0);
      expect(problemsOf(server)).toEqual([]);
    },
    240_000,
  );
});
