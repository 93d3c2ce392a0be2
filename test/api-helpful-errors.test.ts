import { beforeAll, describe, expect, test } from 'bun:test';
import { webhookEvents } from '../src/rules/webhook-event.ts';
import { appWithOwner } from './support/app-suite.ts';

const { app, owner } = appWithOwner();
let linkId: number;

beforeAll(async () => {
  linkId = (await create({ destination_url: 'https://example.com' })).json.id;
});

const call = (method: string, path: string, body?: unknown) =>
  app.call(method, `/api/v1/${path}`, { key: owner.key, ...(body === undefined ? {} : { body }) });
const create = (body: unknown) => call('POST', 'link', body);

async function expectSentence(
  response: ReturnType<typeof call>,
  [status, code, field, sentence]: readonly [number, string, string | undefined, string],
) {
  const { json } = await response;
  expect(json).toMatchObject({ status_code: status, error_code: code, error_string: sentence });
  expect(json.field_key).toBe(field);
}

describe('the error for a value of the wrong type names the right type', () => {
  const tagById = (shown: string) =>
    `Tags are sent by id, and ${shown} is not one. GET /api/v1/tag lists tags with their ids.`;
  const tagList = 'Send a list of ids of tags, such as [12, 15]. GET /api/v1/tag lists them.';
  const events = `${webhookEvents
    .slice(0, -1)
    .map((event) => `"${event}"`)
    .join(', ')} or "${webhookEvents.at(-1)}"`;
  const cases: [object, string, string][] = [
    [{ captcha: 'true' }, 'captcha', '"captcha" must be true or false, without quotes.'],
    [
      { bot_protection: 'False' },
      'bot_protection',
      '"bot_protection" must be true or false, without quotes.',
    ],
    [{ qr_code_marker: 1 }, 'qr_code_marker', '"qr_code_marker" must be true or false, not a number.'],
    [{ name: 3 }, 'name', '"name" must be a string, not a number.'],
    [{ name: ['x'] }, 'name', '"name" must be a string, not a list.'],
    [{ tags: ['Campaign'] }, 'tags', tagById('"Campaign"')],
    [{ tags: [1.5] }, 'tags', tagById('1.5')],
    [{ tags: [{ id: 'x' }] }, 'tags', tagById('"x"')],
    [{ tags: 7 }, 'tags', tagList],
    [{ tags: Array(101).fill(1) }, 'tags', '"tags" must have at most 100 entries.'],
    [{ aliases: Array(101).fill('x') }, 'aliases', '"aliases" must have at most 100 entries.'],
    [
      { webhook_events: ['clicked'] },
      'webhook_events',
      `Entry 1 of "webhook_events" must be ${events}, not "clicked".`,
    ],
    [
      { webhook_events: 'click' },
      'webhook_events',
      `Send a list such as ["click"]. There are ${webhookEvents.join(', ')}.`,
    ],
  ];
  for (const [fields, field, sentence] of cases)
    test(JSON.stringify(fields).slice(0, 80), () =>
      expectSentence(create({ destination_url: 'https://example.com', ...fields }), [
        400,
        'FIELD_INVALID',
        field,
        sentence,
      ]),
    );

  test('in an update too', async () => {
    const update = (body: object) => call('PATCH', `link/${linkId}`, body);
    await expectSentence(update({ add_tags: 1 }), [400, 'FIELD_INVALID', 'add_tags', tagList]);
    await expectSentence(update({ add_tags: ['x'] }), [400, 'FIELD_INVALID', 'add_tags', tagById('"x"')]);
  });

  test('an empty list, and one that is too short', async () => {
    const sentence = '"ids" must have at least 1 entry.';
    await expectSentence(call('POST', 'link/bulk_delete', { ids: [] }), [
      400,
      'FIELD_INVALID',
      'ids',
      sentence,
    ]);
  });
});

describe('the errors for field names of other services suggest the names here', () => {
  const unknownNames: [string, string][] = [
    ['slug', 'suffix'],
    ['keyword', 'suffix'],
    ['customSlug', 'suffix'],
    ['slashtag', 'suffix'],
    ['alias', 'suffix'],
    ['expires_at', 'expiration_date'],
    ['validUntil', 'expiration_date'],
    ['expiresAt', 'expiration_date'],
    ['add_tags', 'tags'],
    ['tagIds', 'tags'],
    ['long_url', 'destination_url'],
    ['longUrl', 'destination_url'],
    ['originalURL', 'destination_url'],
    ['target', 'destination_url'],
    ['full_url', 'destination_url'],
    ['title', 'name'],
    ['iphoneURL', 'ios_link_destination'],
    ['destinationUrl', 'destination_url'],
    ['sufix', 'suffix'],
    ['nmae', 'name'],
  ];
  test.each(unknownNames)('the error for %s suggests %s', async (sent, suggested) => {
    const { json } = await create({ destination_url: 'https://example.com', [sent]: 'x' });
    expect([json.error_code, json.field_key, json.error_string]).toEqual([
      'FIELD_UNKNOWN',
      sent,
      `There is no field "${sent}" here. Did you mean "${suggested}"?`,
    ]);
  });

  test('an unknown field is reported before the field that is missing because of it', async () => {
    const { json } = await create({ long_url: 'https://example.com' });
    expect(json.field_key).toBe('long_url');
    expect(json.errors.map((each: { error_code: string }) => each.error_code)).toEqual([
      'FIELD_UNKNOWN',
      'FIELD_MISSING',
    ]);
  });

  test('a response field in a request is named in the error', () =>
    expectSentence(create({ url: 'https://example.com' }), [
      400,
      'FIELD_MISSING',
      'destination_url',
      '"destination_url" is needed. "url" is a field of answers, and is not read.',
    ]));

  test.each(['constructor', '__proto__', 'zzz', 'x'.repeat(5_000)])('%p has no suggestion', async (sent) => {
    const { json } = await create(`{"destination_url":"https://example.com",${JSON.stringify(sent)}:1}`);
    expect(json.error_code).toBe('FIELD_UNKNOWN');
    expect(json.error_string).toEndWith('Check its spelling, or leave it out.');
    expect(json.error_string.length).toBeLessThan(200);
  });

  test('the error for disable_png in a body names the query parameter', () =>
    expectSentence(create({ destination_url: 'https://example.com', disable_png: true }), [
      400,
      'FIELD_UNKNOWN',
      'disable_png',
      '"disable_png" is a query parameter, not a field of the body: POST /api/v1/link?disable_png=true.',
    ]));
});

describe('a list instead of one link, and one link instead of a list', () => {
  test('the error for a list of links names the bulk call', () =>
    expectSentence(create([{ destination_url: 'https://example.com' }]), [
      400,
      'FIELD_INVALID',
      undefined,
      'This call makes one link: send a JSON object. Many are made by POST /api/v1/link/bulk, as {"links": […]}.',
    ]));
  test('the errors for a bare list and for a single link in the bulk call show the right body', async () => {
    const bulk = (body: unknown) => call('POST', 'link/bulk', body);
    const bare = 'Put the list into an object: {"links": […]}.';
    await expectSentence(bulk([]), [400, 'FIELD_INVALID', undefined, bare]);
    const single =
      'Put the link into a list: {"links": [{"destination_url": "…"}]}. A single one is made by POST /api/v1/link.';
    await expectSentence(bulk({ destination_url: 'x' }), [400, 'FIELD_UNKNOWN', 'destination_url', single]);
  });
});

describe('a query', () => {
  const list = (query: string) => call('GET', `link?${query}`);
  const paged = (name: string) =>
    `There is no query parameter "${name}" here. "limit" says how many to return and "offset" how many to skip: the third page of 10 is limit=10&offset=20. Or send "next" of each page as "cursor" for the one behind it.`;

  test.each([
    ['page=2', 'page', paged('page')],
    ['per_page=10', 'per_page', 'There is no query parameter "per_page" here. Did you mean "limit"?'],
    ['search=x', 'search', 'There is no query parameter "search" here. Did you mean "q"?'],
    ['tags=1', 'tags', 'There is no query parameter "tags" here. Did you mean "tag"?'],
    ['tag[]=1', 'tag[]', 'There is no query parameter "tag[]" here. Did you mean "tag"?'],
    ['order_by=name', 'order_by', 'There is no query parameter "order_by" here. Did you mean "sort"?'],
  ])('%s is refused with the right name', (query, field, sentence) =>
    expectSentence(list(query), [400, 'FIELD_UNKNOWN', field, sentence]),
  );

  test('several errors are all reported', async () => {
    const { json } = await list('page=2&per_page=10&limit=ten');
    const fields = json.errors.map((each: { field_key: string }) => each.field_key);
    expect(fields).toEqual(['page', 'per_page', 'limit']);
  });

  test('a repeated parameter is refused', async () => {
    const sentence = '"tag" was sent more than once. Send it once; several ids are separated by commas.';
    await expectSentence(list('tag=1&tag=2'), [400, 'FIELD_INVALID', 'tag', sentence]);
  });

  test('of a call without parameters is refused, and a field is directed to the body', async () => {
    const none = 'There is no query parameter "page" here: this call has none.';
    await expectSentence(call('GET', 'tag?page=2'), [400, 'FIELD_UNKNOWN', 'page', none]);
    const inBody = 'Send "destination_url" in the JSON body, not in the address.';
    await expectSentence(call('POST', 'link?destination_url=x'), [
      400,
      'FIELD_UNKNOWN',
      'destination_url',
      inBody,
    ]);
  });

  test('cache-busting parameters are ignored', async () => {
    expect((await list('_=1763848920&limit=1')).status).toBe(200);
    expect((await call('GET', 'tag?_ts=1&')).status).toBe(200);
  });

  test.each(['true', 'True', 'TRUE', '1'])('disable_png=%s means yes', async (value) => {
    const { json } = await call('POST', `link?disable_png=${value}`, {
      destination_url: 'https://example.com',
    });
    expect(json.qr_code_png).toBeNull();
  });
  test.each(['false', 'False', '0'])('disable_png=%s means no', async (value) => {
    const { json } = await call('POST', `link?disable_png=${value}`, {
      destination_url: 'https://example.com',
    });
    expect(json.qr_code_png).toStartWith('http');
  });
  test('disable_png=maybe is refused', () =>
    expectSentence(call('POST', 'link?disable_png=maybe', { destination_url: 'https://example.com' }), [
      400,
      'FIELD_INVALID',
      'disable_png',
      '"disable_png" must be true or false.',
    ]));
});

test('tags that are cleared in a creation are empty', async () => {
  const { status, json } = await create({ destination_url: 'https://example.com', tags: '' });
  expect([status, json.tags]).toEqual([201, []]);
});

test('the error for a suffix in place of an id names the search', () =>
  expectSentence(call('GET', 'link/abcDEF'), [
    404,
    'NOT_FOUND',
    undefined,
    'A link is found by its id, a whole number, and "abcDEF" is not one. GET /api/v1/link?q=abcDEF finds links by suffix.',
  ]));

describe('an invalid credential', () => {
  const sentence = async (headers: Record<string, string>, query = '') =>
    (await app.call('GET', `/api/v1/link${query}`, { headers })).json;
  const cases: [string, (key: string) => Record<string, string>, string, RegExp][] = [
    ['a placeholder', () => ({ 'api-key': 'YOUR_API_KEY' }), 'KEY_INVALID', /placeholder/],
    ['an unfilled variable', () => ({ authorization: 'Bearer {{KEY}}' }), 'KEY_INVALID', /placeholder/],
    ['cut at its end', (key) => ({ 'api-key': key.slice(0, 20) }), 'KEY_INVALID', /was cut: it has 20 of 42/],
    ['cut at its beginning', (key) => ({ 'api-key': key.slice(6) }), 'KEY_INVALID', /beginning cut off/],
    ['too long', (key) => ({ 'api-key': `${key}a` }), 'KEY_INVALID', /43 characters instead of 42/],
    [
      'mistyped',
      (key) => ({ 'api-key': key.replace(/.$/, (c) => (c === 'a' ? 'b' : 'a')) }),
      'KEY_INVALID',
      /mistyped/,
    ],
    ['in quotes', (key) => ({ 'api-key': `"${key}"` }), 'KEY_INVALID', /quotes/],
    ['with a space', (key) => ({ 'api-key': key.replace(/(?<=.{9})/, ' ') }), 'KEY_INVALID', /space/],
    ['with Bearer in front', (key) => ({ 'api-key': `Bearer ${key}` }), 'KEY_INVALID', /"Bearer" belongs/],
    ['without Bearer', (key) => ({ authorization: key }), 'KEY_MISSING', /has to begin with "Bearer "/],
    ['after Bearer with a space', () => ({ authorization: 'Bearer a b' }), 'KEY_MISSING', /space/],
    ['an empty variable', () => ({ authorization: 'Bearer' }), 'KEY_MISSING', /nothing after "Bearer"/],
    ['Basic', () => ({ authorization: 'Basic YTpi' }), 'KEY_MISSING', /Basic authentication/],
    ['in another header', (key) => ({ 'x-api-key': key }), 'KEY_MISSING', /"x-api-key" is not read/],
  ];
  test.each(cases)('%s', async (_, headers, code, message) => {
    const sent = headers(owner.key);
    const json = await sentence(sent);
    expect([json.status_code, json.error_code]).toEqual([401, code]);
    expect(json.error_string).toMatch(message);
    expect(json.error_string).not.toContain(owner.key.slice(6, 20));
    expect(json.error_string).not.toMatch(/[Rr]efresh/);
  });

  test('in the URL', async () => {
    const json = await sentence({}, `?api_key=${owner.key}`);
    expect(json.error_string).toStartWith('A credential is not taken from the address ("api_key")');
  });

  test('the errors for a refresh token, a zapier_key and an API key in the wrong place name their kind', async () => {
    const { email, password } = owner;
    const pair = (await app.call('POST', '/api/v1/auth/create_tokens', { body: { email, password } })).json;
    const { zapier_key } = (await call('GET', `link/${linkId}`)).json;
    expect((await sentence({ 'api-key': pair.refresh_token })).error_string).toStartWith(
      'This is a refresh token.',
    );
    expect((await sentence({ 'api-key': zapier_key })).error_string).toStartWith(
      'This is the zapier_key of a link',
    );
    const zapier = await call('GET', 'zapier/sample');
    expect(zapier.json.error_string).toStartWith('This is an API key.');
  });
});

test('POST /user with an empty object returns the calling user; without a credential it is an incomplete sign-up', async () => {
  const caller = await call('POST', 'user', {});
  expect([caller.status, caller.json.email]).toEqual([200, owner.email]);
  const { json } = await app.call('POST', '/api/v1/user', { body: {} });
  expect([json.status_code, json.field_key]).toEqual([400, 'email']);
});

describe('a call outside the API', () => {
  const request = (method: string, path: string, headers: Record<string, string> = {}) =>
    app.call(method, path, { headers });
  test.each([
    ['GET', '/v1/link', '/api/v1/link'],
    ['POST', '/v1/link', '/api/v1/link'],
    ['GET', '/v1/link/12', '/api/v1/link/12'],
    ['POST', '/link', '/api/v1/link'],
    ['GET', '/v4/shorten', '/api/v1/link'],
  ])('the error for %s %s suggests %s', async (method, path, suggested) => {
    const { status, json } = await request(method, path);
    expect([status, json.error_code]).toEqual([404, 'ROUTE_NOT_FOUND']);
    expect(json.error_string).toEndWith(`Did you mean ${method} ${app.url}${suggested}?`);
  });
  test.each([
    ['/api/v1/links', '/api/v1/link'],
    ['/api/link', '/api/v1/link'],
    ['/api/v1/link/', '/api/v1/link'],
    ['/api/v2/tags', '/api/v1/tag'],
    ['/api/v1/api-keys', '/api/v1/api_key'],
    ['/api/v1/links/5/stats', '/api/v1/link/5/stats'],
  ])('the error for %s suggests %s', async (path, suggested) => {
    const { json } = await request('GET', path);
    expect(json.error_string).toBe(`There is no such path in the API. Did you mean ${suggested}?`);
  });
  test.each(['/api/v1/link/external/', '/api/v1/links/clicks'])(
    'the error for %s suggests no path that lacks an id',
    async (path) => {
      const { json } = await request('GET', path);
      expect(json.error_string).toBe('There is no such path in the API. GET /openapi.json lists them all.');
    },
  );
  test('is recognised by its headers, at any path', async () => {
    const credentials: Record<string, string>[] = [{ 'api-key': 'x' }, { authorization: 'Bearer x' }];
    for (const headers of credentials) {
      const { status, json } = await request('GET', '/no/such/path', headers);
      expect([status, json.error_string]).toEqual([
        404,
        `This is no path of the API. The API is at ${app.url}/api/v1.`,
      ]);
    }
  });
  test('visitors get the HTML page', async () => {
    for (const path of ['/v1/link', '/nothing-here', '/link']) {
      const { status, text } = await app.visit(path, { accept: 'text/html,*/*;q=0.8' });
      expect([status, text.startsWith('<!doctype html>')]).toEqual([404, true]);
    }
    expect((await request('GET', '/nothing-here')).headers.get('content-type')).toContain('text/html');
  });
});

describe('typical first attempts of an integrator', () => {
  const attempts: [string, string, unknown, string][] = [
    [
      'PUT',
      'link/ID',
      { name: 'x' },
      'This path takes GET, HEAD, PATCH, DELETE. PATCH changes the fields that are sent.',
    ],
    ['DELETE', 'link?id=1', undefined, 'DELETE takes the id in the path, behind a slash.'],
    ['DELETE', 'link/bulk', { ids: [1] }, 'deleted by POST /api/v1/link/bulk_delete'],
    ['GET', 'users/me', undefined, 'Did you mean /api/v1/user?'],
    ['GET', 'links.csv', undefined, 'Did you mean /api/v1/link.csv?'],
    ['PATCH', 'user', { email: 'other@example.com' }, 'The email address of an account can not be changed.'],
    [
      'POST',
      'user/password',
      { password: 'x', new_password: 'longenough' },
      'Did you mean "current_password"?',
    ],
    ['PATCH', 'link/bulk', { ids: [1], tags: [1] }, 'Did you mean "add_tags"?'],
    ['POST', 'domain', { name: 'go.example.com' }, 'Did you mean "domain"?'],
    ['GET', 'domain/go.example.com', undefined, 'An id is a positive whole number, as lists answer it'],
    ['GET', 'tag/9007199254740993', undefined, 'and "9007199254740993" is not.'],
    ['POST', 'link/bulk_delete', { ids: [2 ** 53 + 2] }, 'and a number beyond 9007199254740991 is not.'],
    ['PUT', 'link/external/%00', { destination_url: 'https://example.com' }, '"external_id" holds control'],
    ['POST', 'link', '"{\\"destination_url\\":\\"x\\"}"', 'it was encoded twice'],
  ];
  test.each(attempts)('%s %s %j', async (method, path, body, message) => {
    const { json } = await call(method, path.replace('ID', String(linkId)), body);
    expect(json.error_string).toContain(message);
  });

  test('an account that was read can be sent back unchanged', async () => {
    const { json: user } = await call('GET', 'user');
    expect((await call('PATCH', 'user', { ...user, name: 'Ada' })).json).toEqual({ ...user, name: 'Ada' });
  });
});
