import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { SQL } from 'bun';
import { storeFolder } from './support/migrated-store.ts';
import { runToExit } from './support/populated-server.ts';
import { freshPostgres } from './support/postgres.ts';
import { runCommand, runProgram, shellCommand, temporaryFolder } from './support/program.ts';

test.each([
  [['backup', '--help'], /^Usage: .* backup FILE /],
  [['user', 'create', '-h'], /^Usage: .* user create --email ADDRESS /],
  [['serve', '--help'], /^Usage: .* serve \[HOST\] /],
  [['serve', 'links.example.com', '--help'], /^Usage: .* serve \[HOST\] /],
  [['service', 'install', '--help'], /^Usage: .* service install \[HOST\] /],
  [['user', '--help'], /\n {2}user create /],
])('%p prints how the command is used, and does nothing', async (words, usage) => {
  await using folder = await temporaryFolder();
  const [code, out, err] = await runToExit(words, { DATA_DIR: join(folder.path, 'data'), PORT: 'none' });
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(usage);
  expect(readdirSync(folder.path)).toEqual([]);
});

test.each<[string[], number, RegExp]>([
  [['user'], 2, /^There is no command "user"\.\n\nLinnet: /],
  [['link', 'import', '--file', 'links.csv'], 2, /^There is no command "link import"\.\n/],
  [['doctor', 'json'], 1, /^This command takes options alone, and was given "json"\.\n$/],
  [['version', 'now'], 1, /^This command takes options alone, and was given "now"\.\n$/],
  [['healthcheck', 'ready'], 1, /^This command takes options alone, and was given "ready"\.\n$/],
  [
    ['backup', 'one', 'two'],
    1,
    /^The file to write, or - for a pipe, is all that this command takes, and it was given "two"\.\n$/,
  ],
  [
    ['base-url', 'set', '--url', 'https://one.example', '--url=https://two.example'],
    1,
    /^--url is given more than once\. Give it once\.\n$/,
  ],
  [['doctor', '--yaml'], 1, /^Unknown option '--yaml'.*\nUsage: .* doctor \[--json\] .*\n$/],
])('%p is refused with what is wrong', async (words, code, message) => {
  await using folder = await temporaryFolder();
  const [exitCode, out, err] = await runToExit(words, { DATA_DIR: join(folder.path, 'data') });
  expect([exitCode, out]).toEqual([code, '']);
  expect(err).toMatch(message);
});

test.each([
  ['> /dev/full', 'ENOSPC'],
  ['| true', 'EPIPE'],
])('a command whose output can not be written (%s) ends with one line', async (redirection, code) => {
  const command = `${shellCommand} version ${redirection}; exit \${PIPESTATUS[0]}`;
  const program = Bun.spawn(['bash', '-c', command], { env: { PATH: process.env.PATH }, stderr: 'pipe' });
  const message = await new Response(program.stderr).text();
  expect([await program.exited, message]).toEqual([
    1,
    expect.stringMatching(
      new RegExp(`^What this command prints can't be written and is lost: ${code}.*\\n$`),
    ),
  ]);
});

test.each<[string[]]>([
  [['setup', 'token']],
  [['nodes']],
  [['secret', 'replace']],
  [['base-url', 'forget']],
  [['base-url', 'set', '--url', 'https://links.example.com']],
  [['upgrade']],
  [['user', 'password', '--email', 'you@example.com']],
  [['key', 'create', '--email', 'you@example.com']],
  [['links', 'import', '--email', 'you@example.com', '--file', '-']],
])('%p refuses a missing store, instead of creating one in the wrong folder', async (words) => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, 'data');
  expect(await runToExit(words, { DATA_DIR: dataDir })).toEqual([
    1,
    '',
    `There is no store in ${dataDir}. Set DATA_DIR to the data folder of the server (or DATABASE_URL), or start the server first.\n`,
  ]);
  expect(readdirSync(folder.path)).toEqual([]);
});

test('`user create` makes a store only with valid arguments, and says where', async () => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, 'data');
  expect(await runToExit(['user', 'create'], { DATA_DIR: dataDir })).toEqual([1, '', '--email is needed.\n']);
  const words = ['user', 'create', '--email', 'you@example.com', '--password', 'typed in secret'];
  const wrongCalls: [string[], string | Uint8Array<ArrayBuffer>][] = [
    [words.with(3, 'no address'), ''],
    [words.with(5, 'short'), ''],
    [[...words, '--organization', 'x'.repeat(1_000)], ''],
    [words.slice(0, 4), 'short\n'],
    [words.slice(0, 4), Buffer.from('pässword', 'latin1')],
  ];
  for (const [wrong, stdin] of wrongCalls) {
    const run = runCommand(wrong, { DATA_DIR: dataDir }, stdin);
    expect([await run.exited, run.output().out]).toEqual([1, '']);
    expect(run.output().err).not.toContain('This failed');
  }
  expect(readdirSync(folder.path)).toEqual([]);
  const first = await runToExit(words, { DATA_DIR: dataDir });
  expect([first[0], first[2]]).toEqual([0, `There was no store in ${dataDir}: a new one was made there.\n`]);
  const second = await runToExit(words.with(3, 'other@example.com'), { DATA_DIR: dataDir });
  expect([second[0], second[2]]).toEqual([0, '']);
});

test('`user create` says where it made tables and a secret key for PostgreSQL', async () => {
  await using folder = await temporaryFolder();
  const [dataDir, url] = [join(folder.path, 'data'), await freshPostgres()];
  const { host, pathname } = new URL(url);
  const words = ['user', 'create', '--email', 'you@example.com', '--password', 'typed in secret'];
  const first = await runToExit(words, { DATA_DIR: dataDir, DATABASE_URL: url });
  expect([first[0], first[2]]).toEqual([
    0,
    `There was no store in the database at ${host}${pathname}: a new one was made there. Its secret key is in ${join(dataDir, 'secret.key')}: every node needs that one.\n`,
  ]);
  const second = await runToExit(words.with(3, 'other@example.com'), {
    DATA_DIR: dataDir,
    DATABASE_URL: url,
  });
  expect([second[0], second[2]]).toEqual([0, '']);
});

test('commands make no tables in an empty database, and no secret key for it', async () => {
  await using folder = await temporaryFolder();
  await using gone = await storeFolder();
  await mkdir(join(gone.path, 'journal', 'node', 'process'), { recursive: true });
  const url = await freshPostgres();
  const settings = {
    DATA_DIR: join(folder.path, 'data'),
    DATABASE_URL: url,
    CLICKS_URL: 'clickhouse://127.0.0.1:1/none',
  };
  for (const words of [['nodes'], ['setup', 'token'], ['fold', gone.path], ['clicks', 'move']]) {
    const [code, out, err] = await runToExit(words, settings);
    expect([code, out]).toEqual([1, '']);
    expect(err).toStartWith(`There is no store in the database at ${new URL(url).host}/`);
  }
  expect(readdirSync(folder.path)).toEqual([]);
  await using sql = new SQL({ url, max: 1 });
  expect(await sql`select 1 from pg_class where relnamespace = 'public'::regnamespace`).toHaveLength(0);
}, 120_000);

test('`clicks move` says which database can not be reached', async () => {
  await using folder = await temporaryFolder();
  const settings = {
    DATA_DIR: folder.path,
    DATABASE_URL: 'postgres://linnet:hunter2@127.0.0.1:1/none',
    CLICKS_URL: 'clickhouse://127.0.0.1:1/none',
  };
  const [code, out, err] = await runToExit(['clicks', 'move'], settings);
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^The database at 127\.0\.0\.1:1\/none can not be reached: .* Check DATABASE_URL/);
  expect(err).not.toContain('hunter2');
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('an import that %s ends says how much was made', async (signal, code) => {
  await using folder = await temporaryFolder();
  const settings = { DATA_DIR: join(folder.path, 'data') };
  const account = ['user', 'create', '--email', 'ada@example.com', '--password', 'correct horse battery'];
  expect((await runToExit(account, settings))[0]).toBe(0);
  const pipe = join(folder.path, 'links.csv');
  expect(Bun.spawnSync(['mkfifo', pipe]).exitCode).toBe(0);
  const program = runCommand(['links', 'import', '--email', 'ada@example.com', '--file', pipe], settings);
  // Waits until the import reads, and keeps it waiting for more.
  const writer = await open(pipe, 'w');
  await writer.write('destination_url\nexample.com\n');
  program.kill(signal);
  expect([await program.exited, program.output().err]).toEqual([
    code,
    expect.stringMatching(/^The import was interrupted\. Made 0 links so far\.\n/),
  ]);
  await writer.close();
});

test('a typed password is corrected by whole characters, by either key for it', async () => {
  await using folder = await temporaryFolder();
  const words = ['linnet', 'user', 'create', '--email', 'you@example.com'];
  const command = runProgram(words, { DATA_DIR: folder.path }, 'a long enough one🔑\x7f?\b\n');
  expect(await command.exited).toBe(0);
  expect(command.output().out).toContain('Made the account of you@example.com');
});
