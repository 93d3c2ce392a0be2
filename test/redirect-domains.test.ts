import { beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { hourLength } from '../src/rules/durations.ts';
import { SqliteConnection } from '../src/storage/drivers/sqlite-connection.ts';
import { LinkCache } from '../src/visit/link-cache.ts';
import { addDomain } from './support/add-domain.ts';
import { startApp, storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { type RawResponse, visitRaw } from './support/raw-http.ts';

const custom = 'go.example.org';
const destination = 'https://destination.example/custom';

describe.each(storeKinds)('a custom domain on %s', (store) => {
  const { app, owner } = appWithOwner({ store });
  let domainId: number;

  beforeAll(async () => {
    domainId = await addDomain(app, owner, custom);
    await addDomain(app, owner, 'unverified.example.org', { verified_at: null });
    for (const fields of [
      { suffix: 'offer' },
      { suffix: 'api/v1/link' },
      { suffix: 'docs' },
      { suffix: 'gone', expiration_date: '2020-01-01' },
    ])
      await createLink(fields);
  });

  const createLink = (fields: object) =>
    app.createLink(owner, { destination_url: destination, domain: custom, ...fields });

  const requestAt = (host: string, path: string, headers: Record<string, string> = {}, method = 'GET') =>
    visitRaw(app.url, { host, path, headers, method });

  test('serves its links under its name in any case, with or without a port or a final dot', async () => {
    for (const host of [custom, `${custom}:443`, `${custom}.`, custom.toUpperCase(), `${custom}:8080`]) {
      const response = await requestAt(host, '/offer');
      expect([host, response.status, response.headers.location]).toEqual([host, 302, destination]);
    }
  });

  test('shares no links with the default domain', async () => {
    const body = { destination_url: 'https://destination.example/default', suffix: 'both' };
    await app.call('POST', '/api/v1/link', { key: owner.key, body });
    await createLink({ suffix: 'both' });
    for (const time of ['first', 'cached']) {
      expect([time, (await requestAt('127.0.0.1', '/offer')).status]).toEqual([time, 404]);
      expect((await requestAt('127.0.0.1', '/both')).headers.location).toBe(
        'https://destination.example/default',
      );
      expect((await requestAt(custom, '/both')).headers.location).toBe(destination);
    }
  });

  test('is not reached from the default domain by a path that looks like its cache key', async () => {
    expect((await requestAt(custom, '/offer')).status).toBe(302);
    for (const path of [
      `/${domainId}%0Aoffer`,
      `/${domainId}%0aoffer/`,
      `/${domainId}%0D%0Aoffer`,
      `/${domainId}%00offer`,
    ])
      expect([path, (await requestAt('127.0.0.1', path)).status]).toEqual([path, 404]);
  });

  test('has no API: requests for it get a JSON error', async () => {
    for (const [method, path] of [
      ['GET', '/api/v1/link/1'],
      ['GET', '/api/v1/user'],
      ['GET', '/api/'],
    ] as const) {
      const response = await requestAt(custom, path, { 'api-key': owner.key }, method);
      expect([path, response.status]).toEqual([path, 404]);
      expect(response.headers['content-type']).toStartWith('application/json');
      expect(JSON.parse(response.body)).toMatchObject({ status_code: 404, error_code: 'ROUTE_NOT_FOUND' });
    }
  });

  test("has none of the service's own pages, and its links may have their paths", async () => {
    expect((await requestAt(custom, '/docs')).headers.location).toBe(destination);
    expect((await requestAt(custom, '/api/v1/link')).headers.location).toBe(destination);
    for (const path of ['/', '/openapi.json', '/healthz', '/readyz', '/qr/1.png'])
      expect([path, (await requestAt(custom, path)).status]).toEqual([path, 404]);
    expect((await requestAt(custom, '/robots.txt')).status).toBe(200);
    expect((await requestAt(custom, '/_linnet/captcha.js')).headers['content-type']).toStartWith(
      'text/javascript',
    );
  });

  test('is named on its pages and in its preview cards', async () => {
    expect((await requestAt(custom, '/nothing')).body).toContain(`<p class="host">${custom}</p>`);
    const gone = await requestAt(custom, '/gone');
    expect([gone.status, gone.body.includes(custom)]).toEqual([410, true]);
    const card = await createLink({ suffix: 'card', og_title: 'Card' });
    const preview = await requestAt(custom, '/card', { 'user-agent': 'Twitterbot/1.0' });
    expect(preview.body).toContain(`content="${card.url}"`);
  });

  test('serves the password form of its links, and sets the cookie for its own host only', async () => {
    await createLink({ suffix: 'locked', password: 'open sesame' });
    const accepted = await visitRaw(app.url, {
      method: 'POST',
      host: custom,
      path: '/locked',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'password=open+sesame',
    });
    expect([accepted.status, accepted.headers.location]).toEqual([302, destination]);
    const cookie = accepted.headers['set-cookie']?.split(';')[0] ?? '';
    expect((await requestAt(custom, '/locked', { cookie })).status).toBe(302);
    expect(accepted.headers['set-cookie']).not.toContain('Domain=');
  });

  test('that is unverified or unknown has only a 404 page', async () => {
    for (const host of [
      'unverified.example.org',
      'elsewhere.example',
      `x.${custom}`,
      'example.org',
      '192.0.2.1',
      '[2001:db8::1]',
    ]) {
      for (const path of ['/offer', '/', '/both']) {
        const response = await requestAt(host, path);
        expect([host, path, response.status]).toEqual([host, path, 404]);
        expect(response.headers['content-type']).toStartWith('text/html');
        expect(serialized(response)).not.toContain('destination.example');
      }
    }
  });

  test('is not selected by any other header than Host', async () => {
    const headers = { 'x-forwarded-host': custom, forwarded: `host=${custom}`, 'x-original-host': custom };
    expect((await requestAt('127.0.0.1', '/offer', headers)).status).toBe(404);
    expect((await requestAt('elsewhere.example', '/offer', headers)).status).toBe(404);
  });
});

test('a repeated visit to a custom domain and a link causes no database query', async () => {
  // The change feed and scheduled jobs query the database now and then, without any visit.
  const never = hourLength;
  const overrides = {
    ...{ pollInterval: never, domainInterval: never },
    ...{ expiryInterval: never, scheduledInterval: never, watchInterval: never },
  };
  const app = await startApp({ env: { MISS_LIMIT: '0' }, overrides });
  const owner = await app.createAccount();
  const pages = { root_url: 'https://example.org/', not_found_url: 'https://example.org/lost' };
  await addDomain(app, owner, custom, pages);
  const body = { destination_url: destination, domain: custom, suffix: 'offer' };
  expect((await app.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body })).status).toBe(
    201,
  );
  const visits = [
    ['/offer', destination],
    ['/', 'https://example.org/'],
    ['/unknown', 'https://example.org/lost'],
  ] as const;
  const visitAll = async () => {
    for (const [path, location] of visits) {
      const response = await visitRaw(app.url, { host: custom, path });
      expect([path, response.headers.location]).toEqual([path, location]);
    }
  };
  const runSpy = spyOn(SqliteConnection.prototype, 'run');
  const fetchSpy = spyOn(LinkCache.prototype, 'fetch');
  const queryCount = () =>
    runSpy.mock.calls.filter(([sql]) => /from "(links|domains)"/.test(sql)).length +
    fetchSpy.mock.calls.length;
  // Two lookups of the domain, as the app server answers its root; one of the link, and one of the unknown suffix.
  await visitAll();
  expect(queryCount()).toBe(4);
  for (let round = 0; round < 20; round++) await visitAll();
  expect(queryCount()).toBe(4);
  // A minute later the domain is looked up again, while the visitor gets a response from the cache.
  app.clock.now += 61_000;
  await visitAll();
  expect(queryCount()).toBe(6);
  runSpy.mockRestore();
  fetchSpy.mockRestore();
  await app.stop();
});

test('with BASE_URL set, short links work on its host and on no loopback name', async () => {
  const app = await startApp({ env: { BASE_URL: 'https://links.example.com' } });
  const owner = await app.createAccount();
  const body = { destination_url: destination, suffix: 'offer' };
  await app.call('POST', '/api/v1/link', { key: owner.key, body });
  const statusAt = async (host: string) => (await visitRaw(app.url, { host, path: '/offer' })).status;
  expect(await statusAt('links.example.com')).toBe(302);
  expect(await statusAt('LINKS.example.com:8443')).toBe(302);
  for (const host of ['localhost', '127.0.0.1', 'www.links.example.com'])
    expect(await statusAt(host)).toBe(404);
  expect((await visitRaw(app.url, { host: 'whatever.example', path: '/api/v1/link' })).status).toBe(401);
  await app.stop();
});

test('in a trial, short links work on every loopback name', async () => {
  const app = await startApp();
  const owner = await app.createAccount();
  const body = { destination_url: destination, suffix: 'offer' };
  await app.call('POST', '/api/v1/link', { key: owner.key, body });
  for (const host of [
    'localhost',
    'localhost:3000',
    '127.0.0.1',
    '127.9.9.9',
    '[::1]',
    '[::1]:3000',
    'my.localhost',
  ])
    expect([host, (await visitRaw(app.url, { host, path: '/offer' })).status]).toEqual([host, 302]);
  await app.stop();
});

const serialized = (response: RawResponse): string => JSON.stringify(response);
