import { beforeAll, describe, expect, test } from 'bun:test';
import { startApp, type TestApp } from './support/app.ts';
import { appForSuite, appWithOwner } from './support/app-suite.ts';
import { browserHeadersOf } from './support/members.ts';
import { visitRaw } from './support/raw-http.ts';

type OriginHeaders = Record<string, string>;

/** Headers that browsers send for calls from foreign pages, or that no browser sends for calls from our own. */
const forgeries = (own: string): readonly OriginHeaders[] => [
  { origin: 'https://evil.example' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  { origin: 'null' },
  { origin: 'null', 'sec-fetch-site': 'same-origin' },
  { origin: '' },
  { origin: `${own}.evil.example` },
  { origin: `${own}/` },
  { origin: own.replace(/\d+$/, '1') },
  { origin: own.replace('http:', 'https:') },
  { origin: own.replace('127.0.0.1', 'localhost') },
  { origin: own, 'sec-fetch-site': 'cross-site' },
  { origin: own, 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'SAME-ORIGIN' },
];

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly needsCredential: boolean;
}

async function operationsOf(app: TestApp): Promise<Operation[]> {
  const { paths } = (await app.call('GET', '/openapi.json')).json;
  return Object.entries<Record<string, { security: object[] }>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, { security }]) => ({
      path,
      method: name.toUpperCase(),
      needsCredential: security.length > 0,
    })),
  );
}

describe('cross-site calls with a cookie', () => {
  const { app, owner } = appWithOwner();
  let cookie: string;
  beforeAll(async () => {
    cookie = (await browserHeadersOf(app, owner)).cookie;
  });

  test('every unsafe route of the OpenAPI document, each from a quarter of the forged origins: 403', async () => {
    const unsafe = (await operationsOf(app)).filter(({ method }) => method !== 'GET');
    expect(unsafe.length).toBeGreaterThan(20);
    const accepted: string[] = [];
    for (const [index, { method, path }] of unsafe.entries()) {
      for (const originHeaders of forgeries(app.url).filter((_, forgery) => forgery % 4 === index % 4)) {
        const { status, json } = await app.call(method, path.replace('{id}', '1'), {
          headers: { cookie, ...originHeaders },
          ...(method === 'DELETE' ? {} : { body: {} }),
        });
        if (status !== 403 || json.error_code !== 'ORIGIN_FORBIDDEN')
          accepted.push(`${method} ${path} ${JSON.stringify(originHeaders)}: ${status} ${json?.error_code}`);
      }
    }
    expect(accepted).toEqual([]);
    expect((await app.call('GET', '/api/v1/user', { headers: { cookie } })).status).toBe(200);
  });

  test('a call authorised by a cookie must have headers that show that it comes from our own page', async () => {
    const rename = async (originHeaders: OriginHeaders) =>
      (
        await app.call('PATCH', '/api/v1/user', {
          headers: { cookie, ...originHeaders },
          body: { name: 'Ada' },
        })
      ).status;
    expect(await rename({})).toBe(403);
    expect(await rename({ 'sec-fetch-site': 'none' })).toBe(403);
    expect(await rename({ 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await rename({ origin: app.url })).toBe(200);
    expect(await rename({ origin: app.url, 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await rename({ origin: app.url, 'sec-fetch-site': 'none' })).toBe(200);
  });

  test('no user is signed in or out by a page of another site, with or without a cookie', async () => {
    const { email, password } = owner;
    for (const originHeaders of forgeries(app.url)) {
      const response = await app.call('POST', '/api/v1/session', {
        headers: originHeaders,
        body: { email, password },
      });
      expect([originHeaders, response.status]).toEqual([originHeaders, 403]);
      expect(response.headers.get('set-cookie')).toBeNull();
      const signOut = await app.call('DELETE', '/api/v1/session', { headers: originHeaders });
      expect([signOut.status, signOut.headers.get('set-cookie')]).toEqual([403, null]);
    }
    const form = await app.call('POST', '/api/v1/session', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `email=${email}&password=${password}`,
    });
    expect(form.status).toBe(415);
  });

  test('a program that keeps cookies may sign in without an origin', async () => {
    const body = { email: owner.email, password: owner.password };
    expect((await app.call('POST', '/api/v1/session', { body })).status).toBe(201);
    const own = (await browserHeadersOf(app, owner)).cookie;
    expect((await app.call('POST', '/api/v1/session', { body, headers: { cookie: own } })).status).toBe(201);
  });

  test('a key that is sent explicitly needs no origin, even from another site', async () => {
    for (const originHeaders of forgeries(app.url)) {
      const headers = { ...originHeaders, cookie, 'api-key': owner.key };
      const { status } = await app.call('PATCH', '/api/v1/user', { headers, body: { name: 'Ada' } });
      expect([originHeaders, status]).toEqual([originHeaders, 200]);
    }
  });

  test('no response to a read may be read or embedded by another site', async () => {
    const reads = (await operationsOf(app)).filter(
      ({ method, path }) => method === 'GET' && !path.endsWith('/live'),
    );
    for (const { path } of reads) {
      const target = path.replace('{id}', '1');
      const { headers } = await app.call('GET', target, {
        headers: { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      });
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
      expect([path, headers.get('cross-origin-resource-policy')]).toEqual([path, 'same-origin']);
      expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
        'no-store',
        'nosniff',
      ]);
      const preflight = await app.call('OPTIONS', target, {
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'DELETE' },
      });
      expect(preflight.status).toBe(405);
      expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});

test('without BASE_URL, the page on each loopback name may call only its own origin', async () => {
  const app = await startApp();
  const { cookie } = await browserHeadersOf(app, await app.createAccount());
  const { port } = new URL(app.url);
  const rename = async (host: string, origin: string) =>
    (
      await visitRaw(app.url, {
        method: 'PATCH',
        path: '/api/v1/user',
        host,
        headers: { cookie, origin, 'content-type': 'application/json' },
        body: '{"name":"Ada"}',
      })
    ).status;
  for (const name of ['localhost', '127.0.0.1', '[::1]', 'linnet.localhost'])
    expect([name, await rename(`${name}:${port}`, `http://${name}:${port}`)]).toEqual([name, 200]);
  expect(await rename(`localhost:${port}`, `http://localhost:${Number(port) - 1}`)).toBe(403);
  expect(await rename(`localhost:${port}`, `http://[::1]:${port}`)).toBe(403);
  expect(await rename(`rebound.example:${port}`, `http://rebound.example:${port}`)).toBe(403);
  await app.stop();
});

describe('behind https', () => {
  const origin = 'https://links.example.com';
  const app = appForSuite({ env: { BASE_URL: origin } });

  test('the cookie is bound to this host and to encrypted connections', async () => {
    const { email, password } = await app.createAccount();
    const { headers } = await app.call('POST', '/api/v1/session', {
      body: { email, password },
      headers: { origin },
    });
    const [session = '', known = ''] = headers.getSetCookie();
    const [pair = '', ...attributes] = session.split('; ');
    expect(pair).toMatch(/^__Host-linnet=lns_/);
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax', 'Secure']);
    expect(known).toMatch(/^__Host-linnet_known=.*; Secure/);
    expect((await app.call('GET', '/api/v1/user', { headers: { cookie: pair } })).status).toBe(200);
    const unbound = pair.replace('__Host-', '');
    expect((await app.call('GET', '/api/v1/user', { headers: { cookie: unbound } })).status).toBe(401);
    const signOut = await app.call('DELETE', '/api/v1/session', { headers: { cookie: pair, origin } });
    expect(signOut.headers.get('set-cookie')).toBe(
      '__Host-linnet=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure',
    );
  });

  test('only BASE_URL is its origin, not the address it listens on', async () => {
    const { email, password } = await app.createAccount();
    for (const foreign of [app.url, 'http://links.example.com', 'https://www.links.example.com']) {
      const response = await app.call('POST', '/api/v1/session', {
        body: { email, password },
        headers: { origin: foreign },
      });
      expect([foreign, response.status]).toEqual([foreign, 403]);
      expect(response.json.error_string).toContain(origin);
    }
  });
});
