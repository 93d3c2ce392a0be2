import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { markOf } from '../src/auth/master-key.ts';
import { Secrets } from '../src/auth/secrets.ts';
import { loadConfig } from '../src/config/load.ts';
import { headerFindings } from '../src/health/arrival.ts';
import { backlogFindings } from '../src/health/backlog.ts';
import { certificateFinding, certificateFindings } from '../src/health/certificate.ts';
import type { CheckContext, Findings } from '../src/health/check-context.ts';
import { clockFindings } from '../src/health/clock.ts';
import { databaseFindings } from '../src/health/database.ts';
import { diskFindings, roomFinding } from '../src/health/disk.ts';
import { dnsFindings } from '../src/health/dns.ts';
import { keyFindings } from '../src/health/key.ts';
import { lastBackupFindings } from '../src/health/last-backup.ts';
import { runChecks } from '../src/health/run-checks.ts';
import { folderOf, segmentFile } from '../src/journal/files.ts';
import { probeHeader } from '../src/rules/arrival.ts';
import { dayLength } from '../src/rules/durations.ts';
import { Site } from '../src/rules/site.ts';
import { newestMigration } from '../src/storage/newest-migration.ts';
import { selfSigned } from './support/certificate.ts';
import { temporaryFolder } from './support/program.ts';

const now = Date.now();
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: Server;
let port: number;
beforeAll(async () => {
  folder = await temporaryFolder();
  const { certificate, key } = selfSigned('localhost');
  server = createServer({ cert: certificate, key });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(async () => {
  server.close();
  await folder[Symbol.asyncDispose]();
});

type Row = Record<string, unknown>;

/** A store that answers a query by the first of these keys that it contains, and any other query with no rows. */
const storeWith = (answers: Record<string, readonly Row[]>): NonNullable<CheckContext['store']> => ({
  kind: 'sqlite',
  query: async (sql) => Object.entries(answers).find(([words]) => sql.includes(words))?.[1] ?? [],
});

function checkContext(
  changes: Partial<CheckContext> & { readonly env?: Record<string, string> } = {},
): CheckContext {
  const { env = {}, ...rest } = changes;
  return {
    config: loadConfig(env),
    dataDir: folder.path,
    site: new Site(new URL('https://links.example.com')),
    secrets: null,
    keyProblem: null,
    store: storeWith({}),
    storeProblem: null,
    dns: { addressesOf: async () => ['192.0.2.7'] },
    mailer: null,
    now,
    ...rest,
  };
}

/** The state and text of each finding; each one that isn't "ok" must have a todo. */
async function textsOf(findings: Promise<Findings>): Promise<string[]> {
  const found = [await findings].flat();
  for (const { state, todo } of found) expect(todo === null).toBe(state === 'ok');
  return found.map(({ state, found }) => `${state}: ${found}`);
}

describe('the DNS', () => {
  const domains = storeWith({ 'from domains': [{ host: 'go.example.org' }, { host: 'to.example.org' }] });
  const dnsWith = (names: Record<string, readonly string[] | null>) => ({
    addressesOf: async (host: string) => names[host] ?? (host in names ? null : []),
  });

  test('has the host and each domain, otherwise the missing ones are reported', async () => {
    const here = ['192.0.2.7'];
    const names = { 'links.example.com': here, 'go.example.org': here, 'to.example.org': ['192.0.2.9'] };
    expect(await textsOf(dnsFindings(checkContext({ store: domains, dns: dnsWith(names) })))).toEqual([
      'ok: links.example.com leads to 192.0.2.7.',
      'notice: to.example.org leads to 192.0.2.9.',
      'ok: 1 verified domain leads here.',
    ]);
    const partial = dnsWith({ 'links.example.com': here, 'go.example.org': null });
    expect(await textsOf(dnsFindings(checkContext({ store: domains, dns: partial })))).toEqual([
      'ok: links.example.com leads to 192.0.2.7.',
      'notice: The name servers did not answer for go.example.org.',
      'notice: to.example.org has no address.',
    ]);
    expect(await textsOf(dnsFindings(checkContext({ dns: dnsWith({}) })))).toEqual([
      'problem: links.example.com has no address in the DNS.',
    ]);
    expect(await textsOf(dnsFindings(checkContext({ dns: dnsWith({ 'links.example.com': null }) })))).toEqual(
      ['notice: The name servers did not answer for links.example.com.'],
    );
  });
});

test('advice names the setting that the address comes from', async () => {
  const dns = { addressesOf: async () => [] };
  const todoWith = async (env: Record<string, string>) =>
    [await dnsFindings(checkContext({ dns, env }))].flat()[0]?.todo;
  expect(await todoWith({})).toEndWith(', or correct the stored address ("base-url set" changes it).');
  expect(await todoWith({ BASE_URL: 'https://links.example.com' })).toEndWith(', or correct BASE_URL.');
});

test('an IPv6 address of a domain may be written in another form than that of DOMAIN_TARGET', async () => {
  const store = storeWith({ 'from domains': [{ host: 'go.example.org' }] });
  const dns = { addressesOf: async () => ['2001:db8::1'] };
  const env = { DOMAIN_TARGET: '2001:db8:0:0::1' };
  expect(await textsOf(dnsFindings(checkContext({ store, dns, env })))).toContain(
    'ok: 1 verified domain leads here.',
  );
});

test('a proxy that TRUSTED_PROXIES does not name is reported', () => {
  const { trustedProxies } = loadConfig({ TRUSTED_PROXIES: '192.168.0.0/16' });
  const headers = { 'x-forwarded-for': '203.0.113.7', [probeHeader]: 'navigate' };
  const found = (isProxyTrusted: boolean) =>
    headerFindings(
      { client: '10.0.0.5', isProxyTrusted, headers },
      trustedProxies,
      false,
      'http://a.example',
    );
  expect(found(true)).toMatchObject([{ state: 'ok' }]);
  expect(found(false)).toMatchObject([
    { state: 'problem', found: expect.stringContaining('does not name the proxy 10.0.0.5') },
  ]);
});

test('a custom domain with the host of the public address is reported, because its links are not reached', async () => {
  const store = storeWith({
    sqlite_master: [{ 1: 1 }],
    "host = 'links.example.com'": [{ 1: 1 }],
  });
  expect(await textsOf(dnsFindings(checkContext({ store })))).toEqual([
    'ok: links.example.com leads to 192.0.2.7.',
    "problem: links.example.com is the host of the public address and also a custom domain: visitors don't reach the links of that domain.",
  ]);
});

describe('the certificate', () => {
  const site = () => new Site(new URL(`https://localhost:${port}`));

  test('is checked as by a browser: whether it is trusted, expired, expiring, or present at all', async () => {
    const [untrusted] = await textsOf(certificateFindings(checkContext({ site: site() })));
    expect(untrusted).toMatch(/^problem: Browsers refuse the certificate of localhost: /);
    const later = checkContext({ site: site(), now: now + 5 * dayLength });
    expect((await textsOf(certificateFindings(later)))[0]).toMatch(/^problem: .* expired \d days ago/);
    const nowhere = checkContext({ site: new Site(new URL('https://localhost:1')) });
    expect((await textsOf(certificateFindings(nowhere)))[0]).toMatch(
      /^notice: .* could not be seen from here/,
    );
    const plain = checkContext({ site: new Site(new URL('http://localhost')) });
    expect((await textsOf(certificateFindings(plain)))[0]).toMatch(/^ok: .* without HTTPS/);
  });

  test('that should have been renewed is reported, however long its lifetime', () => {
    const stateOf = (life: number, left: number) =>
      certificateFinding(
        'a.example',
        { problem: null, begins: now - (life - left) * dayLength, expires: now + left * dayLength },
        now,
      ).state;
    expect([
      stateOf(90, 29),
      stateOf(90, 9),
      stateOf(6, 2),
      stateOf(6, 0.5),
      stateOf(365, 11),
      stateOf(365, 9),
    ]).toEqual(['ok', 'notice', 'ok', 'notice', 'ok', 'notice']);
  });

  test('whose order failed is reported with the authority’s message, as a notice while it is still valid', async () => {
    const failing = (host: string, not_after: number | null) => ({
      host,
      problem: 'rate_limit',
      problem_detail: 'too many',
      not_after,
      is_domain: 1,
    });
    const rows = [failing('go.example.org', null), failing('localhost', now + dayLength)];
    const context = checkContext({
      site: site(),
      store: storeWith({ 'from certificates': rows }),
      env: { HTTPS: 'auto', BASE_URL: 'https://links.example.com' },
    });
    expect(await textsOf(certificateFindings(context))).toEqual([
      'problem: go.example.org has no certificate: its order failed.',
      'notice: The certificate of localhost could not be renewed.',
    ]);
    expect((await certificateFindings(context))[0]?.todo).toEndWith('(The authority: too many)');
  });
});

test('a clock that is behind times in the store is reported as wrong', async () => {
  const findings = await textsOf(
    clockFindings(checkContext({ store: storeWith({ 'max(at)': [{ at: now + 60_000 }] }) })),
  );
  expect(findings).toEqual([expect.stringMatching(/^problem: .* from 60 seconds in the future/)]);
  expect((await textsOf(clockFindings(checkContext())))[0]).toStartWith('ok: It is ');
});

test('an invalid folder, and a disk with little space, are reported', async () => {
  const missing = checkContext({ dataDir: join(folder.path, 'nowhere') });
  expect((await textsOf(diskFindings(missing)))[0]).toMatch(/^problem: There is no data folder .*nowhere\.$/);
  const belowFile = checkContext({ dataDir: join(import.meta.path, 'nowhere') });
  expect((await textsOf(diskFindings(belowFile)))[0]).toMatch(/^problem: .* can not be written/);
  expect((await textsOf(diskFindings(checkContext())))[0]).toMatch(/free\.$/);
  const diskStates = [150e6, 1.5e9, 3e9].map((free) => roomFinding('/data', free));
  expect(await textsOf(Promise.resolve(diskStates))).toEqual([
    'problem: The disk of /data has 150 MB free.',
    'notice: The disk of /data has 1.5 GB free.',
    'ok: The disk of /data has 3.0 GB free.',
  ]);
});

test('waiting clicks are reported, and are a problem after some minutes', async () => {
  expect(await textsOf(backlogFindings(checkContext()))).toEqual(['ok: All clicks are in the database.']);
  const name = { node: 'a', process: 'b' };
  await mkdir(folderOf(folder.path, name), { recursive: true });
  const file = segmentFile(folderOf(folder.path, name), 1);
  await writeFile(file, new Uint8Array(2e6));
  expect((await textsOf(backlogFindings(checkContext())))[0]).toMatch(/^ok: 2\.0 MB of clicks wait/);
  await utimes(file, new Date(now - dayLength), new Date(now - dayLength));
  expect((await textsOf(backlogFindings(checkContext())))[0]).toMatch(/^problem: .* since 86400 seconds/);
  const folded = storeWith({ journal_watermarks: [{ node: 'a/b', segment: 1, byte_offset: 2e6 }] });
  expect(await textsOf(backlogFindings(checkContext({ store: folded })))).toEqual([
    'ok: All clicks are in the database.',
  ]);
});

test('journals of which the database does not say how far they are counted are not reported as waiting', async () => {
  const unreadable = {
    ...storeWith({}),
    query: async (sql: string) => {
      if (sql.includes('from journal_watermarks')) throw new Error('permission denied');
      return [{ 1: 1 }];
    },
  };
  const unknown = /^notice: 2\.0 MB of clicks are in the journal, .* could not be read\.$/;
  for (const change of [{ store: unreadable }, { store: null, storeProblem: 'It is down.' }])
    expect(await textsOf(backlogFindings(checkContext(change)))).toEqual([expect.stringMatching(unknown)]);
});

test('the secret key is compared with the database, and reported if it is missing, damaged or another one', async () => {
  const secrets = new Secrets('a master key for the tests, long enough');
  const otherSecrets = new Secrets('another master key for the tests, as long');
  const ofKey = storeWith({ sqlite_master: [{ 1: 1 }], settings: [{ value: markOf(secrets) }] });
  const found = (changes: Partial<CheckContext>) => textsOf(keyFindings(checkContext(changes)));
  expect(await found({ secrets, store: ofKey })).toEqual(['ok: The secret key is that of the database.']);
  expect(await found({ secrets: otherSecrets, store: ofKey })).toEqual([
    'problem: The database belongs to another secret key.',
  ]);
  expect(await found({ store: ofKey })).toEqual([
    `problem: secret.key is missing in ${folder.path}, and the database belongs to one.`,
  ]);
  const keyProblem = 'The secret key cannot be used: secret.key is empty or cut off.';
  expect(await found({ keyProblem, store: ofKey })).toEqual([`problem: ${keyProblem}`]);
  expect(await found({})).toEqual(['notice: There is no secret key yet.']);
  expect(await found({ secrets, store: null })).toEqual(['ok: There is a secret key.']);
});

test('an old backup, and tables of another version, are reported', async () => {
  const withBackupAt = (at: number) =>
    checkContext({ store: storeWith({ settings: [{ value: String(at) }] }) });
  expect((await textsOf(lastBackupFindings(withBackupAt(now - 8 * dayLength))))[0]).toStartWith('notice: ');
  expect((await textsOf(lastBackupFindings(withBackupAt(now - dayLength))))[0]).toStartWith('ok: ');
  expect(await textsOf(lastBackupFindings(withBackupAt(now + 1_000)))).toEqual([
    'ok: The last backup was made within a day.',
  ]);
  expect((await textsOf(lastBackupFindings(withBackupAt(now + 8 * dayLength))))[0]).toStartWith(
    'notice: The last backup was made while a clock was ahead',
  );
  const withMigration = (number: number | null) =>
    checkContext({
      store: storeWith({
        sqlite_version: [{ version: '3.50' }],
        sqlite_master: [{ 1: 1 }],
        'max(number)': [{ number }],
      }),
    });
  expect((await textsOf(databaseFindings(withMigration(newestMigration))))[0]).toStartWith('ok: SQLite 3.50');
  expect((await textsOf(databaseFindings(withMigration(newestMigration - 1))))[0]).toStartWith('notice: ');
  expect((await textsOf(databaseFindings(withMigration(newestMigration + 1))))[0]).toStartWith('problem: ');
  // Of a folder that never had a store, unlike that of the other tests.
  const inNewFolder = { ...withMigration(null), dataDir: join(folder.path, 'new') };
  expect((await textsOf(databaseFindings(inNewFolder)))[0]).toContain('no tables yet');
});

test('a check that fails is reported as such, and the others continue', async () => {
  const broken = { ...storeWith({}), query: () => Promise.reject(new Error('broken')) };
  const findings = await runChecks(
    checkContext({ store: broken, site: new Site(new URL('http://localhost')) }),
  );
  expect(findings.filter(({ found }) => found.includes('broken')).length).toBeGreaterThan(0);
  expect(findings.find(({ check }) => check === 'disk')?.found).toContain('free');
  // Nothing starts without the database.
  const [database] = findings.filter(({ check }) => check === 'database');
  expect([database?.state, database?.found]).toEqual(['problem', 'This could not be found out: broken.']);
});
