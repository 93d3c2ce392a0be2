import { Database } from 'bun:sqlite';
import { beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { routes } from '../src/api/routes.ts';
import { appWithOwner } from './support/app-suite.ts';

const { app, owner } = appWithOwner();
let linkId: number;
let refreshToken: string;

beforeAll(async () => {
  const { email, password } = owner;
  const pair = await app.call('POST', '/api/v1/auth/create_tokens', { body: { email, password } });
  refreshToken = pair.json.refresh_token;
  const made = await app.createLink(owner);
  linkId = made.id;
});

/** Every row of every table. The clock stands still, so that the last use of a key doesn't change. */
function everyRow(): string {
  const database = new Database(join(app.dataDir, 'linnet.sqlite'), { readonly: true });
  const tables = database.query("select name from sqlite_master where type = 'table' order by name").all();
  const rows = (tables as { name: string }[]).map(({ name }) => [
    name,
    database.query(`select * from "${name}"`).all(),
  ]);
  database.close();
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
}

const paths = [...new Set(routes.map(({ path }) => path))];
const credentials = (): Record<string, string>[] => [
  { 'api-key': owner.key },
  { authorization: `Bearer ${refreshToken}` },
  {},
];

test('no HEAD changes anything, whatever the path and the credential', async () => {
  await app.call('GET', '/api/v1/user', { key: owner.key });
  const before = everyRow();
  expect(before).toContain('https://example.com');
  for (const path of paths) {
    for (const headers of credentials()) {
      const { status, text } = await app.call('HEAD', path.replace('{id}', String(linkId)), { headers });
      expect([path, text]).toEqual([path, '']);
      expect(status).toBeLessThan(500);
    }
  }
  expect(everyRow()).toBe(before);
});

test('HEAD is answered wherever GET is, with its status and its length', async () => {
  for (const { method, path, endpoint } of routes) {
    if (method !== 'GET' || endpoint.getChanges || endpoint.streams !== undefined) continue;
    const address = path.replace('{id}', String(linkId));
    const [head, get] = [
      await app.call('HEAD', address, { key: owner.key }),
      await app.call('GET', address, { key: owner.key }),
    ];
    expect([path, head.status]).toEqual([path, get.status]);
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    expect([path, head.headers.get('content-length')]).toEqual([path, String(Buffer.byteLength(get.text))]);
  }
});

test('HEAD has the header Date, like GET, whatever answers it', async () => {
  const paths = [
    '/api/v1/user',
    '/api/v1/nope',
    '/qr/none.png',
    '/docs',
    '/openapi.json',
    '/healthz',
    '/app',
  ];
  for (const path of paths) {
    const { headers } = await app.call('HEAD', path, { key: owner.key });
    expect([path, headers.get('date')]).toEqual([path, expect.stringMatching(/^\w{3}, \d\d .* GMT$/)]);
  }
});

test('a stream is not opened by HEAD', async () => {
  for (const path of ['/api/v1/clicks/live', '/api/v1/link.csv', '/api/v1/clicks.csv']) {
    const { status, text, headers } = await app.call('HEAD', path, { key: owner.key });
    expect([path, status, text]).toEqual([path, 200, '']);
    expect([path, headers.get('content-length')]).toEqual([path, null]);
  }
});

test('a GET that changes something refuses HEAD with 405, and the token stays valid', async () => {
  const headers = { authorization: `Bearer ${refreshToken}` };
  const head = await app.call('HEAD', '/api/v1/auth/refresh_access_token', { headers });
  expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET']);
  const post = await app.call('POST', '/api/v1/auth/refresh_access_token', { headers });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET']);
  expect((await app.call('GET', '/api/v1/auth/refresh_access_token', { headers })).status).toBe(200);
});
