import { beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { routes } from '../../src/api/routes.ts';
import { appWithOwner } from '../support/app-suite.ts';

/** `npm run test:fuzz` makes more calls. */
const callsPerRoute = Number(process.env.CALLS ?? 60);
const concurrency = 50;

const { app, owner } = appWithOwner();

beforeAll(async () => {
  await app.call('POST', '/api/v1/tag', { key: owner.key, body: { name: 'target' } });
  await app.call('POST', '/api/v1/link', {
    key: owner.key,
    body: { destination_url: 'https://example.com' },
  });
});

const fields = [
  'destination_url',
  'domain',
  'root_url',
  'not_found_url',
  'suffix',
  'external_id',
  'og_title',
  'og_image',
  'expiration_date',
  'qr_code_foreground_hex',
  'name',
  'tags',
  'add_tags',
  'remove_tags',
  'ids',
  'links',
  'android_link_destination',
  'bot_protection',
  'captcha',
  'webhook_url',
  'webhook_auth_key',
  'webhook_events',
  'target_url',
  'email',
  'role',
  'tag',
  'has_password',
  'setup_token',
  'invitation_token',
  '__proto__',
  'constructor',
];

/** Values that often break services, in addition to those of the generator. */
const edgeCaseValue = fc.constantFrom<unknown>(
  '',
  ' ',
  '\u0000',
  '\ud800',
  '🦊',
  'https://example.com',
  'example.com/x',
  '//x',
  'javascript:1',
  '#000000',
  '#FFFFFF',
  '2030-01-01',
  '9999-12-31T23:59:59-15:59',
  '0001-01-01T00:00:00+15:00',
  'a/b',
  '..',
  'é',
  'x'.repeat(9000),
  "' or 1=1 --",
  '%',
  0,
  -0,
  1,
  -1,
  1e308,
  2 ** 53,
  null,
  true,
  false,
  [],
  {},
  [1],
  ['1'],
  [{ id: 1 }],
  [[]],
  'a@example.com',
  'administrator',
  ['click', 'link.updated', 'link.deleted'],
);

const someBody = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .dictionary(fc.constantFrom(...fields), fc.oneof(edgeCaseValue, fc.jsonValue()), { maxKeys: 6 })
      .map((body) => JSON.stringify(body)),
  },
  { weight: 2, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);

const someId = fc.oneof(
  fc.constantFrom('1', '2', '0', '-1', '%00', '%2e%2e', '1%20', '99999999999999999999'),
  fc
    .string({ maxLength: 6 })
    .map(encodeURIComponent)
    .filter((id) => id !== ''),
);

const parameters = [
  ...new Set(routes.flatMap(({ endpoint }) => Object.keys(endpoint.query?.shape ?? {}))),
  '__proto__',
];
const queryValues = [
  'hour',
  'month',
  'country',
  'class',
  'all',
  'click',
  'Europe/Berlin',
  '2026-11-01',
  '+24:00',
  '1700000000000-1',
];

const someQuery = fc
  .dictionary(
    fc.constantFrom(...parameters),
    fc.oneof(
      edgeCaseValue.map((value) => String(value).slice(0, 400)),
      fc.constantFrom(...queryValues),
      fc.string({ unit: 'binary', maxLength: 20 }),
    ),
    { maxKeys: 4 },
  )
  .map((query) => new URLSearchParams(query).toString());

// Event streams don't end: test/api-clicks-live.test.ts tests the requests that they refuse.
const finiteRoutes = routes.filter(({ endpoint }) => endpoint.streams !== 'text/event-stream');

for (const { method, path, endpoint } of finiteRoutes) {
  test(`${callsPerRoute.toLocaleString('en')} generated bodies for ${method} ${path} get JSON, and cause no internal error`, async () => {
    // API keys aren't deleted: one of them authenticates these calls.
    const id = path.includes('api_key') ? fc.constant('777777') : someId;
    const query = endpoint.query ? someQuery : fc.constant('');
    const calls = fc.sample(fc.tuple(someBody, id, fc.boolean(), query), {
      numRuns: callsPerRoute,
      seed: 20_261_120,
    });
    for (let start = 0; start < calls.length; start += concurrency) {
      await Promise.all(
        calls.slice(start, start + concurrency).map(async ([body, chosenId, withKey, query]) => {
          const send = {
            ...(method === 'GET' ? {} : { body }),
            // Endpoints that require a credential are called with and without one.
            ...(withKey || endpoint.credential !== 'required' ? { key: owner.key } : {}),
          };
          const { status, json, text } = await app.call(
            method,
            `${path.replace(/\{\w+\}/, chosenId)}${query && '?'}${query}`,
            send,
          );
          const isStream = status === 200 && endpoint.streams !== undefined;
          const isJson = status === 204 ? text === '' : isStream || json !== undefined;
          const hasErrorFields =
            status < 400 || (json?.status_code === status && typeof json.error_string === 'string');
          if (status >= 500 || !isJson || !hasErrorFields)
            throw new Error(
              `${method} ${path} ${chosenId} ${query} ${body}: ${status} ${text.slice(0, 300)}`,
            );
        }),
      );
    }
    expect(app.faults).toEqual([]);
  }, 240_000);
}
