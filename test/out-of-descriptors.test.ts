import { expect, test } from 'bun:test';
import { journalsIn } from '../src/journal/files.ts';
import { createFirstLink, firstAccount, postTo } from './support/account.ts';
import { firefoxOf } from './support/agents-of-people.ts';
import { startApp, storeKinds, type TestApp } from './support/app.ts';
import { hitCounter } from './support/counted-hits.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres, storeFolder } from './support/migrated-store.ts';
import { type Program, runServerWithFileLimit, stop } from './support/program.ts';

const visits = 39;

const timeout = 60_000;

/** A connection that was opened before descriptors run out. */
async function connectionTo(url: string) {
  const { hostname, port } = new URL(url);
  let received = '';
  let isClosed = false;
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_socket, bytes) => {
        received += bytes.toString('latin1');
      },
      close: () => {
        isClosed = true;
      },
    },
  });
  return {
    async visit(suffix: string, version: number): Promise<void> {
      received = '';
      const agent = firefoxOf(version);
      socket.write(`GET /${suffix} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nuser-agent: ${agent}\r\n\r\n`);
      await eventually(() => received.includes('\r\n\r\n'), `an answer to visit ${version}`, timeout);
      expect(received).toStartWith('HTTP/1.1 302 ');
    },
    /** Waits for any answer, or for the end of the connection. */
    async call(path: string, authorization = ''): Promise<string> {
      received = '';
      const header = authorization === '' ? '' : `authorization: ${authorization}\r\n`;
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${header}\r\n`);
      await eventually(() => isClosed || received.includes('\r\n\r\n'), `an answer to ${path}`, timeout);
      return received;
    },
    close: () => socket.end(),
  };
}

const hasLogged = (program: Program, text: string): boolean => program.output().err.includes(text);

const takings = (program: Program): number => program.output().err.split('descriptors taken').length;

async function takeDescriptors(program: Program): Promise<void> {
  const before = takings(program);
  program.kill('SIGUSR2');
  await eventually(() => takings(program) > before, 'the descriptors to be taken', timeout);
}

const giveBackDescriptors = (program: Program): void => program.kill('SIGUSR2');

/** Calls `work` with a program whose descriptors can be taken, and with visits of its link that are counted. */
async function withProgram(
  dataDir: string,
  settings: Record<string, string>,
  work: (
    program: Program,
    visitUpTo: (visit: number) => Promise<void>,
    areCounted: () => Promise<boolean>,
  ) => Promise<void>,
): Promise<void> {
  const program = runServerWithFileLimit({ soft: 512, hard: 512 }, settings, 'out-of-descriptors.ts');
  try {
    const url = await program.address();
    const { id, suffix } = await createFirstLink(url);
    const connection = await connectionTo(url);
    const counter = hitCounter(dataDir, '');
    let version = 0;
    await work(
      program,
      async (visit) => {
        for (; version < visit; version++) await connection.visit(suffix, version);
      },
      async () => (await counter.of(id)).ledger >= version,
    );
    connection.close();
    expect(await counter.of(id)).toMatchObject({
      ledger: visits,
      distinctVisitors: visits,
      linkTotal: visits,
    });
    await counter.close();
    expect(program.output().err).not.toContain('fold failed');
  } catch (cause) {
    process.stderr.write(program.output().err);
    throw cause;
  } finally {
    program.kill('SIGKILL');
  }
}

const endings: Record<string, (program: Program) => Promise<void>> = {
  'is killed': async (program) => {
    program.kill('SIGKILL');
    await program.exited;
  },
  'gets SIGTERM': stop,
};

test.each(
  Object.keys(endings).flatMap((ending) => [false, true].map((isFolding) => [ending, isFolding] as const)),
)(
  'without free file descriptors, each answered click is counted once: the program %s (its fold has begun: %p)',
  async (ending, isFolding) => {
    await using data = await storeFolder();
    const settings = { PORT: '0', DATA_DIR: data.path, MISS_LIMIT: '0' };
    let restarted: TestApp | null = null;
    try {
      await withProgram(data.path, settings, async (program, visitUpTo, areCounted) => {
        if (isFolding) {
          await visitUpTo(5);
          await eventually(areCounted, 'the first visits to be folded', timeout);
        }
        await takeDescriptors(program);
        await visitUpTo(visits);
        await endings[ending]?.(program);
        restarted = await startApp({ env: settings });
        await eventually(areCounted, 'all visits to be counted', timeout);
      });
      await eventually(() => journalsIn(data.path).length === 0, 'the journal to be folded', timeout);
    } finally {
      await (restarted as TestApp | null)?.stop();
    }
  },
  240_000,
);

test('without free file descriptors, clicks wait for the fold to begin, and are counted once it has', async () => {
  await using data = await storeFolder();
  const settings = { PORT: '0', DATA_DIR: data.path, MISS_LIMIT: '0' };
  await withProgram(data.path, settings, async (program, visitUpTo, areCounted) => {
    await takeDescriptors(program);
    await visitUpTo(20);
    await eventually(
      () => hasLogged(program, 'clicks wait in the journal'),
      'the log line about waiting clicks',
      timeout,
    );
    giveBackDescriptors(program);
    await eventually(areCounted, 'the visits that waited to be counted', timeout);
    // The fold now has all the descriptors that it needs.
    await takeDescriptors(program);
    await visitUpTo(visits);
    await eventually(areCounted, 'all visits to be counted without a descriptor', timeout);
    giveBackDescriptors(program);
    await stop(program);
  });
}, 240_000);

test.each(storeKinds)(
  'statistics on %s for which a thread needs descriptors that are not there are 503, other calls are refused without a fault, and the process runs on',
  async (kind) => {
    await using data = await storeFolder();
    const database = kind === 'postgres' ? { DATABASE_URL: await migratedPostgres() } : {};
    const settings = { PORT: '0', DATA_DIR: data.path, ...database };
    const program = runServerWithFileLimit({ soft: 256, hard: 256 }, settings, 'out-of-descriptors.ts');
    try {
      const url = await program.address();
      const { authorization } = await firstAccount(url);
      const link = { destination_url: 'https://example.com' };
      const { id, suffix } = await postTo(url, { headers: { authorization } })<{
        id: number;
        suffix: string;
      }>('/api/v1/link', link);
      const others = await Promise.all(Array.from({ length: 20 }, () => connectionTo(url)));
      for (const [version, other] of others.entries()) await other.visit(suffix, version);
      const connection = await connectionTo(url);
      const groups = `/api/v1/link/${id}/stats?group_by=browser`;
      // Opens the connection to the app server.
      expect(await connection.call('/api/v1/user', authorization)).toStartWith('HTTP/1.1 200 ');
      await takeDescriptors(program);
      expect(await connection.call(groups, authorization)).toStartWith('HTTP/1.1 503 ');
      const calls = others.map((other) => other.call('/api/v1/link'));
      await Promise.race(calls);
      // Some calls got the last descriptor: the app server can accept them only now.
      giveBackDescriptors(program);
      await Promise.all(calls);
      await eventually(() => hasLogged(program, 'descriptors given back'), 'the descriptors', timeout);
      expect(await connection.call(groups, authorization)).toStartWith('HTTP/1.1 200 ');
      expect(hasLogged(program, 'request failed')).toBe(false);
      for (const opened of [connection, ...others]) opened.close();
    } finally {
      program.kill('SIGKILL');
      await program.exited;
    }
  },
  240_000,
);
