import { beforeAll, expect, test } from 'bun:test';
import { AppServer } from '../src/http/app-server.ts';
import { Log } from '../src/telemetry/log.ts';
import { appForSuite } from './support/app-suite.ts';
import { pollUntil } from './support/eventually.ts';
import { exchange } from './support/raw-http.ts';

const lines: string[] = [];
const log = new Log('error', (text) => void lines.push(...text.trimEnd().split('\n')));
const app = appForSuite({ env: { ACCESS_LOG: 'on', TRUSTED_PROXIES: '1' }, overrides: { log } });
let key: string;
let suffix: string;
beforeAll(async () => {
  key = (await app.createAccount()).key;
  const body = { destination_url: 'https://shop.example.com/' };
  suffix = (await app.call('POST', '/api/v1/link', { key, body })).json.suffix;
});

const idOf = ({ headers }: { headers: Headers }) => headers.get('x-request-id') ?? '';
const lineOf = async (id: string) => {
  const found = () => lines.map((line) => JSON.parse(line)).find(({ request }) => request === id);
  return pollUntil(
    async () => found(),
    (line) => line !== undefined,
    'the log line',
  );
};

test('every response has an id, and no two have the same', async () => {
  const responses = [
    await app.visit(`/${suffix}`),
    await app.visit(`/${suffix}`),
    await app.visit('/no-such-link'),
    await app.call('GET', '/api/v1/link', { key }),
    await app.call('GET', '/api/v1/link/1'),
    await app.call('GET', '/api/v1/nothing'),
    await app.call('GET', '/app'),
    await app.call('GET', '/healthz'),
    await app.call('HEAD', `/${suffix}`),
    await app.call('POST', `/${suffix}`),
    await app.call('GET', '/'),
  ];
  const ids = responses.map(idOf);
  expect(ids.filter((id) => !/^[\w-]{12}$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});

test('responses to malformed requests and to pipelined ones have an id each, too', async () => {
  const host = new URL(app.url).host;
  const visit = `GET /${suffix} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  const responses = [
    ...(await exchange(app.url, visit.repeat(6), { responses: 6 })),
    ...(await exchange(app.url, 'GARBLED\r\n\r\n', { responses: 1 })),
    ...(await exchange(app.url, `TRACE / HTTP/1.1\r\nHost: ${host}\r\n\r\n`, { responses: 1 })),
  ];
  const ids = responses.map(({ headers }) => headers['x-request-id'] ?? '');
  expect(ids).toHaveLength(8);
  expect(ids.filter((id) => !/^[\w-]{12}$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});

test('the access log has a line for each response with its id, whatever LOG_LEVEL is, and nothing about the client', async () => {
  const identifying = {
    'user-agent': 'Telltale/1.0',
    'x-forwarded-for': '203.0.113.77',
    referer: 'https://from.example.org/secret',
    'x-request-id': 'as-the-client-says',
  };
  const responses = [
    await app.visit(`/${suffix}?email=me@example.com`, identifying),
    await app.call('GET', '/api/v1/link?q=private+words', { key, headers: identifying }),
    await app.call('GET', '/invitation/a-token-that-opens', { headers: identifying }),
    await app.call('GET', '/app/reset/another-token', { headers: identifying }),
  ];
  const logged = await Promise.all(responses.map((response) => lineOf(idOf(response))));
  const { host } = new URL(app.url);
  const common = {
    at: expect.any(String),
    level: 'info',
    event: 'request',
    milliseconds: expect.any(Number),
  };
  const line = (status: number, path: string) => ({
    ...common,
    request: expect.any(String),
    method: 'GET',
    host,
    path,
    status,
  });
  expect(logged).toEqual([
    line(302, `/${suffix}`),
    line(200, '/api/v1/link'),
    line(responses[2]?.status ?? 0, '/invitation/…'),
    line(responses[3]?.status ?? 0, '/app/reset/…'),
  ]);
  const text = lines.join('\n');
  for (const secret of [
    'Telltale',
    '203.0.113',
    '127.0.0.1"',
    'from.example',
    'private',
    'me@',
    'token-that',
    'another-token',
    key,
  ])
    expect([secret, text.includes(secret)]).toEqual([secret, false]);
});

test('log lines written during a request name it, even after a pause', async () => {
  const written: string[] = [];
  const log = new Log('info', (text) => void written.push(text));
  const server = new AppServer({ get: () => '192.0.2.1' }, (cause) => log.error('request failed', cause), {
    during: (id, run) => log.during(id, run),
  });
  server.open(async ({ url }) => {
    await Bun.sleep(1);
    log.info('looked up', { url: new URL(url).pathname });
    if (url.endsWith('/fails')) throw new Error('a fault');
    return new Response('well');
  });
  try {
    const get = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`);
    const [one, other, failed] = await Promise.all(['/one', '/other', '/fails'].map(get));
    expect(failed?.status).toBe(500);
    const linesOf = (response: Response | undefined) =>
      written
        .map((text) => JSON.parse(text))
        .filter(({ request }) => request === response?.headers.get('x-request-id'));
    expect(linesOf(one)).toMatchObject([{ event: 'looked up', url: '/one' }]);
    expect(linesOf(other)).toMatchObject([{ event: 'looked up', url: '/other' }]);
    expect(linesOf(failed)).toMatchObject([
      { event: 'looked up' },
      { event: 'request failed', error: 'a fault' },
    ]);
    log.info('outside');
    expect(JSON.parse(written.at(-1) ?? '')).not.toHaveProperty('request');
  } finally {
    await server.stop(0);
  }
});
