import { beforeAll, expect, test } from 'bun:test';
import { routes } from '../src/api/routes.ts';
import { appForSuite } from './support/app-suite.ts';
import { visitRaw } from './support/raw-http.ts';

const app = appForSuite();
let key: string;
let linkId: number;

beforeAll(async () => {
  key = (await app.createAccount()).key;
  linkId = (await app.createLink({ key }, { suffix: 'plain' })).id;
  await app.createLink({ key }, { suffix: 'locked', password: 'open sesame' });
});

/** Without streamed responses, which have no Content-Length, and without GETs that change something, which have no HEAD. */
const apiPaths = routes
  .filter(
    ({ method, endpoint }) => method === 'GET' && endpoint.streams === undefined && !endpoint.getChanges,
  )
  .map(({ path }) => path);

async function getAndHead(path: string, headers: Record<string, string>) {
  const [get, head] = await Promise.all(
    ['GET', 'HEAD'].map((method) => visitRaw(app.url, { method, path, headers })),
  );
  return { get, head };
}

test.each(apiPaths)(
  'HEAD %s has the status and the length of the GET response, even of an error',
  async (path) => {
    for (const headers of [{ 'api-key': key }, {}])
      for (const id of [String(linkId), '999999']) {
        const { get, head } = await getAndHead(path.replace('{id}', id), headers);
        expect([head?.status, head?.headers['content-length']]).toEqual([
          get?.status,
          get?.headers['content-length'],
        ]);
        expect(Number(get?.headers['content-length'])).toBe(Buffer.byteLength(get?.body ?? ''));
      }
  },
);

const otherPaths = [
  ...[
    '/',
    '/app',
    '/app/links',
    '/docs',
    '/docs/none',
    '/openapi.json',
    '/healthz',
    '/readyz',
    '/robots.txt',
  ],
  ...['/favicon.ico', '/_linnet/captcha.js', '/assets/none.js', '/invitation', '/api/none', '/api/v1/none'],
  ...['/plain', '/%70lain', '/locked', '/missing', '/missing/', '/caf%C3%A9'],
];

test.each(otherPaths)('HEAD %s has the status and the length of the GET response', async (path) => {
  for (const headers of [{}, { 'x-detour': '\xe9' }]) {
    const { get, head } = await getAndHead(path, headers);
    expect([head?.status, head?.headers['content-length']]).toEqual([
      get?.status,
      get?.headers['content-length'],
    ]);
    if (get?.status !== 204)
      expect(Number(get?.headers['content-length'])).toBe(Buffer.byteLength(get?.body ?? ''));
  }
});

test("HEAD of the dashboard's files has their length, and so does HEAD of a QR code", async () => {
  const { body } = await visitRaw(app.url, { path: '/app' });
  const asset = /\/assets\/[^"']+/.exec(body)?.[0] ?? '';
  const { json } = await app.call('GET', `/api/v1/link/${linkId}`, { key });
  const code = new URL(json.qr_code_png).pathname;
  for (const path of [asset, code]) {
    const { get, head } = await getAndHead(path, {});
    expect([path, head?.status, head?.headers['content-length']]).toEqual([
      path,
      200,
      get?.headers['content-length'],
    ]);
  }
});
