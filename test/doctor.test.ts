import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Server, SQL } from 'bun';
import { openReadOnlyStore } from '../src/backup/read-only-store.ts';
import { headerFindings } from '../src/health/arrival.ts';
import { arrivalHeader, arrivalPath } from '../src/rules/arrival.ts';
import { storeKinds } from './support/app.ts';
import { startMailServer } from './support/mail-server.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { runToExit, settingsFor } from './support/populated-server.ts';
import { freshPostgres } from './support/postgres.ts';
import { type Program, runServer, stop, temporaryFolder } from './support/program.ts';

interface Report {
  readonly is_well: boolean;
  readonly findings: readonly { check: string; state: string; found: string; todo: string | null }[];
}

async function runDoctor(settings: Record<string, string>): Promise<[number, Report]> {
  const [code, out, err] = await runToExit(['doctor', '--json'], settings);
  expect(err).toBe('');
  return [code, JSON.parse(out)];
}

const findingsOf = ({ findings }: Report, check: string) =>
  findings.filter((finding) => finding.check === check);

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
    await stop(server);
    await folder[Symbol.asyncDispose]();
  });

  test('reports no problems except for a missing backup; once one was made it is reported', async () => {
    const [code, report] = await runDoctor(settings);
    expect([code, report.is_well]).toEqual([0, true]);
    const checks = [
      'settings',
      'disk',
      'clock',
      'dns',
      'certificate',
      'address',
      'database',
      'key',
      'mail',
      'backlog',
      'backup',
    ];
    expect([...new Set(report.findings.map(({ check }) => check))]).toEqual(checks);
    expect(findingsOf(report, 'address')).toEqual([
      expect.objectContaining({ state: 'ok', found: expect.stringContaining(url) }),
    ]);
    expect(findingsOf(report, 'backup')).toEqual([
      expect.objectContaining({ state: 'notice', found: 'No backup is known.' }),
    ]);
    expect((await runToExit(['backup', join(folder.path, 'one.linnet')], settings))[0]).toBe(0);
    expect(findingsOf((await runDoctor(settings))[1], 'backup')).toEqual([
      { check: 'backup', state: 'ok', found: 'The last backup was made within a day.', todo: null },
    ]);
    const [, text] = await runToExit(['doctor'], settings);
    expect(text).toMatch(/^ {2}ok {3}settings .*\n[\s\S]*\nNothing is wrong\.\n$/);
  });

  // The rest is independent of the database.
  if (kind !== 'sqlite') return;

  test('reports an untrusted proxy, by the route of its own request', async () => {
    using proxy = startProxy(url, (headers) => headers.set('x-forwarded-for', '192.0.2.1'));
    const throughProxy = { ...settings, BASE_URL: `http://127.0.0.1:${proxy.port}` };
    // This proxy doesn't keep the Host, so the server is reached by another address than the client used.
    const [code, report] = await runDoctor(throughProxy);
    expect(code).toBe(1);
    expect(findingsOf(report, 'address')).toEqual([
      expect.objectContaining({ state: 'problem', found: expect.stringContaining('TRUSTED_PROXIES is 0') }),
    ]);
    expect((await runDoctor({ ...throughProxy, TRUSTED_PROXIES: '1' }))[0]).toBe(0);
    using other = Bun.serve({ port: 0, fetch: () => new Response('hello') });
    const [, otherReport] = await runDoctor({ ...settings, BASE_URL: `http://127.0.0.1:${other.port}` });
    expect(findingsOf(otherReport, 'address')).toEqual([
      expect.objectContaining({ state: 'problem', found: expect.stringContaining('something else answers') }),
    ]);
  });

  test('calls the server itself where a proxy is set for outgoing calls', async () => {
    const proxies = { HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1' };
    const [, report] = await runDoctor({ ...settings, ...proxies });
    expect(findingsOf(report, 'address')).toEqual([expect.objectContaining({ state: 'ok' })]);
  });

  test('signs in to the mail server without sending anything, and reports a refusal', async () => {
    await using mail = await startMailServer();
    const good = { ...settings, SMTP_URL: `smtp://me:right%20horse@127.0.0.1:${mail.port}` };
    expect(findingsOf((await runDoctor(good))[1], 'mail')).toEqual([
      expect.objectContaining({ state: 'ok' }),
    ]);
    const [code, report] = await runDoctor({
      ...settings,
      SMTP_URL: `smtp://me:wrong@127.0.0.1:${mail.port}`,
    });
    expect([code, findingsOf(report, 'mail')]).toEqual([
      1,
      [expect.objectContaining({ state: 'problem', found: expect.stringContaining('Invalid') })],
    ]);
    expect(JSON.stringify(report)).not.toContain('wrong@');
    expect([mail.mails.length, mail.logins.length]).toEqual([0, 2]);
  });

  test("doesn't reveal the route of its request without the key", async () => {
    for (const value of [
      '',
      'x',
      `${Date.now()}.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`,
      `${Date.now()}.`,
    ]) {
      const response = await fetch(url + arrivalPath, {
        headers: value === '' ? {} : { [arrivalHeader]: value },
      });
      expect([response.status, (await response.text()).includes('client')]).toEqual([404, false]);
    }
  });
});

function startProxy(to: string, change: (headers: Headers) => void): Server<undefined> {
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
  const [code, report] = await runDoctor(settings);
  expect(code).toBe(1);
  expect(report.findings.map(({ check, state }) => `${check} ${state}`)).toEqual(
    Array(3).fill('settings problem'),
  );
  expect(JSON.stringify(report)).not.toContain('hunter2');
});

test('a folder that was never used is reported, and left unchanged', async () => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, 'none');
  const [code, report] = await runDoctor({ DATA_DIR: dataDir, PORT: '1' });
  expect([code, findingsOf(report, 'disk')[0]?.state, findingsOf(report, 'database')[0]?.found]).toEqual([
    1,
    'problem',
    'There is no store yet.',
  ]);
  expect(await Bun.file(join(dataDir, 'secret.key')).exists()).toBe(false);
});

test('a SQLite file that is no database is wrong', async () => {
  await using folder = await temporaryFolder();
  const settings = { DATA_DIR: folder.path, PORT: '1' };
  await Bun.write(join(folder.path, 'linnet.sqlite'), 'no database'.repeat(100));
  const [code, report] = await runDoctor(settings);
  const found = `The SQLite file in ${folder.path} can not be opened: file is not a database. It is damaged: restore a backup (docs/operations.md, "Backup and restore"), and keep what is there until that has worked.`;
  expect([code, findingsOf(report, 'database')[0]]).toEqual([
    1,
    expect.objectContaining({
      state: 'problem',
      found,
    }),
  ]);
  expect(await runToExit(['upgrade', '--check'], settings)).toEqual([1, '', `${found}\n`]);
});

test('certificate files that can not be used are wrong, and the rest is looked at', async () => {
  await using folder = await temporaryFolder();
  const [code, report] = await runDoctor({
    DATA_DIR: folder.path,
    HTTPS: 'files',
    BASE_URL: 'https://127.0.0.1:1',
    TLS_CERT: '/none/cert.pem',
    TLS_KEY: '/none/key.pem',
  });
  expect([code, findingsOf(report, 'settings')]).toEqual([
    1,
    [
      {
        check: 'settings',
        state: 'problem',
        found: 'TLS_CERT is "/none/cert.pem": there is no such file. Give a PEM file that can be read.',
        todo: 'Nothing starts until then.',
      },
    ],
  ]);
  expect(findingsOf(report, 'disk')).toHaveLength(1);
});

test('an empty secret.key is wrong', async () => {
  await using folder = await temporaryFolder();
  await Bun.write(join(folder.path, 'secret.key'), '');
  const [code, report] = await runDoctor({ DATA_DIR: folder.path, PORT: '1' });
  expect([code, findingsOf(report, 'key')[0]]).toEqual([
    1,
    expect.objectContaining({ state: 'problem', found: expect.stringContaining('is empty or cut off') }),
  ]);
});

test('a PostgreSQL role without rights is wrong', async () => {
  await using folder = await temporaryFolder();
  const DATABASE_URL = await migratedPostgres();
  const asOwner = new SQL({ url: DATABASE_URL, max: 1 });
  const role = `reader_${process.pid}`;
  await asOwner.unsafe(`create role ${role} login`);
  const url = new URL(DATABASE_URL);
  url.username = role;
  const settings = { DATA_DIR: folder.path, DATABASE_URL: url.href, PORT: '1' };
  const stateOf = async () => {
    const [code, report] = await runDoctor(settings);
    const [{ state, found } = {}] = findingsOf(report, 'database');
    return [code, state, found];
  };
  expect(await stateOf()).toEqual([1, 'problem', expect.stringContaining('permission denied')]);
  await asOwner.unsafe(`grant select on all tables in schema public to ${role}`);
  expect(await stateOf()).toEqual([1, 'problem', expect.stringMatching(/may not change the table "\w+"\.$/)]);
  await asOwner.unsafe(`grant insert, update, delete on all tables in schema public to ${role}`);
  expect(await stateOf()).toEqual([1, 'problem', expect.stringMatching(/may not make tables\.$/)]);
  expect((await runToExit(['upgrade'], settings))[2]).toMatch(
    /can not be used: permission denied for schema public\. Make the user of DATABASE_URL the owner of/,
  );
  await asOwner.unsafe(`grant create on schema public to ${role}`);
  expect(await stateOf()).toEqual([1, 'problem', expect.stringMatching(/not own the table "hit_chunks"\.$/)]);
  await asOwner.unsafe(`drop owned by ${role}; drop role ${role}`);
  await asOwner.end();
});

test('a SQLite file that can not be reached is not taken for one that is missing', async () => {
  await using folder = await temporaryFolder();
  const settings = { DATA_DIR: folder.path, PORT: '1' };
  // Also for root, who may look into every folder.
  symlinkSync('linnet.sqlite', join(folder.path, 'linnet.sqlite'));
  const [code, report] = await runDoctor(settings);
  expect([code, findingsOf(report, 'database')[0]?.found]).toEqual([1, expect.stringContaining('ELOOP')]);
  for (const command of [
    ['upgrade', '--check'],
    ['backup', join(folder.path, 'copy.linnet')],
  ])
    expect(await runToExit(command, settings)).toEqual([1, '', expect.stringContaining('ELOOP')]);
});

test('an unreachable database is reported without its password, and so are the other checks', async () => {
  await using folder = await temporaryFolder();
  const DATABASE_URL = 'postgres://linnet:hunter2@127.0.0.1:1/none';
  const [code, report] = await runDoctor({ DATA_DIR: folder.path, DATABASE_URL, PORT: '1' });
  expect(code).toBe(1);
  expect(findingsOf(report, 'database')[0]?.found).toMatch(
    /^The database at 127\.0\.0\.1:1\/none can not be/,
  );
  expect(findingsOf(report, 'disk')[0]?.state).toBe('ok');
  expect(JSON.stringify(report)).not.toContain('hunter2');
});

test('a database that accepts connections and answers nothing ends doctor, `upgrade --check` and `backup`', async () => {
  await using folder = await temporaryFolder();
  using silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const DATABASE_URL = `postgres://linnet@127.0.0.1:${silent.port}/none?connect_timeout=1`;
  const settings = { DATA_DIR: folder.path, DATABASE_URL, PORT: '1' };
  const line = `The database at 127.0.0.1:${silent.port}/none can not be reached: timeout expired.`;
  const [code, report] = await runDoctor(settings);
  expect([code, findingsOf(report, 'database')[0]?.found]).toEqual([1, expect.stringContaining(line)]);
  for (const command of [
    ['upgrade', '--check'],
    ['backup', join(folder.path, 'copy.linnet')],
  ])
    expect(await runToExit(command, settings)).toEqual([1, '', expect.stringContaining(line)]);
});

test('a query that takes too long is stopped, and the store can still be closed', async () => {
  await using store = await openReadOnlyStore(await freshPostgres(), '');
  await expect(store?.query('select pg_sleep(60)', 300)).rejects.toThrow('timeout');
});

const hops = (count: number) => ({ kind: 'hops', count }) as const;
const browserHeaders = { 'sec-fetch-mode': 'navigate' };
test.each([
  ['no proxy, none trusted', browserHeaders, hops(0), false, ['ok']],
  ['a proxy, none trusted', { ...browserHeaders, via: '1.1 x' }, hops(0), false, ['problem']],
  ['a proxy, trusted', { ...browserHeaders, 'x-forwarded-for': '192.0.2.1' }, hops(1), false, ['ok']],
  ['no proxy, one trusted', browserHeaders, hops(1), false, ['problem']],
  ['fewer than trusted', { ...browserHeaders, 'x-forwarded-for': '192.0.2.1' }, hops(2), false, ['problem']],
  [
    'a proxy that hides https',
    { ...browserHeaders, 'x-forwarded-for': '192.0.2.1' },
    hops(1),
    true,
    ['notice'],
  ],
  [
    'a proxy that forwards https',
    { ...browserHeaders, 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' },
    hops(1),
    true,
    ['ok'],
  ],
  ['a proxy that removes Sec-Fetch', { 'x-forwarded-for': '192.0.2.1' }, hops(1), false, ['notice']],
] as const)('received header fields: %s', (_, headers, trusted, isSecure, states) => {
  const findings = headerFindings({ client: '192.0.2.1', headers }, trusted, isSecure, 'https://l.example');
  expect(findings.map(({ state }) => state)).toEqual([...states]);
});
