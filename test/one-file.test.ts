import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { version } from '../package.json' with { type: 'json' };
import { firefoxOf } from './support/agents-of-people.ts';
import { selfSigned } from './support/certificate.ts';
import { pollUntil } from './support/eventually.ts';
import { freePorts } from './support/free-ports.ts';
import { builtFile, inEmptyRoot, reportSkipped } from './support/one-file.ts';
import { type Program, problemsOf, resultOf, runFile, stop, temporaryFolder } from './support/program.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let file: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  file = await builtFile(folder.path);
}, 240_000);
afterAll(() => folder[Symbol.asyncDispose]());

const linnet = (parameters: string[], settings: Record<string, string> = {}, stdin = '') =>
  resultOf(runFile([file, ...parameters], settings, folder.path, stdin));

describe('the single executable', () => {
  test('prints its usage and its version, and refuses unknown commands', async () => {
    const [code, out, err] = await linnet([]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('Usage: linnet COMMAND');
    const commands = [
      ...['serve', 'user create', 'key create', 'links import', 'backup', 'restore', 'doctor'],
      ...['upgrade', 'service install', 'healthcheck', 'version'],
    ];
    for (const command of commands) expect(out).toMatch(new RegExp(`\\n  ${command}[ \\n]`));
    expect(await linnet(['version'])).toEqual([0, expect.stringContaining(`Linnet ${version}`), '']);
    expect(await linnet(['brew', 'coffee'])).toEqual([2, '', `There is no command "brew coffee".\n\n${out}`]);
    const [refused, , error] = await linnet(['serve', '--fast'], { DATA_DIR: join(folder.path, 'none') });
    expect([refused, error]).toEqual([1, expect.stringMatching(/^"serve" .* "--fast"\. .*\n$/)]);
  });

  test('contains no path of the machine that built it', async () => {
    const bytes = await readFile(file);
    for (const path of [join(import.meta.dir, '..'), dirname(file)])
      expect(bytes.includes(path), path).toBe(false);
  });

  test('does not read the .env file of the current folder', async () => {
    await using other = await temporaryFolder();
    await writeFile(join(other.path, '.env'), 'PORT=nonsense\n');
    const settings = { DATA_DIR: join(other.path, 'data'), PORT: '70000' };
    const program = runFile([file, 'serve'], { ...settings }, other.path);
    expect(await resultOf(program)).toEqual([1, '', expect.stringContaining('PORT is "70000"')]);
  });
});

test('in an empty read-only root the single executable serves the dashboard, captchas, links and statistics with countries, also by two workers, and stops', async () => {
  const command = inEmptyRoot(file);
  if (command === null) return reportSkipped('unshare, mount, chroot');
  const DATA_DIR = join(folder.path, 'data');
  const settings = { DATA_DIR, PORT: '0', TRUSTED_PROXIES: '1', LOG_LEVEL: 'warn' };
  const program = runFile([...command, 'serve'], settings, folder.path);
  const url = await program.address();
  expect(program.output().out).toContain('This shows the setup token: linnet setup token');

  const page = await (await fetch(`${url}/app`)).text();
  expect(page).toContain('<title>Linnet</title>');
  for (const [asset] of page.matchAll(/\/assets\/[^"]+/g)) {
    const response = await fetch(url + asset);
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, 'br']);
    expect((await response.text()).length).toBeGreaterThan(100);
  }
  expect(await (await fetch(`${url}/_linnet/captcha.js`)).text()).toContain('deriveBits');

  const createUser = ['user', 'create', '--email', 'ops@example.com'];
  const dataSettings = { DATA_DIR };
  const created = await resultOf(
    runFile([...command, ...createUser], dataSettings, folder.path, 'typed in secret\n'),
  );
  expect(created).toEqual([0, expect.stringContaining('Made the account of ops@example.com'), '']);
  const createKey = ['key', 'create', '--email', 'ops@example.com', '--name', 'n'];
  const [, key] = await resultOf(runFile([...command, ...createKey], dataSettings, folder.path));
  await expectToCount(url, key.trim());
  await expectToStop(program);

  const byWorkers = runFile([...command, 'serve'], { ...settings, WORKERS: '2' }, folder.path);
  const urlOfWorkers = await byWorkers.address();
  expect((await fetch(`${urlOfWorkers}/app`)).status).toBe(200);
  expect((await fetch(`${urlOfWorkers}/_linnet/captcha.js`)).status).toBe(200);
  await expectToCount(urlOfWorkers, key.trim());
  await expectToStop(byWorkers);
}, 240_000);

/** Creates a link and visits it, until its statistics have the country. */
async function expectToCount(url: string, key: string): Promise<void> {
  const call = async (path: string, body?: object) => {
    const headers = { 'api-key': key, 'content-type': 'application/json' };
    const init = body && { method: 'POST', body: JSON.stringify(body) };
    return (await fetch(url + path, { headers, ...init })).json();
  };
  const link = (await call('/api/v1/link', { destination_url: 'https://example.com/' })) as {
    id: number;
    url: string;
  };
  const visitor = {
    'x-forwarded-for': '193.99.144.80',
    'user-agent': firefoxOf(144),
  };
  const visit = await fetch(url + new URL(link.url).pathname, { headers: visitor, redirect: 'manual' });
  expect([visit.status, visit.headers.get('location')]).toEqual([302, 'https://example.com/']);
  const stats = await pollUntil(
    () => call(`/api/v1/link/${link.id}/stats?group_by=country`) as Promise<{ groups: object[] }>,
    ({ groups }) => groups.length > 0,
    'the click to be counted',
  );
  expect(stats.groups).toEqual([expect.objectContaining({ value: 'DE' })]);
}

async function expectToStop(program: Program): Promise<void> {
  await stop(program);
  expect(problemsOf(program)).toEqual([]);
}

test('in an empty root the single executable serves HTTPS with files, is checked by the doctor, backed up while it runs, and restored', async () => {
  const command = inEmptyRoot(file);
  if (command === null) return reportSkipped('unshare, mount, chroot');
  // The empty root contains the folder of these settings, and no other file of this checkout.
  const ownFolder = join(folder.path, 'own');
  const DATA_DIR = join(ownFolder, 'data');
  const [TLS_CERT, TLS_KEY] = [join(ownFolder, 'tls.crt'), join(ownFolder, 'tls.key')];
  const tls = selfSigned('links.example.com');
  await mkdir(ownFolder);
  await Promise.all([writeFile(TLS_CERT, tls.certificate), writeFile(TLS_KEY, tls.key)]);
  const [https = 0, http = 0] = freePorts(2);
  const settings = {
    ...{
      DATA_DIR,
      HTTPS: 'files',
      TLS_CERT,
      TLS_KEY,
      BASE_URL: 'https://links.example.com',
      HOST: '127.0.0.1',
    },
    ...{ PORT: String(https), HTTP_PORT: String(http), LOG_LEVEL: 'warn' },
  };
  const program = runFile([...command, 'serve'], settings, folder.path);
  await program.address();
  const response = await fetch(`https://127.0.0.1:${https}/readyz`, {
    headers: { host: 'links.example.com' },
    tls: { ca: tls.certificate, checkServerIdentity: () => undefined },
  });
  expect(response.status).toBe(200);
  const backup = join(ownFolder, 'store.linnet');
  expect((await resultOf(runFile([...command, 'backup', backup], settings, folder.path)))[0]).toBe(0);
  const [, doctorOutput] = await resultOf(runFile([...command, 'doctor', '--json'], settings, folder.path));
  expect(doctorOutput).toContain('The last backup was made within a day.');
  await expectToStop(program);
  const restoreSettings = { DATA_DIR: join(ownFolder, 'restored') };
  await mkdir(restoreSettings.DATA_DIR);
  await copyFile(join(DATA_DIR, 'secret.key'), join(restoreSettings.DATA_DIR, 'secret.key'));
  const restored = await resultOf(runFile([...command, 'restore', backup], restoreSettings, folder.path));
  expect([restored[0], restored[2]]).toEqual([0, '']);
}, 240_000);
