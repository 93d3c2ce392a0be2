import { expect, test } from 'bun:test';
import { startApp, type TestApp } from './support/app.ts';

const setup = async (app: TestApp, headers: Record<string, string> = {}) =>
  (await app.call('GET', '/api/v1/setup', { headers })).json;

test('before and after the first account is created, every client gets what the dashboard needs', async () => {
  const app = await startApp({ env: { REGISTRATION: 'closed' } });
  const { host, origin } = new URL(app.url);
  const fresh = {
    needs_first_account: true,
    may_create_here: true,
    registration_open: false,
    mail: false,
    default_domain: host,
    origin,
    base_url_is_set: false,
    domains_lead_here: false,
    regions_known: false,
    cities_known: false,
  };
  expect(await setup(app)).toEqual(fresh);
  const fromElsewhere = { 'x-forwarded-for': '203.0.113.9' };
  expect(await setup(app, fromElsewhere)).toEqual({ ...fresh, may_create_here: false });
  expect(await setup(app, { origin: 'https://evil.example' })).toEqual({ ...fresh, may_create_here: false });

  const page = { origin, 'sec-fetch-site': 'same-origin' };
  const credentials = { email: 'ada@example.com', password: 'a long enough one' };
  expect(
    (await app.call('POST', '/api/v1/user', { headers: page, body: { ...credentials, name: 'Ada' } })).status,
  ).toBe(201);
  const { status, json } = await app.call('POST', '/api/v1/session', { headers: page, body: credentials });
  expect([status, json.role, json.organization_name]).toEqual([201, 'administrator', 'Ada']);
  expect(await setup(app)).toEqual({ ...fresh, needs_first_account: false });
  await app.stop();
});

test('the first account can be created from elsewhere with the token that is printed at start', async () => {
  const app = await startApp({ env: { REGISTRATION: 'closed', BASE_URL: 'https://links.example.com' } });
  const page = { origin: 'https://links.example.com', 'x-forwarded-for': '203.0.113.9' };
  expect(await setup(app, page)).toMatchObject({
    needs_first_account: true,
    may_create_here: false,
    default_domain: 'links.example.com',
    origin: 'https://links.example.com',
  });
  const body = { email: 'ada@example.com', password: 'a long enough one' };
  expect((await app.call('POST', '/api/v1/user', { headers: page, body })).status).toBe(403);
  const setup_token = app.app.setupToken;
  expect(
    (await app.call('POST', '/api/v1/user', { headers: page, body: { ...body, setup_token } })).status,
  ).toBe(201);
  await app.stop();
});

test('open registration and a mail server are reported', async () => {
  const app = await startApp({ env: { REGISTRATION: 'open', SMTP_URL: 'smtp://127.0.0.1:1' } });
  expect(await setup(app)).toMatchObject({ registration_open: true, mail: true });
  await app.stop();
});
