import { describe, expect, test } from 'bun:test';
import { forgetBaseUrl, setBaseUrl } from '../src/cli/base-url.ts';
import { startApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { storeFolder } from './support/migrated-store.ts';
import { runCommand, runServer, stop } from './support/program.ts';
import { visitRaw } from './support/raw-http.ts';

const credentials = { email: 'owner@example.com', password: 'a long enough one' };
const json = { 'content-type': 'application/json' };

const register = async (url: string, host: string, fields: object) => {
  const response = await visitRaw(url, {
    method: 'POST',
    path: '/api/v1/user',
    host,
    headers: json,
    body: JSON.stringify({ ...credentials, ...fields }),
  });
  return { status: response.status, json: JSON.parse(response.body) };
};

describe('a new service that gets requests for a host name other than its own', () => {
  const host = 'links.example:8080';

  test('redirects to its set-up page until the first account exists', async () => {
    const app = await startApp({ env: { REGISTRATION: 'closed' } });
    const open = (path: string) => visitRaw(app.url, { path, host, headers: { accept: 'text/html' } });
    const home = await open('/');
    expect([home.status, home.headers.location]).toEqual([302, '/app']);
    const page = await open('/app');
    expect([page.status, page.body.includes('<title>Linnet</title>')]).toEqual([200, true]);
    const script = /src="(\/assets\/[^"]+)"/.exec(page.body)?.[1] ?? '';
    expect((await open(script)).status).toBe(200);
    expect((await open('/somewhere')).status).toBe(404);
    await app.createAccount();
    for (const path of ['/', '/app', script]) expect([path, (await open(path)).status]).toEqual([path, 404]);
    await app.stop();
  });

  test('accepts a base URL only from clients that have the set-up token or run on the same machine', async () => {
    const app = await startApp({ env: { REGISTRATION: 'open' } });
    const base_url = 'http://links.example:8080';
    for (const wrong of [{}, { setup_token: 'x'.repeat(24) }]) {
      const refused = await register(app.url, host, { base_url, ...wrong });
      expect([refused.status, refused.json.error_code]).toEqual([403, 'SETUP_TOKEN_WRONG']);
    }
    const setup_token = app.app.setupToken;
    for (const bad of [
      '',
      'links.example',
      'ftp://links.example',
      'http://x/path',
      'http://u:p@x',
      'http://localhost:3000',
    ]) {
      const refused = await register(app.url, host, { base_url: bad, setup_token });
      expect([bad, refused.status, refused.json.field_key]).toEqual([bad, 400, 'base_url']);
    }
    expect((await register(app.url, host, { base_url, setup_token })).status).toBe(201);
    const secondAccount = await register(app.url, host, {
      email: 'late@example.com',
      base_url: 'http://evil.example',
    });
    expect([secondAccount.status, secondAccount.json.error_code, secondAccount.json.field_key]).toEqual([
      400,
      'FIELD_FIXED',
      'base_url',
    ]);
    await app.stop();
  });

  test('keeps the URL from BASE_URL', async () => {
    const app = await startApp({ env: { REGISTRATION: 'closed', BASE_URL: 'https://links.example.com' } });
    const setup_token = app.app.setupToken;
    const refused = await register(app.url, host, { base_url: 'http://links.example:8080', setup_token });
    expect([refused.status, refused.json.error_code]).toEqual([400, 'FIELD_FIXED']);
    expect((await app.call('GET', '/api/v1/setup')).json).toMatchObject({
      needs_first_account: true,
      base_url_is_set: true,
      origin: 'https://links.example.com',
    });
    await app.stop();
  });
});

test.each([{}, { WORKERS: '2' }])(
  'the base URL set with the first account applies from then on, with %p',
  async (extra) => {
    await using folder = await storeFolder();
    const settings = { PORT: '0', DATA_DIR: folder.path, HOST: '0.0.0.0', ...extra };
    const program = runServer(settings);
    const url = await program.address();
    const port = new URL(url).port;
    const base_url = `http://links.example:${port}`;
    const { token } = await tokenOf(settings);
    expect(program.output().out).not.toContain(token);
    const created = await register(url, `links.example:${port}`, { base_url, setup_token: token });
    expect(created.status).toBe(201);
    await expectToServe(url, base_url);
    await stop(program);
  },
  120_000,
);

test('the base URL set with the first account applies at the next start, unless BASE_URL is set', async () => {
  await using folder = await storeFolder();
  const start = (env = {}) => startApp({ env: { DATA_DIR: folder.path, ...env } });
  const app = await start();
  const base_url = 'http://links.example:8080';
  const { setupToken: setup_token } = app.app;
  expect((await register(app.url, 'links.example:8080', { base_url, setup_token })).status).toBe(201);
  await app.stop();
  for (const [env, expected] of [
    [{}, base_url],
    [{ BASE_URL: 'http://other.example' }, 'http://other.example'],
  ] as const) {
    const restarted = await start(env);
    expect(restarted.app.url).toBe(expected);
    await restarted.stop();
  }
});

/** Waits until a new base URL applies. Each worker switches to it separately. */
async function expectToServe(url: string, base_url: string): Promise<void> {
  const origin = async () => {
    const response = await visitRaw(url, { path: '/api/v1/setup', host: 'links.example' }).catch(() => null);
    return response?.status === 200 ? JSON.parse(response.body).origin : null;
  };
  await eventually(
    async () => {
      for (let time = 0; time < 21; time++) if ((await origin()) !== base_url) return false;
      return true;
    },
    'the new base URL',
    60_000,
  );
  const home = (host: string) => visitRaw(url, { path: '/', host });
  expect((await home('links.example')).headers.location).toBe('/app');
  expect((await home('127.0.0.1')).status).toBe(404);
}

test('the command line shows the set-up token until an account exists, and sets and clears the base URL', async () => {
  await using folder = await storeFolder();
  const settings = { DATA_DIR: folder.path };
  const program = runCommand(['base-url', 'set', '--url', 'https://links.example.com/'], settings);
  expect([await program.exited, program.output().out]).toEqual([
    0,
    expect.stringContaining('People reach Linnet at https://links.example.com. '),
  ]);
  expect((await tokenOf(settings)).token).toMatch(/^[\w-]{24}$/);
  const started = await startApp({ env: settings });
  expect(started.app.url).toBe('https://links.example.com');
  const { context } = started.app;
  const causeOf = (url: string) => setBaseUrl.run(context, { url }).catch((cause) => cause.message);
  expect(await causeOf('http://localhost:3000')).toContain('this machine alone');
  expect(await causeOf('foo')).toStartWith('--url is no address of a service');
  expect(await forgetBaseUrl.run(context, {})).toStartWith('No address is set.');
  await started.createAccount();
  await started.stop();
  const afterAccount = runCommand(['setup', 'token'], settings);
  expect([await afterAccount.exited, afterAccount.output()]).toEqual([
    1,
    { out: '', err: expect.stringContaining('There is an account already') },
  ]);
});

async function tokenOf(settings: Record<string, string>) {
  const program = runCommand(['setup', 'token'], settings);
  expect(await program.exited).toBe(0);
  return { token: program.output().out.trim() };
}
