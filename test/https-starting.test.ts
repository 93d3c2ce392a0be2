import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { selfSigned } from './support/certificate.ts';
import { eventually, pollUntil } from './support/eventually.ts';
import { freePorts } from './support/free-ports.ts';
import { migratedSqlite } from './support/migrated-store.ts';
import { runServer, stop, temporaryFolder } from './support/program.ts';

const host = 'links.example.com';
const sockets = new Set<Socket>();
let unresponsiveServer: Server;
let unresponsiveUrl: string;

/** A database that accepts connections and never answers, so that starting workers wait for it. */
beforeAll(async () => {
  unresponsiveServer = createServer((socket) => void sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => unresponsiveServer.listen(0, '127.0.0.1', resolve));
  const address = unresponsiveServer.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  unresponsiveUrl = `postgres://nobody@127.0.0.1:${port}/none?connect_timeout=120`;
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  unresponsiveServer.close();
});

async function startWorkers(env: Record<string, string>) {
  const folder = await temporaryFolder();
  const [https = 0, http = 0] = freePorts(2);
  const DATA_DIR = join(folder.path, 'data');
  mkdirSync(DATA_DIR);
  await migratedSqlite(DATA_DIR);
  const tls = selfSigned(host);
  const files = { TLS_CERT: join(folder.path, 'tls.crt'), TLS_KEY: join(folder.path, 'tls.key') };
  writeFileSync(files.TLS_CERT, tls.certificate);
  writeFileSync(files.TLS_KEY, tls.key);
  const program = runServer({
    ...{ WORKERS: '2', HOST: '127.0.0.1', PORT: String(https), HTTP_PORT: String(http) },
    ...{ DATA_DIR, BASE_URL: `https://${host}` },
    ...(env.HTTPS === 'files' ? files : {}),
    ...env,
  });
  const requestStatus = (url: string) =>
    fetch(url, { headers: { host }, redirect: 'manual', tls: { rejectUnauthorized: false } }).then(
      ({ status, headers }) => `${status} ${headers.get('retry-after') ?? ''}`.trim(),
      () => 'refused',
    );
  return {
    program,
    secure: (path: string) => requestStatus(`https://127.0.0.1:${https}${path}`),
    plain: (path: string) => requestStatus(`http://127.0.0.1:${http}${path}`),
    async [Symbol.asyncDispose]() {
      program.kill('SIGKILL');
      await program.exited;
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('HTTPS=files with workers: all clients get 503 from the first moment until the workers have started', async () => {
  await using server = await startWorkers({ HTTPS: 'files', DATABASE_URL: unresponsiveUrl });
  await eventually(async () => (await server.secure('/readyz')) !== 'refused', 'an answer');
  for (const path of ['/readyz', '/api/v1/link', '/some-link']) {
    expect([path, await server.secure(path)]).toEqual([path, '503 1']);
    expect([path, await server.plain(path)]).toEqual([path, '503 1']);
  }
});

test('HTTPS=auto with workers: only clients without TLS get 503, because the certificates are in the store', async () => {
  const unreachableAuthority = { ACME_URL: 'https://127.0.0.1:1/dir' };
  await using server = await startWorkers({
    HTTPS: 'auto',
    DATABASE_URL: unresponsiveUrl,
    ...unreachableAuthority,
  });
  await eventually(async () => (await server.plain('/healthz')) !== 'refused', 'an answer');
  expect(await server.plain('/healthz')).toBe('503 1');
  expect(await server.plain('/some-link')).toBe('503 1');
  expect(await server.secure('/some-link')).toBe('refused');
});

test('once the first worker is up, no client gets 503, and no connection is refused', async () => {
  await using server = await startWorkers({ HTTPS: 'files' });
  await eventually(async () => (await server.secure('/readyz')) !== 'refused', 'an answer');
  const seen = new Set<string>();
  await pollUntil(
    async () => {
      const response = await server.secure('/readyz');
      seen.add(response);
      return response;
    },
    (response) => response === '200',
    'the first worker',
  );
  await server.program.address();
  for (let time = 0; time < 20; time++) seen.add(await server.secure('/readyz'));
  for (let time = 0; time < 20; time++) seen.add(await server.plain('/healthz'));
  expect([...seen].filter((response) => response !== '503 1')).toEqual(['200']);
  await stop(server.program);
});

test('unusable files stop the start with one line', async () => {
  await using server = await startWorkers({ HTTPS: 'files', TLS_KEY: '/nowhere.key' });
  expect(await server.program.exited).toBe(1);
  expect(server.program.output().err.match(/\/nowhere\.key/g)).toHaveLength(1);
});
