import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Server } from 'bun';
import { headerFindings } from '../src/health/arrival.ts';
import { arrivalHeader, arrivalPath } from '../src/rules/arrival.ts';
import { storeKinds } from './support/app.ts';
import { startMailServer } from './support/mail-server.ts';
import { command, settingsFor } from './support/populated-server.ts';
import { type Program, runServer, temporaryFolder } from './support/program.ts';

interface Told {
  readonly is_well: boolean;
  readonly findings: readonly { check: string; state: string; found: string; todo: string | null }[];
}

async function ask(settings: Record<string, string>): Promise<[number, Told]> {
  const [code, out, err] = await command(['doctor', '--json'], settings);
  expect(err).toBe('');
  return [code, JSON.parse(out)];
}

const of = ({ findings }: Told, check: string) => findings.filter((finding) => finding.check === check);

describe.each(storeKinds)('the doctor, for a running server on %s', (kind) => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let settings: Record<string, string>;
  let server: Program;
  let url: string;

  beforeAll(async () => {
    folder = await temporaryFolder();
    settings = await settingsFor(kind, folder.path);
    server = runServer(settings);
    url = await server.address();
    settings.PORT = new URL(url).port;
  }, 240_000);
  afterAll(async () => {
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    await folder[Symbol.asyncDispose]();
  });

  test('reports no problems except for a missing backup; once one was made it is known', async () => {
    const [code, told] = await ask(settings);
    expect([code, told.is_well]).toEqual([0, true]);
    const checks = [
      'settings',
      'disk',
      'clock',
      'dns',
      'certificate',
      'address',
      'database',
      'mail',
      'backlog',
      'backup',
    ];
    expect([...new Set(told.findings.map(({ check }) => check))]).toEqual(checks);
    expect(of(told, 'address')).toEqual([
      expect.objectContaining({ state: 'ok', found: expect.stringContaining(url) }),
    ]);
    expect(of(told, 'backup')).toEqual([
      expect.objectContaining({ state: 'notice', found: 'No backup is known of.' }),
    ]);
    expect((await command(['backup', join(folder.path, 'one.linnet')], settings))[0]).toBe(0);
    expect(of((await ask(settings))[1], 'backup')).toEqual([
      { check: 'backup', state: 'ok', found: 'The last backup was made within a day.', todo: null },
    ]);
    const [, words] = await command(['doctor'], settings);
    expect(words).toMatch(/^ {2}ok {3}settings .*\n[\s\S]*\nNothing is wrong\.\n$/);
  });

  test('reports an untrusted proxy, by the route of its own request', async () => {
    using proxy = forwarding(url, (headers) => headers.set('x-forwarded-for', '192.0.2.1'));
    const through = { ...settings, BASE_URL: `http://127.0.0.1:${proxy.port}` };
    // This proxy doesn't keep the Host, so the server is reached by another address than the client used.
    const [code, told] = await ask(through);
    expect(code).toBe(1);
    expect(of(told, 'address')).toEqual([
      expect.objectContaining({ state: 'problem', found: expect.stringContaining('TRUSTED_PROXIES is 0') }),
    ]);
    expect((await ask({ ...through, TRUSTED_PROXIES: '1' }))[0]).toBe(0);
    using other = Bun.serve({ port: 0, fetch: () => new Response('hello') });
    const [, lost] = await ask({ ...settings, BASE_URL: `http://127.0.0.1:${other.port}` });
    expect(of(lost, 'address')).toEqual([
      expect.objectContaining({ state: 'problem', found: expect.stringContaining('something else answers') }),
    ]);
  });

  test('signs in to the mail server without sending anything, and reports a refusal', async () => {
    await using mail = await startMailServer();
    const good = { ...settings, SMTP_URL: `smtp://me:right%20horse@127.0.0.1:${mail.port}` };
    expect(of((await ask(good))[1], 'mail')).toEqual([expect.objectContaining({ state: 'ok' })]);
    const [code, told] = await ask({ ...settings, SMTP_URL: `smtp://me:wrong@127.0.0.1:${mail.port}` });
    expect([code, of(told, 'mail')]).toEqual([
      1,
      [expect.objectContaining({ state: 'problem', found: expect.stringContaining('Invalid') })],
    ]);
    expect(JSON.stringify(told)).not.toContain('wrong@');
    expect([mail.mails.length, mail.logins.length]).toEqual([0, 2]);
  });

  test("doesn't reveal the route of its request without the key", async () => {
    for (const value of [
      '',
      'x',
      `${Date.now()}.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`,
      `${Date.now()}.`,
    ]) {
      const answer = await fetch(url + arrivalPath, {
        headers: value === '' ? {} : { [arrivalHeader]: value },
      });
      expect([answer.status, (await answer.text()).includes('client')]).toEqual([404, false]);
    }
  });
});

function forwarding(to: string, change: (headers: Headers) => void): Server<undefined> {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const headers = new Headers(request.headers);
      headers.set('host', new URL(to).host);
      change(headers);
      return fetch(to + new URL(request.url).pathname, { headers });
    },
  });
}

test('all wrong settings are reported at once, and nothing is created or opened', async () => {
  await using folder = await temporaryFolder();
  const settings = {
    DATA_DIR: join(folder.path, 'none'),
    PORT: 'abc',
    BASE_URL: 'links',
    SMTP_URL: 'smtp://:hunter2@',
  };
  const [code, told] = await ask(settings);
  expect(code).toBe(1);
  expect(told.findings.map(({ check, state }) => `${check} ${state}`)).toEqual(
    Array(3).fill('settings problem'),
  );
  expect(JSON.stringify(told)).not.toContain('hunter2');
});

test('a folder that was never used is reported, and left unchanged', async () => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, 'none');
  const [code, told] = await ask({ DATA_DIR: dataDir, PORT: '1' });
  expect([code, of(told, 'disk')[0]?.state, of(told, 'database')[0]?.found]).toEqual([
    1,
    'problem',
    'There is no store yet.',
  ]);
  expect(await Bun.file(join(dataDir, 'secret.key')).exists()).toBe(false);
});

test('an unreachable database is reported without its password, and so are the other checks', async () => {
  await using folder = await temporaryFolder();
  const DATABASE_URL = 'postgres://linnet:hunter2@127.0.0.1:1/none';
  const [code, told] = await ask({ DATA_DIR: folder.path, DATABASE_URL, PORT: '1' });
  expect(code).toBe(1);
  expect(of(told, 'database')[0]?.found).toMatch(/^The database at 127\.0\.0\.1:1\/none can not be/);
  expect(of(told, 'disk')[0]?.state).toBe('ok');
  expect(JSON.stringify(told)).not.toContain('hunter2');
});

const hops = (count: number) => ({ kind: 'hops', count }) as const;
const all = { 'sec-fetch-mode': 'navigate' };
test.each([
  ['no proxy, none trusted', all, hops(0), false, ['ok']],
  ['a proxy, none trusted', { ...all, via: '1.1 x' }, hops(0), false, ['problem']],
  ['a proxy, trusted', { ...all, 'x-forwarded-for': '192.0.2.1' }, hops(1), false, ['ok']],
  ['none, but trusted', all, hops(1), false, ['problem']],
  ['fewer than trusted', { ...all, 'x-forwarded-for': '192.0.2.1' }, hops(2), false, ['problem']],
  ['a proxy that hides https', { ...all, 'x-forwarded-for': '192.0.2.1' }, hops(1), true, ['notice']],
  [
    'a proxy that tells https',
    { ...all, 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' },
    hops(1),
    true,
    ['ok'],
  ],
  ['a proxy that takes out Sec-Fetch', { 'x-forwarded-for': '192.0.2.1' }, hops(1), false, ['notice']],
] as const)('received header fields: %s', (_, headers, trusted, isSecure, states) => {
  const findings = headerFindings({ client: '192.0.2.1', headers }, trusted, isSecure, 'https://l.example');
  expect(findings.map(({ state }) => state)).toEqual([...states]);
});
