import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { SqliteInline } from '../src/storage/drivers/sqlite-client.ts';
import { LinkCache } from '../src/visit/link-cache.ts';
import { startApp, storeKinds, type TestAccount, type TestApp } from './support/app.ts';
import { type RawAnswer, visitRaw } from './support/raw-http.ts';

const custom = 'go.example.org';
const destination = 'https://destination.example/custom';

describe.each(storeKinds)('a custom domain on %s', (store) => {
  let app: TestApp;
  let owner: TestAccount;
  let domainId: number;

  beforeAll(async () => {
    app = await startApp({ store });
    owner = await app.createAccount();
    domainId = await addDomain(custom, 1);
    await addDomain('unverified.example.org', null);
    for (const fields of [
      { suffix: 'offer' },
      { suffix: 'api/v1/link' },
      { suffix: 'docs' },
      { suffix: 'gone', expiration_date: '2020-01-01' },
    ])
      await make(fields);
  });
  afterAll(async () => {
    expect(app.faults).toEqual([]);
    await app.stop();
  });

  const addDomain = (host: string, verified_at: number | null): Promise<number> =>
    app.app.context.database.write(async (queries) => {
      const domain = { created_at: 1, organization_id: owner.organizationId, host, verified_at };
      return (await queries.insertInto('domains').values(domain).returning('id').executeTakeFirstOrThrow())
        .id;
    });

  async function make(fields: object) {
    const body = { destination_url: destination, domain: custom, ...fields };
    const made = await app.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body });
    expect([made.status, made.text]).toEqual([201, made.text]);
    return made.json;
  }

  const at = (host: string, path: string, headers: Record<string, string> = {}, method = 'GET') =>
    visitRaw(app.url, { host, path, headers, method });

  test('serves its links under its name in any case, with or without a port or a final dot', async () => {
    for (const host of [custom, `${custom}:443`, `${custom}.`, custom.toUpperCase(), `${custom}:8080`]) {
      const answer = await at(host, '/offer');
      expect([host, answer.status, answer.headers.location]).toEqual([host, 302, destination]);
    }
  });

  test('keeps its links to itself', async () => {
    const body = { destination_url: 'https://destination.example/default', suffix: 'both' };
    await app.call('POST', '/api/v1/link', { key: owner.key, body });
    await make({ suffix: 'both' });
    for (const time of ['first', 'cached']) {
      expect([time, (await at('127.0.0.1', '/offer')).status]).toEqual([time, 404]);
      expect((await at('127.0.0.1', '/both')).headers.location).toBe('https://destination.example/default');
      expect((await at(custom, '/both')).headers.location).toBe(destination);
    }
  });

  test('is not reached from the default domain by a path that looks like its cache key', async () => {
    expect((await at(custom, '/offer')).status).toBe(302);
    for (const path of [
      `/${domainId}%0Aoffer`,
      `/${domainId}%0aoffer/`,
      `/${domainId}%0D%0Aoffer`,
      `/${domainId}%00offer`,
    ])
      expect([path, (await at('127.0.0.1', path)).status]).toEqual([path, 404]);
  });

  test('has no API: requests for it get a JSON error', async () => {
    for (const [method, path] of [
      ['GET', '/api/v1/link/1'],
      ['GET', '/api/v1/user'],
      ['GET', '/api/'],
    ] as const) {
      const answer = await at(custom, path, { 'api-key': owner.key }, method);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.headers['content-type']).toStartWith('application/json');
      expect(JSON.parse(answer.body)).toMatchObject({ status_code: 404, error_code: 'ROUTE_NOT_FOUND' });
    }
  });

  test("has none of the service's own pages, and its links may have their names", async () => {
    expect((await at(custom, '/docs')).headers.location).toBe(destination);
    expect((await at(custom, '/api/v1/link')).headers.location).toBe(destination);
    for (const path of ['/', '/openapi.json', '/healthz', '/readyz', '/qr/1.png'])
      expect([path, (await at(custom, path)).status]).toEqual([path, 404]);
    expect((await at(custom, '/robots.txt')).status).toBe(200);
    expect((await at(custom, '/_linnet/captcha.js')).headers['content-type']).toStartWith('text/javascript');
  });

  test('is named on its pages and in its cards', async () => {
    expect((await at(custom, '/nothing')).body).toContain(`<p class="host">${custom}</p>`);
    const gone = await at(custom, '/gone');
    expect([gone.status, gone.body.includes(custom)]).toEqual([410, true]);
    const card = await make({ suffix: 'card', og_title: 'Card' });
    const shown = await at(custom, '/card', { 'user-agent': 'Twitterbot/1.0' });
    expect(shown.body).toContain(`content="${card.url}"`);
  });

  test('asks for a password there, and keeps the visitor there', async () => {
    await make({ suffix: 'locked', password: 'open sesame' });
    const right = await visitRaw(app.url, {
      method: 'POST',
      host: custom,
      path: '/locked',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'password=open+sesame',
    });
    expect([right.status, right.headers.location]).toEqual([302, destination]);
    const cookie = right.headers['set-cookie']?.split(';')[0] ?? '';
    expect((await at(custom, '/locked', { cookie })).status).toBe(302);
    expect(right.headers['set-cookie']).not.toContain('Domain=');
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
        const answer = await at(host, path);
        expect([host, path, answer.status]).toEqual([host, path, 404]);
        expect(answer.headers['content-type']).toStartWith('text/html');
        expect(everything(answer)).not.toContain('destination.example');
      }
    }
  });

  test('is not selected by any other header than Host', async () => {
    const headers = { 'x-forwarded-host': custom, forwarded: `host=${custom}`, 'x-original-host': custom };
    expect((await at('127.0.0.1', '/offer', headers)).status).toBe(404);
    expect((await at('elsewhere.example', '/offer', headers)).status).toBe(404);
  });
});

test('a repeated visit to a custom domain and a link causes no database query', async () => {
  // The change feed and scheduled jobs query the database now and then, without any visit.
  const never = 3_600_000;
  const overrides = {
    ...{ pollInterval: never, domainInterval: never },
    ...{ expiryInterval: never, scheduledInterval: never, watchInterval: never },
  };
  const app = await startApp({ env: { MISS_LIMIT: '0' }, overrides });
  const owner = await app.createAccount();
  const { database } = app.app.context;
  await database.write((queries) =>
    queries
      .insertInto('domains')
      .values({
        created_at: 1,
        organization_id: owner.organizationId,
        host: custom,
        verified_at: 1,
        root_url: 'https://example.org/',
        not_found_url: 'https://example.org/lost',
      })
      .execute(),
  );
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
      const answer = await visitRaw(app.url, { host: custom, path });
      expect([path, answer.headers.location]).toEqual([path, location]);
    }
  };
  const asked = spyOn(SqliteInline.prototype, 'run');
  const links = spyOn(LinkCache.prototype, 'fetch');
  const questions = () =>
    asked.mock.calls.filter(([sql]) => /from "(links|domains)"/.test(sql)).length + links.mock.calls.length;
  // Two lookups of the domain, as the app server answers its root; one of the link, and one of the unknown suffix.
  await visitAll();
  expect(questions()).toBe(4);
  for (let hour = 0; hour < 20; hour++) await visitAll();
  expect(questions()).toBe(4);
  // A minute later the domain is looked up again, while its visitor is answered from the cache.
  app.clock.now += 61_000;
  await visitAll();
  expect(questions()).toBe(6);
  asked.mockRestore();
  links.mockRestore();
  await app.stop();
});

test('with a base address set, the service serves short links for that host and no loopback name', async () => {
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

const everything = (answer: RawAnswer): string => JSON.stringify(answer);
