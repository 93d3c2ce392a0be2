import { afterAll, beforeAll, expect, test } from 'bun:test';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { loadConfig } from '../src/config/load.ts';
import { dayLength } from '../src/rules/durations.ts';
import type { TestAccount } from './support/app.ts';
import { selfSigned } from './support/certificate.ts';
import { eventually, pollUntil } from './support/eventually.ts';
import {
  isResumed,
  secureHost,
  secureSocket,
  sessionOf,
  startTlsApp,
  type TlsApp,
} from './support/tls-app.ts';

let tls: TlsApp;
let owner: TestAccount;
beforeAll(async () => {
  tls = await startTlsApp();
  owner = await tls.app.createAccount();
});
afterAll(() => tls[Symbol.asyncDispose]());

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
const host = { host: secureHost };

const createLink = () => tls.app.createLink(owner, { destination_url: 'https://shop.example.com/' });

const hitsOf = async (id: number) =>
  (await tls.app.call('GET', `/api/v1/link/${id}/clicks?class=all`, { key: owner.key })).json
    .clicks as Record<string, string>[];

const readData = (socket: TLSSocket): Promise<string> =>
  once(socket, 'data').then(([bytes]) => (bytes as Buffer).toString('latin1'));

const fingerprint = async (): Promise<string> => {
  const socket = await secureSocket(tls.app);
  const found = socket.getPeerCertificate().fingerprint256;
  socket.destroy();
  return found;
};

test('a visit over TLS is redirected on the fast path and counted, and its connection is kept', async () => {
  const { id, path, url } = await createLink();
  expect(url).toStartWith(`https://${secureHost}/`);
  const socket = await secureSocket(tls.app);
  for (let visit = 1; visit <= 3; visit++) {
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${secureHost}\r\nUser-Agent: ${chrome}\r\nSec-Fetch-Mode: navigate\r\n\r\n`,
    );
    const response = await readData(socket);
    expect(response).toStartWith('HTTP/1.1 302 Found\r\nLocation: https://shop.example.com/\r\n');
    expect(response).not.toContain('Strict-Transport-Security');
  }
  socket.end();
  await eventually(async () => (await hitsOf(id)).length === 3, 'the clicks');
});

test('headers of a browser are classified as on https, regardless of X-Forwarded-Proto', async () => {
  const { id, path } = await createLink();
  await tls.app.visit(path, { ...host, 'user-agent': chrome, 'x-forwarded-proto': 'http' });
  const [hit] = await pollUntil(
    () => hitsOf(id),
    (hits) => hits.length === 1,
    'the click',
  );
  expect(hit).toMatchObject({ class: 'bot', reason: 'no_browser_headers' });
});

test('requests without TLS are redirected to https on the same host, except for health checks', async () => {
  const { id, path } = await createLink();
  for (const [target, method] of [
    [`${path}?a=b`, 'GET'],
    [path, 'HEAD'],
    [path, 'POST'],
    ['/', 'GET'],
    ['/app/links', 'GET'],
    ['/api/v1/link', 'POST'],
  ] as const) {
    for (const headers of [{}, { 'x-forwarded-proto': 'https' }]) {
      const response = await tls.plain(target, { method, headers });
      expect([response.status, response.headers.get('location')]).toEqual([
        308,
        `https://${secureHost}${target}`,
      ]);
      expect(response.headers.get('cache-control')).toBe('max-age=3600');
    }
  }
  expect((await tls.plain('/healthz')).status).toBe(200);
  expect((await tls.plain('/readyz')).status).toBe(200);
  const elsewhere = { headers: { host: 'elsewhere.example.net' } };
  expect((await tls.plain(path, elsewhere)).status).toBe(404);
  expect((await tls.plain('/app', elsewhere)).headers.get('location')).toBe(`https://${secureHost}/app`);
  expect(await hitsOf(id)).toEqual([]);
});

test('with HTTP_LINKS=answer links are redirected without TLS too, but the dashboard is not served', async () => {
  await using linksOverHttp = await startTlsApp({ HTTP_LINKS: 'answer' });
  const { key } = await linksOverHttp.app.createAccount();
  const body = { destination_url: 'https://shop.example.com/', suffix: 'sale' };
  await linksOverHttp.app.call('POST', '/api/v1/link?disable_png=true', { key, body });
  const response = await linksOverHttp.plain('/sale', { headers: { 'user-agent': chrome } });
  expect([response.status, response.headers.get('location')]).toEqual([302, 'https://shop.example.com/']);
  expect((await linksOverHttp.plain('/nothing')).status).toBe(404);
  // A page over http can't load a module script that is redirected to https.
  expect((await linksOverHttp.plain('/_linnet/captcha.js')).status).toBe(200);
  for (const path of ['/', '/app', '/api/v1/link'])
    expect((await linksOverHttp.plain(path)).headers.get('location')).toBe(`https://${secureHost}${path}`);
});

test('cookies are for https only, and after a day of https responses have Strict-Transport-Security', async () => {
  const { email, password } = await tls.app.createAccount();
  const signIn = () =>
    tls.app.call('POST', '/api/v1/session', {
      body: { email, password },
      headers: { ...host, origin: `https://${secureHost}` },
    });
  const first = await signIn();
  expect(first.headers.get('set-cookie')).toMatch(/^__Host-linnet=.*; Secure/);
  const hstsHeader = async (headers: Record<string, string>) =>
    (await tls.app.call('GET', '/app', { headers })).headers.get('strict-transport-security');
  expect(await hstsHeader(host)).toBeNull();
  tls.app.clock.now += dayLength + 1;
  expect(await hstsHeader(host)).toBe('max-age=31536000');
  expect(await hstsHeader({ host: 'go.example.org' })).toBeNull();
  expect((await tls.plain('/healthz')).headers.get('strict-transport-security')).toBeNull();
});

test('with HSTS=all every response over TLS has the header, with HSTS=off none', async () => {
  await using hstsAll = await startTlsApp({ HSTS: 'all' });
  for (const path of ['/app', '/none'])
    expect((await hstsAll.app.visit(path, host)).headers.get('strict-transport-security')).toBe(
      'max-age=31536000',
    );
  expect((await hstsAll.plain('/healthz')).headers.get('strict-transport-security')).toBeNull();
  await using hstsOff = await startTlsApp({ HSTS: 'off' });
  hstsOff.app.clock.now += 1e9;
  expect((await hstsOff.app.visit('/app', host)).headers.get('strict-transport-security')).toBeNull();
});

test('a new certificate is used from the next handshake on, while open connections continue', async () => {
  const { path } = await createLink();
  const before = await fingerprint();
  const openConnection = await secureSocket(tls.app);
  tls.renew();
  await eventually(async () => (await fingerprint()) !== before, 'the new certificate');
  const unnamed = await secureSocket(tls.app, { servername: '' });
  expect(unnamed.getPeerCertificate().fingerprint256).not.toBe(before);
  unnamed.destroy();
  openConnection.write(`GET ${path} HTTP/1.1\r\nHost: ${secureHost}\r\n\r\n`);
  expect(await readData(openConnection)).toStartWith('HTTP/1.1 302 ');
  openConnection.destroy();
});

test('a change to an unusable certificate is logged once, and the previous one stays in use', async () => {
  const before = await fingerprint();
  const problems = () => tls.lines().filter(({ event }) => event === 'certificate not changed');
  writeFileSync(tls.files.key, selfSigned(secureHost).key);
  await eventually(() => problems().length === 1, 'the log line');
  expect(problems()[0]).toMatchObject({
    level: 'warn',
    problem: expect.stringContaining('is for another key'),
  });
  expect(await fingerprint()).toBe(before);
  tls.renew('other.example.com');
  await eventually(async () => (await fingerprint()) !== before, 'the valid certificate');
  await eventually(
    () => tls.lines().some(({ event }) => event === 'certificate for other names'),
    'the log line about its names',
  );
  const other = await fingerprint();
  tls.renew();
  await eventually(async () => (await fingerprint()) !== other, 'its own name again');
});

test('old versions of TLS are refused, and HTTP/1.1 is used', async () => {
  await expect(secureSocket(tls.app, { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' })).rejects.toThrow();
  const socket = await secureSocket(tls.app, { maxVersion: 'TLSv1.2', ALPNProtocols: ['h2', 'http/1.1'] });
  expect([socket.getProtocol(), socket.alpnProtocol]).toEqual(['TLSv1.2', 'http/1.1']);
  socket.destroy();
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)('a session of %s is resumed', async (version) => {
  const options = { minVersion: version, maxVersion: version };
  expect(await isResumed(tls.app, await sessionOf(tls.app, options), options)).toBe(true);
});

test("data that isn't TLS ends its connection, without affecting others or logging anything", async () => {
  const { path } = await createLink();
  const ends = [
    'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
    '\x16\x03\x01\x00\x20\x02 a hello of the wrong side'.padEnd(600, 'x'),
    '\x00'.repeat(400),
  ].map(
    (bytes) =>
      new Promise<void>((resolve) => {
        const socket = connect({ host: '127.0.0.1', port: tls.app.app.port });
        socket.on('error', () => {});
        socket.resume();
        socket.on('close', () => resolve());
        socket.write(Buffer.from(bytes, 'latin1'));
      }),
  );
  await Promise.all(ends);
  expect((await tls.app.visit(path, host)).status).toBe(302);
  expect(tls.lines().filter(({ level }) => level === 'error')).toEqual([]);
});

test('contradictory settings stop the start with a message about what to do', () => {
  const files = { HTTPS: 'files', TLS_CERT: 'a', TLS_KEY: 'b', BASE_URL: 'https://links.example.com' };
  expect(loadConfig(files)).toMatchObject({ port: 443, httpPort: 80, host: '::' });
  expect(loadConfig({ HTTPS: 'auto', BASE_URL: files.BASE_URL })).toMatchObject({ port: 443, httpPort: 80 });
  expect(() => loadConfig({ ...files, TLS_KEY: '' })).toThrow('set TLS_CERT and TLS_KEY');
  expect(() => loadConfig({ ...files, BASE_URL: 'http://links.example.com' })).toThrow('set BASE_URL');
  expect(() => loadConfig({ ...files, BASE_URL: '' })).toThrow('set BASE_URL');
  expect(() => loadConfig({ ...files, PORT: '80' })).toThrow(
    'HTTP_PORT is "80": give another port than PORT',
  );
  expect(loadConfig({ ...files, HTTP_PORT: 'off' }).httpPort).toBeNull();
  expect(loadConfig({})).toMatchObject({ port: 3000, host: '127.0.0.1', https: 'off' });
});
