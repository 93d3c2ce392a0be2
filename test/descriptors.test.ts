import { afterEach, describe, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { openDescriptors } from '../src/visit/connection/descriptor-limit.ts';
import { accountWithLinks } from './support/account.ts';
import { hitCounter } from './support/counted-hits.ts';
import { eventually } from './support/eventually.ts';
import { storeFolder } from './support/migrated-store.ts';
import { problemsOf, runServerWithFileLimit, stop } from './support/program.ts';
import { visitRaw } from './support/raw-http.ts';

/** With more connections than it may have files open, the process keeps running and serves visitors from other addresses. */
const attackers = ['127.0.0.66', '127.0.0.67', '127.0.0.68'];
const incompleteCall = 'POST /api/v1/link HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n';
const floods: Record<string, string> = {
  'idle connections': '',
  'half-sent visits': 'GET /flooded HTTP/1.1\r\nHost: a\r\nX: ',
  'half-sent calls': incompleteCall,
  'calls without their body': `${incompleteCall}\r\n{`,
  'chunked calls without a chunk':
    'POST /api/v1/link HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n',
};

const sockets = new Set<Socket>();
let visiting: Timer | undefined;
afterEach(() => {
  clearInterval(visiting);
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});

/** Opens `count` connections that each send `bytes`; they stay open until the server closes them. */
async function flood(url: string, count: number, bytes: string): Promise<void> {
  const { hostname, port } = new URL(url);
  for (let opened = 0; opened < count; opened += 32)
    await Promise.all(
      Array.from({ length: 32 }, (_, index) => {
        const localAddress = attackers[index % attackers.length] ?? '';
        const { promise, resolve } = Promise.withResolvers<void>();
        const socket = connect({ host: hostname, port: Number(port), localAddress }, resolve);
        sockets.add(socket);
        socket.on('error', () => resolve());
        socket.on('close', () => {
          sockets.delete(socket);
          resolve();
        });
        socket.resume();
        if (bytes !== '') socket.write(bytes);
        return promise;
      }),
    );
}

describe.each([
  [256, Object.keys(floods)],
  [1024, ['idle connections', 'calls without their body']],
] as const)('with at most %d open files', (files, kinds) => {
  test('floods of more connections do not end the process, and visitors from other addresses are served', async () => {
    await using folder = await storeFolder();
    const program = runServerWithFileLimit(
      { soft: files, hard: files },
      { PORT: '0', DATA_DIR: folder.path },
    );
    try {
      const url = await program.address();
      const { key, ids } = await accountWithLinks(url, ['flooded']);
      const id = ids.get('flooded') ?? 0;
      let acknowledged = 0;
      const visit = async () => {
        const { status } = await visitRaw(url, { path: '/flooded' });
        expect(status).toBe(302);
        acknowledged += 1;
      };
      for (const name of kinds) {
        const flooding = flood(url, files * 1.5, floods[name] ?? '');
        for (let turn = 0; turn < 10; turn++) await visit();
        await flooding;
        for (let turn = 0; turn < 10; turn++) await visit();
        const headers = { 'api-key': key, connection: 'close' };
        const called = await visitRaw(url, { path: '/api/v1/link', headers });
        expect([name, called.status]).toEqual([name, 200]);
      }
      const counter = hitCounter(folder.path, '');
      await eventually(
        async () => (await counter.of(id)).ledger >= acknowledged,
        'every click to be counted',
      );
      expect((await counter.of(id)).ledger).toBe(acknowledged);
      await counter.close();
      expect(problemsOf(program)).toEqual([]);
      await stop(program);
    } finally {
      program.kill('SIGKILL');
    }
  }, 240_000);
});

test.skipIf(openDescriptors() === null)(
  'if other code opens all files, kept-alive connections are closed, so that other visitors are served',
  async () => {
    await using folder = await storeFolder();
    const limits = { soft: 256, hard: 256 };
    const program = runServerWithFileLimit(
      limits,
      { PORT: '0', DATA_DIR: folder.path },
      'open-all-descriptors.ts',
    );
    try {
      const url = await program.address();
      const { ids } = await accountWithLinks(url, ['flooded']);
      await flood(url, 96, '');
      // Keeps them from being closed as idle. With another host the app server would answer, whose connections need descriptors.
      const request = `GET /flooded HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`;
      visiting = setInterval(() => {
        for (const socket of sockets) socket.write(request);
      }, 1_000);
      // Once this is answered, the other connections are accepted, and the journal's file is open.
      expect((await visitRaw(url, { path: '/flooded' })).status).toBe(302);
      // The first click starts the fold's thread. The runtime ends the process if a thread can't open the files of its modules.
      const counter = hitCounter(folder.path, '');
      const isCounted = async () => (await counter.of(ids.get('flooded') ?? 0)).clicks > 0;
      await eventually(isCounted, 'the fold to have begun');
      await counter.close();
      program.kill('SIGUSR2');
      await eventually(() => program.output().out.includes('has opened'), 'all files to be opened');
      for (let turn = 0; turn < 10; turn++)
        expect((await visitRaw(url, { path: '/flooded' })).status).toBe(302);
    } finally {
      program.kill('SIGKILL');
      await program.exited;
    }
  },
);

test('the start raises the soft limit to the hard one, and logs the limit', async () => {
  await using folder = await storeFolder();
  const program = runServerWithFileLimit({ soft: 256, hard: 1024 }, { PORT: '0', DATA_DIR: folder.path });
  try {
    await program.address();
    const openFilesLine = () =>
      program
        .output()
        .err.split('\n')
        .find((line) => line.includes('"open files"'));
    await eventually(() => openFilesLine() !== undefined, 'the log line');
    expect(JSON.parse(openFilesLine() ?? '')).toMatchObject({
      limit: 1024,
      connections: 460,
      of_one_network: 115,
    });
  } finally {
    program.kill('SIGKILL');
    await program.exited;
  }
});

test('a MAX_CONNECTIONS beyond the limit is lowered, and logged', async () => {
  await using folder = await storeFolder();
  const settings = { PORT: '0', DATA_DIR: folder.path, MAX_CONNECTIONS: '5000' };
  const program = runServerWithFileLimit({ soft: 1024, hard: 1024 }, settings);
  try {
    await program.address();
    await eventually(() => problemsOf(program).length > 0, 'the log line');
    expect(JSON.parse(problemsOf(program)[0] ?? '')).toMatchObject({ event: 'too few open files' });
  } finally {
    program.kill('SIGKILL');
    await program.exited;
  }
});
