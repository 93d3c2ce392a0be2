import { expect, test } from 'bun:test';
import { journalsIn } from '../src/journal/files.ts';
import { createFirstLink, firstAccount, postTo } from './support/account.ts';
import { firefoxOf } from './support/agents-of-people.ts';
import { storeKinds } from './support/app.ts';
import { hitCounter } from './support/counted-hits.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres, storeFolder } from './support/migrated-store.ts';
import { type Program, runServer, runServerWithFileLimit } from './support/program.ts';

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

async function takeDescriptors(program: Program): Promise<void> {
  program.kill('SIGUSR2');
  await eventually(() => hasLogged(program, 'descriptors taken'), 'the descriptors to be taken', timeout);
}

type Ending = (program: Program, isFolding: boolean, isCounted: () => Promise<boolean>) => Promise<void>;

const endings: Record<string, Ending> = {
  continues: async (program, isFolding, isCounted) => {
    // Once the fold has begun, it has all the descriptors that it needs.
    if (isFolding) await eventually(isCounted, 'all visits to be counted without a descriptor', timeout);
    else
      await eventually(
        () => hasLogged(program, 'clicks wait in the journal'),
        'the log line about waiting clicks',
        timeout,
      );
    program.kill('SIGUSR2');
  },
  'is killed': async (program) => {
    program.kill('SIGKILL');
    await program.exited;
  },
  'gets SIGTERM': async (program) => {
    program.kill('SIGTERM');
    expect(await program.exited).toBe(0);
  },
};

test.each(
  Object.keys(endings).flatMap((ending) => [false, true].map((isFolding) => [ending, isFolding] as const)),
)(
  'without free file descriptors, each answered click is counted once: the program %s (its fold has begun: %p)',
  async (ending, isFolding) => {
    await using data = await storeFolder();
    const settings = { PORT: '0', DATA_DIR: data.path, MISS_LIMIT: '0' };
    const program = runServerWithFileLimit({ soft: 512, hard: 512 }, settings, 'out-of-descriptors.ts');
    let restarted: Program | null = null;
    try {
      const url = await program.address();
      const { id, suffix } = await createFirstLink(url);
      const connection = await connectionTo(url);
      let version = 0;
      const counter = hitCounter(data.path, '');
      if (isFolding) {
        for (; version < 5; version++) await connection.visit(suffix, version);
        await eventually(
          async () => (await counter.of(id)).ledger === 5,
          'the first visits to be folded',
          timeout,
        );
      }
      await takeDescriptors(program);
      for (; version < visits; version++) await connection.visit(suffix, version);
      const isCounted = async () => (await counter.of(id)).ledger >= visits;
      await endings[ending]?.(program, isFolding, isCounted);
      connection.close();
      if (ending !== 'continues') {
        restarted = runServer(settings);
        await restarted.address();
      }
      await eventually(isCounted, 'all visits to be counted', timeout);
      expect(await counter.of(id)).toMatchObject({
        ledger: visits,
        distinctVisitors: visits,
        linkTotal: visits,
      });
      await counter.close();
      expect(program.output().err).not.toContain('fold failed');
      if (restarted === null) {
        program.kill('SIGTERM');
        expect(await program.exited).toBe(0);
      } else {
        await eventually(() => journalsIn(data.path).length === 0, 'the journal to be folded', timeout);
      }
    } catch (cause) {
      process.stderr.write(program.output().err);
      throw cause;
    } finally {
      for (const server of [program, restarted]) server?.kill('SIGKILL');
    }
  },
  240_000,
);

test('calls for which there is no free descriptor are refused without a fault', async () => {
  await using data = await storeFolder();
  const settings = { PORT: '0', DATA_DIR: data.path };
  const program = runServerWithFileLimit({ soft: 256, hard: 256 }, settings, 'out-of-descriptors.ts');
  try {
    const url = await program.address();
    const { suffix } = await createFirstLink(url);
    const connections = await Promise.all(Array.from({ length: 20 }, () => connectionTo(url)));
    for (const [version, connection] of connections.entries()) await connection.visit(suffix, version);
    await takeDescriptors(program);
    const calls = connections.map((connection) => connection.call('/api/v1/link'));
    await Promise.race(calls);
    // Some calls got the last descriptor: the app server can accept them only now.
    program.kill('SIGUSR2');
    await Promise.all(calls);
    expect(hasLogged(program, 'request failed')).toBe(false);
    for (const connection of connections) connection.close();
  } finally {
    program.kill('SIGKILL');
    await program.exited;
  }
}, 240_000);

test.each(storeKinds)(
  'statistics on %s for which a thread needs descriptors that are not there are 503, and the process runs on',
  async (kind) => {
    await using data = await storeFolder();
    const database = kind === 'postgres' ? { DATABASE_URL: await migratedPostgres() } : {};
    const settings = { PORT: '0', DATA_DIR: data.path, ...database };
    const program = runServerWithFileLimit({ soft: 256, hard: 256 }, settings, 'out-of-descriptors.ts');
    try {
      const url = await program.address();
      const { authorization } = await firstAccount(url);
      const link = { destination_url: 'https://example.com' };
      const { id } = await postTo(url, { headers: { authorization } })<{ id: number }>('/api/v1/link', link);
      const connection = await connectionTo(url);
      const groups = `/api/v1/link/${id}/stats?group_by=browser`;
      // Opens the connection to the app server.
      expect(await connection.call('/api/v1/user', authorization)).toStartWith('HTTP/1.1 200 ');
      await takeDescriptors(program);
      expect(await connection.call(groups, authorization)).toStartWith('HTTP/1.1 503 ');
      program.kill('SIGUSR2');
      await eventually(() => hasLogged(program, 'descriptors given back'), 'the descriptors', timeout);
      expect(await connection.call(groups, authorization)).toStartWith('HTTP/1.1 200 ');
      expect(hasLogged(program, 'request failed')).toBe(false);
      connection.close();
    } finally {
      program.kill('SIGKILL');
      await program.exited;
    }
  },
  240_000,
);
