import { expect, test } from 'bun:test';
import { routes } from '../src/api/routes.ts';
import { appForSuite } from './support/app-suite.ts';

const app = appForSuite();

test('the document has every route with its responses, and every reference in it resolves', async () => {
  const { json: document } = await app.call('GET', '/openapi.json');
  expect(document.openapi).toBe('3.1.0');
  expect(document.servers).toEqual([{ url: app.url }]);
  for (const { method, path, endpoint } of routes) {
    const operation = document.paths[path]?.[method.toLowerCase()];
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(Object.keys(endpoint.statuses)));
    expect(operation.summary).not.toBe('');
  }
  const references = JSON.stringify(document).match(/#\/components\/schemas\/\w+/g) ?? [];
  expect(references.length).toBeGreaterThan(20);
  for (const reference of new Set(references)) {
    expect(document.components.schemas).toHaveProperty(reference.split('/').at(-1) ?? '');
  }
});

test('operation ids are unique, and each body field of the specification is in the document', async () => {
  const { json: document } = await app.call('GET', '/openapi.json');
  const operations = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap(
    (methods) => Object.values(methods),
  );
  const ids = operations.map((operation) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const { properties } = document.paths['/api/v1/link'].post.requestBody.content['application/json'].schema;
  const isRead = (field: string) => properties[field].readOnly === undefined;
  expect(Object.keys(properties).filter(isRead).sort()).toEqual([
    'aliases',
    'android_link_destination',
    'archived',
    'before_start_url',
    'bot_protection',
    'captcha',
    'click_limit',
    'destination_url',
    'disabled',
    'domain',
    'expiration_date',
    'expired_url',
    'external_id',
    'forward_path',
    'forward_query',
    'ios_link_destination',
    'name',
    'notes',
    'og_description',
    'og_image',
    'og_title',
    'on_paper',
    'password',
    'qr_code_background_hex',
    'qr_code_foreground_hex',
    'qr_code_marker',
    'redirect_status',
    'rules',
    'start_date',
    'statistics',
    'suffix',
    'tags',
    'utm_campaign',
    'utm_content',
    'utm_medium',
    'utm_source',
    'utm_term',
    'watch_destination',
    'webhook_auth_key',
    'webhook_events',
    'webhook_url',
  ]);
});

test('the reference page has every operation and needs no other host and no script', async () => {
  const { status, headers, text } = await app.call('GET', '/docs');
  expect(status).toBe(200);
  expect(headers.get('content-security-policy')).toStartWith("default-src 'none'");
  for (const { path } of routes) expect(text).toContain(path);
  expect(text).not.toMatch(/<script|src=|@import|url\(/i);
  const addresses = text.match(/https?:\/\/[^\s"'<&]+/g) ?? [];
  for (const address of addresses)
    expect([new URL(app.url).origin, 'https://example.com']).toContain(new URL(address).origin);
});

test('a slash after the address of the reference page is ignored', async () => {
  expect((await app.call('GET', '/docs/')).status).toBe(200);
  const missing = await app.call('GET', '/docs/other');
  expect([missing.status, /class="host">([^<]*)/.exec(missing.text)?.[1]]).toEqual([404, '127.0.0.1']);
});

test('numbers and booleans of a query have their type, default and limits', async () => {
  const { json: document } = await app.call('GET', '/openapi.json');
  const parameters = (path: string, method: string): Record<string, object> =>
    Object.fromEntries(
      document.paths[path][method].parameters.map((parameter: { name: string; schema: object }) => [
        parameter.name,
        parameter.schema,
      ]),
    );
  const links = parameters('/api/v1/link', 'get');
  expect(links.limit).toEqual({ type: 'integer', minimum: 1, maximum: 1000, default: 25 });
  expect(links.offset).toEqual({ type: 'integer', minimum: 0, maximum: 1_000_000_000, default: 0 });
  expect(links.before).toMatchObject({ type: 'integer', minimum: 1, format: 'int64' });
  expect(links.daily).toEqual({ type: 'integer', minimum: 1, maximum: 31 });
  expect(parameters('/api/v1/link', 'post').disable_png).toEqual({ type: 'boolean', default: false });
});

test('response schemas allow new fields, and body schemas refuse unknown ones as the calls do', async () => {
  const { json: document } = await app.call('GET', '/openapi.json');
  const responseSchemas = [
    document.components.schemas,
    ...Object.values<Record<string, { responses: object }>>(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ responses }) => responses),
    ),
  ];
  expect(JSON.stringify(responseSchemas)).not.toContain('"additionalProperties":false');
  const body = document.paths['/api/v1/link'].post.requestBody.content['application/json'].schema;
  expect(body.additionalProperties).toBe(false);
});

test('the schemas of bodies that may be an answer that was read have all of its fields', async () => {
  const { json: document } = await app.call('GET', '/openapi.json');
  type Schema = { properties: Record<string, Schema & { readOnly?: boolean; items: Schema }> };
  const bodyOf = (method: string, path: string): Schema =>
    document.paths[path][method.toLowerCase()].requestBody.content['application/json'].schema;
  const { id, destination_url } = bodyOf('POST', '/api/v1/link').properties;
  expect([id?.readOnly, destination_url?.readOnly]).toEqual([true, undefined]);
  expect(JSON.stringify(document.components.schemas)).not.toContain('readOnly');
  const takingBack = routes.filter(({ endpoint }) => endpoint.takesAnswerBack);
  expect(takingBack.length).toBeGreaterThan(5);
  for (const { method, path, endpoint } of takingBack) {
    const name = endpoint.answer?.meta()?.id;
    const answered = Object.keys(document.components.schemas[name ?? ''].properties);
    expect(Object.keys(bodyOf(method, path).properties)).toEqual(expect.arrayContaining(answered));
  }
  const { links } = bodyOf('POST', '/api/v1/link/bulk').properties;
  expect(links?.items.properties.id).toEqual(id);
  expect((await app.call('GET', '/docs')).text).toContain('ignored if they are sent back: <code>id</code>');
});

test('headers that calls take and that errors have are in the document', async () => {
  const { json: document } = await app.call('GET', '/openapi.json');
  const operations = Object.entries<Record<string, { parameters: { name: string; in: string }[] }>>(
    document.paths,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters }]) => ({ call: `${method} ${path}`, parameters })),
  );
  const taking = (header: string) =>
    operations.flatMap(({ call, parameters }) =>
      parameters.some((parameter) => parameter.in === 'header' && parameter.name === header) ? call : [],
    );
  expect(taking('If-Match')).toEqual([
    'put /api/v1/link/external/{external_id}',
    'patch /api/v1/link/{id}',
    'delete /api/v1/link/{id}',
    'post /api/v1/link/{id}/history/restore',
  ]);
  expect(taking('Idempotency-Key')).toContain('post /api/v1/link');
  const { responses } = document.paths['/api/v1/link'].get;
  for (const status of [503, 504]) expect(responses[status].headers).toHaveProperty('Retry-After');
  expect(responses[400].headers).toBeUndefined();
});
