import { beforeAll, describe, expect, test } from 'bun:test';
import { readInput } from '../src/api/read-input.ts';
import { routes } from '../src/api/routes.ts';
import { Refusal } from '../src/rules/errors.ts';
import { appWithOwner } from './support/app-suite.ts';
import { exchange } from './support/raw-http.ts';

const { app, owner } = appWithOwner();
let linkId: number;

beforeAll(async () => {
  const made = await app.createLink(owner);
  linkId = made.id;
});

const create = (body: unknown) => app.call('POST', '/api/v1/link', { key: owner.key, body });
const withLink = (fields: object) => create({ destination_url: 'https://example.com', ...fields });

async function expectRefusal(
  response: Promise<Awaited<ReturnType<typeof create>>>,
  status: number,
  code: string,
  field?: string,
) {
  const { status: actual, json, text } = await response;
  expect([actual, json?.error_code, json?.field_key]).toEqual([status, code, field]);
  expect(json.status_code).toBe(status);
  expect(json.error_string).toMatch(/^[A-Z"].*[.?]$/s);
  expect(text).not.toContain('Zod');
}

test('an invalid id is reported once', async () => {
  const { json } = await withLink({ tags: ['red'] });
  expect([json.error_code, json.field_key, json.errors]).toEqual(['FIELD_INVALID', 'tags', undefined]);
  const body = { ids: ['red', '0'] };
  const two = await app.call('POST', '/api/v1/link/bulk_delete', { key: owner.key, body });
  expect(two.json.errors).toHaveLength(2);
});

describe('an invalid body', () => {
  test('malformed JSON', () => expectRefusal(create('{"destination_url": '), 400, 'BODY_MALFORMED'));
  test('empty', () =>
    expectRefusal(app.call('POST', '/api/v1/link', { key: owner.key }), 400, 'BODY_MISSING'));
  test.each(['[]', '"text"', '42', 'null', 'true'])('%s instead of an object', (body) =>
    expectRefusal(create(body), 400, 'FIELD_INVALID'),
  );
  test('over 64 KB', () => expectRefusal(withLink({ name: 'x'.repeat(65_536) }), 413, 'BODY_TOO_LARGE'));
  test('of many gigabytes, by its Content-Length', async () => {
    const { host } = new URL(app.url);
    const head = `POST /api/v1/link HTTP/1.1\r\nHost: ${host}\r\napi-key: ${owner.key}\r\nContent-Type: application/json\r\nContent-Length: 5000000000\r\n\r\n`;
    const [response] = await exchange(app.url, head, { responses: 1 });
    expect(response?.status).toBe(413);
    expect(JSON.parse(response?.body ?? '')).toMatchObject({ error_code: 'BODY_TOO_LARGE' });
  });
  test('over 64 KB, sent in chunks without a Content-Length', async () => {
    const body = new ReadableStream({
      start(controller) {
        for (let chunk = 0; chunk < 100; chunk++)
          controller.enqueue(new TextEncoder().encode('x'.repeat(1000)));
        controller.close();
      },
    });
    const response = await fetch(`${app.url}/api/v1/link`, {
      method: 'POST',
      body,
      headers: { 'api-key': owner.key, 'content-type': 'application/json' },
    });
    expect(response.status).toBe(413);
  });
  test('with an unknown field, on every route but that of Zapier, which sends more than it has to', () => {
    const accepting = routes.flatMap(({ method, path, endpoint: { body } }) => {
      if (!body) return [];
      const read = readInput(body, { no_such_field: 1 });
      const isRefused =
        read instanceof Refusal && read.problems.some(({ field }) => field === 'no_such_field');
      return isRefused ? [] : `${method} ${path}`;
    });
    expect(accepting).toEqual(['POST /api/v1/zapier/hooks']);
  });
  test('not declared as JSON', () =>
    expectRefusal(
      app.call('POST', '/api/v1/link', {
        key: owner.key,
        body: '{}',
        headers: { 'content-type': 'text/plain' },
      }),
      415,
      'CONTENT_TYPE_UNSUPPORTED',
    ));
  test('nested a thousand deep', async () => {
    expect((await create(`${'['.repeat(30_000)}`)).status).toBe(400);
    expect((await withLink({ tags: JSON.parse(`${'['.repeat(900)}${']'.repeat(900)}`) })).status).toBe(400);
  });
});

describe('an invalid field is named', () => {
  const cases: [object, string, string][] = [
    [{ name: 3 }, 'FIELD_INVALID', 'name'],
    [{ bot_protection: 'true' }, 'FIELD_INVALID', 'bot_protection'],
    [{ captcha: 1 }, 'FIELD_INVALID', 'captcha'],
    [{ tags: 'one' }, 'FIELD_INVALID', 'tags'],
    [{ tags: [0] }, 'FIELD_INVALID', 'tags'],
    [{ tags: [1.5] }, 'FIELD_INVALID', 'tags'],
    [{ tags: [2 ** 60] }, 'FIELD_INVALID', 'tags'],
    [{ tags: [424242] }, 'TAG_NOT_FOUND', 'tags'],
    [{ unheard_of: 1 }, 'FIELD_UNKNOWN', 'unheard_of'],
    [{ name: 'x'.repeat(501) }, 'FIELD_TOO_LONG', 'name'],
    [{ name: 'a\u0000b' }, 'FIELD_INVALID', 'name'],
    [{ name: '\ud800' }, 'FIELD_INVALID', 'name'],
    [{ og_title: 'x'.repeat(301) }, 'FIELD_TOO_LONG', 'og_title'],
    [{ password: 'x'.repeat(257) }, 'FIELD_TOO_LONG', 'password'],
    [{ qr_code_foreground_hex: '112233' }, 'FIELD_INVALID', 'qr_code_foreground_hex'],
    [{ qr_code_background_hex: '#12345' }, 'FIELD_INVALID', 'qr_code_background_hex'],
    [{ qr_code_background_hex: '#12345g' }, 'FIELD_INVALID', 'qr_code_background_hex'],
    [{ qr_code_foreground_hex: '#ffffff' }, 'COLOURS_EQUAL', 'qr_code_foreground_hex'],
    [{ expiration_date: 'tomorrow' }, 'FIELD_INVALID', 'expiration_date'],
    [{ expiration_date: '2030-02-30' }, 'FIELD_INVALID', 'expiration_date'],
    [{ expiration_date: 1_900_000_000 }, 'FIELD_INVALID', 'expiration_date'],
    [{ suffix: 'a b' }, 'SUFFIX_INVALID', 'suffix'],
    [{ suffix: 'a//b' }, 'SUFFIX_INVALID', 'suffix'],
    [{ suffix: '../x' }, 'SUFFIX_INVALID', 'suffix'],
    [{ suffix: 'x'.repeat(256) }, 'SUFFIX_INVALID', 'suffix'],
    [{ suffix: 'api' }, 'SUFFIX_RESERVED', 'suffix'],
    [{ suffix: 'API/x' }, 'SUFFIX_RESERVED', 'suffix'],
    [{ domain: 'unverified.example' }, 'DOMAIN_UNVERIFIED', 'domain'],
    [{ domain: 'not a domain' }, 'DOMAIN_UNVERIFIED', 'domain'],
    [{ destination_url: '' }, 'FIELD_MISSING', 'destination_url'],
    [{ destination_url: undefined }, 'FIELD_MISSING', 'destination_url'],
    [{ destination_url: null }, 'FIELD_INVALID', 'destination_url'],
    [{ destination_url: 'javascript:alert(1)' }, 'DESTINATION_INVALID', 'destination_url'],
    [{ destination_url: 'data:text/html,x' }, 'DESTINATION_INVALID', 'destination_url'],
    [{ destination_url: 'ftp://example.com' }, 'DESTINATION_INVALID', 'destination_url'],
    [{ destination_url: 'mailto:a@example.com' }, 'DESTINATION_INVALID', 'destination_url'],
    [{ destination_url: 'not an address' }, 'DESTINATION_INVALID', 'destination_url'],
    [{ destination_url: 'https://u:p@example.com' }, 'DESTINATION_INVALID', 'destination_url'],
    [
      { destination_url: 'https://example.com/\r\nSet-Cookie: a=b' },
      'DESTINATION_INVALID',
      'destination_url',
    ],
    [{ destination_url: `https://example.com/${'x'.repeat(8200)}` }, 'FIELD_TOO_LONG', 'destination_url'],
    [{ android_link_destination: 'javascript:1' }, 'DESTINATION_INVALID', 'android_link_destination'],
    [{ ios_link_destination: 'intent://x' }, 'DESTINATION_INVALID', 'ios_link_destination'],
    [{ webhook_url: 'gopher://x.example' }, 'DESTINATION_INVALID', 'webhook_url'],
    [{ og_image: 'data:image/png;base64,x' }, 'DESTINATION_INVALID', 'og_image'],
  ];

  for (const [fields, code, field] of cases) {
    const shown = JSON.stringify(fields).slice(0, 60);
    test(`${shown} is ${code}`, () => expectRefusal(withLink(fields), 400, code, field));
  }

  test('several at once are all reported, the first at the top level', async () => {
    const { json } = await withLink({ name: 3, captcha: 'x', nonsense: 1 });
    expect(json.errors.map((error: { field_key: string }) => error.field_key).sort()).toEqual([
      'captcha',
      'name',
      'nonsense',
    ]);
    expect(json).toMatchObject({
      field_key: json.errors[0].field_key,
      error_string: json.errors[0].error_string,
    });
  });

  test('a refused creation or update leaves nothing behind', async () => {
    const before = (await app.call('GET', '/api/v1/link', { key: owner.key })).json;
    await withLink({ tags: [424242], suffix: 'half-done' });
    await app.call('PATCH', `/api/v1/link/${linkId}`, {
      key: owner.key,
      body: { name: 'x', og_image: 'nope:' },
    });
    expect((await app.call('GET', '/api/v1/link', { key: owner.key })).json).toEqual(before);
    expect((await withLink({ suffix: 'half-done' })).status).toBe(201);
  });
});

test('a destination on this service is refused in every spelling', async () => {
  const { port } = new URL(app.url);
  const spellings = [
    `http://127.0.0.1:${port}/x`,
    `http://localhost:${port}/x`,
    `http://LOCALHOST:${port}`,
    `http://localhost.:${port}/x`,
    `http://127.1:${port}/x`,
    `http://0x7f000001:${port}/x`,
    `http://2130706433:${port}/x`,
    `http://127.9.9.9:${port}/x`,
    `http://[::1]:${port}/x`,
    `http://[::ffff:127.0.0.1]:${port}/x`,
    `http://sub.localhost:${port}/x`,
    `http://0.0.0.0:${port}/x`,
    `127.0.0.1:${port}/x`,
  ];
  for (const destination_url of spellings) {
    const { json } = await create({ destination_url });
    expect([destination_url, json.error_code]).toEqual([destination_url, 'DESTINATION_IS_OURS']);
  }
  for (const destination_url of ['http://127.0.0.1:1/another-service', `http://example.com:${port}/x`])
    expect([destination_url, (await create({ destination_url })).status]).toEqual([destination_url, 201]);
});

describe('an invalid query', () => {
  const list = (query: string) => app.call('GET', `/api/v1/link?${query}`, { key: owner.key });
  test.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['offset=-1', 'offset'],
    ['offset=1e3', 'offset'],
    ['sort=height', 'sort'],
    ['tag=x', 'tag'],
  ])('%s', async (query, field) => {
    const { status, json } = await list(query);
    expect([status, json.field_key]).toEqual([400, field]);
  });
  test.each(['limit=1&limit=2', 'q=%zz', 'q=%00', 'unknown=1', '%F0%9F', 'q=\\', "q='--"])(
    '%s is not an error of the server',
    async (query) => {
      expect((await list(query)).status).toBeLessThan(500);
    },
  );
});

describe('an unknown path', () => {
  test('gets a JSON response', () => expectRefusal(app.call('GET', '/api/v2/link'), 404, 'ROUTE_NOT_FOUND'));
  test('under /api, in any form', async () => {
    for (const path of [
      '/api',
      '/api/',
      '/api/v1',
      '/api/v1/links',
      '/api/v1/link/1/2/3',
      '/api/%00',
      '/api/v1//link',
    ]) {
      const { status, json } = await app.call('GET', path, { key: owner.key });
      expect([path, status, json?.status_code]).toEqual([path, 404, 404]);
    }
  });
  test.each([
    '0',
    '-1',
    'abc',
    '1e3',
    '01',
    '1.0',
    '99999999999999999999',
    '9007199254740992',
    '%31%00',
    '１',
  ])("the id %s doesn't exist", async (id) => {
    const { status, json } = await app.call('GET', `/api/v1/link/${id}`, { key: owner.key });
    expect([status, json.error_code]).toEqual([404, 'NOT_FOUND']);
  });
  test('a wrong method gets the allowed ones in the Allow header', async () => {
    const response = await app.call('PUT', `/api/v1/link/${linkId}`, { key: owner.key, body: {} });
    expect([response.status, response.json.error_code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(response.headers.get('allow')).toBe('GET, HEAD, PATCH, DELETE');
  });
  test('HEAD responds like GET, without the body', async () => {
    const response = await app.call('HEAD', `/api/v1/link/${linkId}`, { key: owner.key });
    expect([response.status, response.text]).toEqual([200, '']);
  });
});

test("unusual user agents and missing content types don't affect reads", async () => {
  for (const agent of ['', 'curl/8', 'Googlebot/2.1', 'Zapier']) {
    const response = await app.call('GET', '/api/v1/link?limit=1&offset=0', {
      key: owner.key,
      headers: { 'user-agent': agent },
    });
    expect([response.status, Number.isInteger(response.json.total_links)]).toEqual([200, true]);
  }
});
