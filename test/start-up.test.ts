import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from '../src/cli/command.ts';
import { createKey } from '../src/cli/create-key.ts';
import { createUser, setPassword } from '../src/cli/user.ts';
import { ConfigProblem } from '../src/config/load.ts';
import { Refusal } from '../src/rules/errors.ts';
import { StartProblem } from '../src/start-problem.ts';
import { startApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres, storeFolder } from './support/migrated-store.ts';
import { reportSkipped } from './support/one-file.ts';
import {
  exitCodeOf,
  type Program,
  problemsOf,
  runCommand,
  runProgram,
  runServer,
  runWithoutLowPorts,
  runWithoutOthersFiles,
  stop,
  temporaryFolder,
} from './support/program.ts';

const json = { 'content-type': 'application/json' };

/** What a start that fails prints: only the message of these two kinds of errors. */
const messageOf = (env: Record<string, string>) =>
  startApp({ env }).then(
    (app) => app.stop().then(() => 'it started'),
    (cause) => {
      if (cause instanceof ConfigProblem || cause instanceof StartProblem) return cause.message;
      throw cause;
    },
  );

async function endsAfterItsCalls(program: Program, address: string, signal: NodeJS.Signals): Promise<void> {
  // Hashing a password takes long enough for the calls to be still running.
  const calls = Array.from({ length: 2 }, (_, index) =>
    fetch(`${address}/api/v1/auth/create_tokens`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ email: `unknown${index}@example.com`, password: 'x' }),
    }),
  );
  await fetch(`${address}/healthz`);
  program.kill(signal);
  for (const call of await Promise.allSettled(calls))
    expect(call.status === 'fulfilled' ? call.value.status : call.reason).toBe(401);
  expect(await program.exited).toBe(0);
}

describe('the start', () => {
  test('prints the address and the next step, which works as printed, and a second start keeps the data; SIGTERM and SIGINT let running calls finish', async () => {
    await using folder = await temporaryFolder();
    const settings = { PORT: '0', DATA_DIR: folder.path };
    const first = runProgram(['start'], settings);
    const address = await first.address();
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(first.output().out).toContain('Open that address in a browser');
    expect(await (await fetch(address)).text()).toContain('<title>Linnet</title>');
    const body = JSON.stringify({ email: 'you@example.com', password: 'at least 8 characters' });
    const created = await fetch(`${address}/api/v1/user`, { method: 'POST', headers: json, body });
    expect(created.status).toBe(201);
    await endsAfterItsCalls(first, address, 'SIGTERM');
    expect(problemsOf(first)).toEqual([]);

    const second = runServer(settings);
    const again = await second.address();
    expect(second.output().out).not.toContain('There is no account yet');
    const signedIn = await fetch(`${again}/api/v1/auth/create_tokens`, {
      method: 'POST',
      headers: json,
      body,
    });
    expect(signedIn.status).toBe(201);
    await endsAfterItsCalls(second, again, 'SIGINT');
  });

  test.each(['::1', '127.0.0.2'])('with HOST=%s listens on an address that answers', async (HOST) => {
    const { app, stop } = await startApp({ env: { HOST } });
    expect(new URL(app.listening).hostname).toBe(HOST === '::1' ? '[::1]' : HOST);
    expect((await fetch(`${app.listening}/healthz`)).status).toBe(200);
    await stop();
  });

  test('finishes and then stops if it gets SIGTERM while it runs', async () => {
    await using folder = await temporaryFolder();
    const program = runServer({ PORT: '0', DATA_DIR: folder.path });
    await eventually(() => existsSync(join(folder.path, 'linnet.sqlite')), 'the store');
    await stop(program);
    expect(problemsOf(program)).toEqual([]);
  });

  test('of a second node on PostgreSQL requires the secret key of the first, and reports another one', async () => {
    const DATABASE_URL = await migratedPostgres();
    const first = await startApp({ env: { DATABASE_URL } });
    expect(await messageOf({ DATABASE_URL })).toMatch(/^secret\.key is missing in .*, and this database/);
    const otherKey = 'another secret key, which is long enough';
    expect(await messageOf({ DATABASE_URL, SECRET_KEY: otherKey })).toContain(
      'belongs to another secret key',
    );
    const SECRET_KEY = (await Bun.file(join(first.dataDir, 'secret.key')).text()).trim();
    expect(await messageOf({ DATABASE_URL, SECRET_KEY })).toBe('it started');
    await first.stop();
  });
});

describe('a start that fails reports the reason in one line and exits with 1', () => {
  async function expectLine(program: Program, line: RegExp) {
    expect(await program.exited).toBe(1);
    const { out, err } = program.output();
    expect(out).toBe('');
    expect(err).toMatch(line);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(err).not.toMatch(/\n\s+at /);
  }

  test('a wrong setting', async () => {
    await using folder = await temporaryFolder();
    const program = runServer({ DATA_DIR: folder.path, PORT: 'abc' });
    await expectLine(program, /^PORT is "abc": give a whole number/);
  });

  test('a port in use', async () => {
    await using folder = await storeFolder();
    using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('') });
    await expectLine(
      runServer({ DATA_DIR: folder.path, PORT: String(other.port) }),
      /^Port \d+ on 127\.0\.0\.1 is taken/,
    );
  });

  test.each(['1', '2'])('a port below 1024 without permission, with WORKERS=%s', async (WORKERS) => {
    await using folder = await temporaryFolder();
    const settings = { DATA_DIR: folder.path, PORT: '81', WORKERS, LOG_LEVEL: 'warn' };
    const program = runWithoutLowPorts(settings);
    if (program === null) return reportSkipped('a port that needs a right');
    expect([await program.exited, program.output()]).toEqual([
      1,
      {
        out: '',
        err: 'Port 81 needs more rights than this user has. Choose one above 1023, such as PORT=3000.\n',
      },
    ]);
  });
});

describe('the output of a start that fails', () => {
  test.each([
    ['PORT', '70000', /^PORT is "70000"/],
    ['BASE_URL', 'links.example.com', /^BASE_URL is "links.example.com": give the address/],
    ['BASE_URL', 'https://x.example/path', /^BASE_URL is/],
    ['REGISTRATION', 'yes', /^REGISTRATION is "yes": give closed or open/],
    ['DATABASE_URL', 'mysql://u:secret@h/d', /^DATABASE_URL is set: give postgres/],
    ['TRUSTED_PROXIES', 'all', /^TRUSTED_PROXIES is "all"/],
    ['SECRET_KEY', 'short', /^SECRET_KEY is set: give at least 32/],
    ['APP_SCHEMES', 'javascript', /^APP_SCHEMES is "javascript"/],
    ['LOG_LEVEL', 'loud', /^LOG_LEVEL is "loud"/],
    ['HOST', 'no such host', /^Listening on no such host/],
  ])('%s=%s', async (variable, value, line) => {
    expect(await messageOf({ [variable]: value })).toMatch(line);
  });

  test('an invalid data folder', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'file');
    await writeFile(file, '');
    for (const DATA_DIR of [file, join(file, 'below')])
      expect(await messageOf({ DATA_DIR })).toMatch(/^The data folder .* can not be written/);
  });

  test('a data folder whose name has quotes or a blank at its end is not made', async () => {
    await using folder = await temporaryFolder();
    for (const name of ['"data"', "data'", 'data ']) {
      const DATA_DIR = join(folder.path, name);
      expect(await messageOf({ DATA_DIR })).toBe(
        `There is no data folder ${DATA_DIR}, and its name ends with a quote or a blank. Set DATA_DIR without it.`,
      );
    }
    const DATA_DIR = join(folder.path, 'data ');
    await mkdir(DATA_DIR);
    expect(await messageOf({ DATA_DIR })).toBe('it started');
  });

  test('a data folder below ~, which only a shell replaces, is not made', async () => {
    await using folder = await temporaryFolder();
    const DATA_DIR = join(folder.path, '~', 'linnet');
    expect(await messageOf({ DATA_DIR })).toStartWith(`There is no data folder ${DATA_DIR}: "~" stands for `);
    await mkdir(DATA_DIR, { recursive: true });
    expect(await messageOf({ DATA_DIR })).toBe('it started');
  });

  test('a file where the journals belong', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'journal'), '');
    expect(await messageOf({ DATA_DIR: folder.path })).toMatch(
      /journal is no folder, and clicks are recorded/,
    );
  });

  test.each(['linnet.sqlite', 'server.lock', 'node.id', 'journal', 'journal-unused', 'visitor-salts'])(
    '%s of another user',
    async (name) => {
      if (process.getuid?.() !== 0) return reportSkipped('the right to give files away');
      await using folder = await storeFolder();
      const path = join(folder.path, name);
      if (!existsSync(path)) await (name.includes('.') ? writeFile(path, '') : mkdir(path));
      await chown(path, 65_534, 65_534);
      await chmod(path, 0o600);
      const program = runWithoutOthersFiles({ PORT: '0', DATA_DIR: folder.path });
      expect(await exitCodeOf(program)).toBe(1);
      expect(problemsOf(program)).toEqual([
        `${path} can not be read and written by the user that Linnet runs as. Make that user the owner of everything in its folder (chown -R).`,
      ]);
    },
  );

  test('a secret.key of another user, or a folder in its place', async () => {
    await using folder = await storeFolder();
    const path = join(folder.path, 'secret.key');
    // Docker makes a folder where a file that is to be mounted doesn't exist.
    await mkdir(path);
    expect(await messageOf({ DATA_DIR: folder.path })).toMatch(
      /^The secret key cannot be used: EISDIR: .* Put the right key into .*secret\.key, or set SECRET_KEY\.$/,
    );
    await rm(path, { recursive: true });
    if (process.getuid?.() !== 0) return reportSkipped('the right to give files away');
    await writeFile(path, 'x'.repeat(64));
    await chown(path, 65_534, 65_534);
    await chmod(path, 0o600);
    const program = runWithoutOthersFiles({ PORT: '0', DATA_DIR: folder.path });
    expect(await exitCodeOf(program)).toBe(1);
    expect(problemsOf(program)).toEqual([
      `${path} can not be read by the user that Linnet runs as. Make that user the owner of everything in its folder (chown -R).`,
    ]);
  });

  test('an invalid SQLite file', async () => {
    await using folder = await temporaryFolder();
    await writeFile(
      join(folder.path, 'linnet.sqlite'),
      'this is not a database, and long enough to be seen as none'.repeat(100),
    );
    expect(await messageOf({ DATA_DIR: folder.path })).toMatch(
      /^The SQLite file in .* can not be opened: file is not a database\. It is damaged: restore a backup/,
    );
  });

  test('an unreachable database, without its password in the line', async () => {
    const DATABASE_URL = 'postgres://linnet:hunter2@127.0.0.1:1/none';
    expect(await messageOf({ DATABASE_URL })).toMatch(
      /^The database at 127\.0\.0\.1:1\/none can not be reached(?!.*hunter2)/,
    );
  });
});

describe('the command line', () => {
  test('creates an account and a key while the program runs, and sets a new password: the account is signed out everywhere, and its keys stay', async () => {
    await using folder = await storeFolder();
    const settings = { PORT: '0', DATA_DIR: folder.path };
    const program = runServer(settings);
    const address = await program.address();
    const runLinnet = async (command: string[], stdin: string) => {
      const run = runCommand(command, settings, stdin);
      return [await run.exited, run.output().out, run.output().err] as const;
    };
    const create = ['user', 'create', '--email', 'Ops@example.com', '--organization', 'Ops'];
    expect(await runLinnet(create, 'the forgotten one\n')).toEqual([
      0,
      'Made the account of ops@example.com, who administers "Ops".\n',
      '',
    ]);
    const [code, key] = await runLinnet(['key', 'create', '--email', 'ops@example.com', '--name', 'n'], '');
    expect([code, key]).toEqual([0, expect.stringMatching(/^lnt_\w{38}\n$/)]);
    const user = await fetch(`${address}/api/v1/user`, { headers: { 'api-key': key.trim() } });
    expect(await user.json()).toMatchObject({ email: 'ops@example.com', role: 'administrator' });
    const signIn = (password: string) =>
      fetch(`${address}/api/v1/session`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ email: 'ops@example.com', password }),
      });
    const cookie = (await signIn('the forgotten one')).headers.get('set-cookie')?.split(';')[0] ?? '';
    const userStatus = async (headers: Record<string, string>) =>
      (await fetch(`${address}/api/v1/user`, { headers })).status;
    expect(await userStatus({ cookie })).toBe(200);

    const changed = await runLinnet(['user', 'password', '--email', 'Ops@Example.com'], 'a brand new one\n');
    expect(changed).toEqual([
      0,
      'ops@example.com has a new password and is signed out everywhere. API keys go on working.\n',
      '',
    ]);
    expect(await userStatus({ cookie })).toBe(401);
    expect(await userStatus({ 'api-key': key.trim() })).toBe(200);
    expect((await signIn('the forgotten one')).status).toBe(401);
    expect((await signIn('a brand new one')).status).toBe(201);
    program.kill('SIGTERM');
    await program.exited;
  });

  test('reads a password from a file of Windows without its byte order mark, and refuses other encodings', async () => {
    await using folder = await storeFolder();
    const settings = { PORT: '0', DATA_DIR: folder.path };
    const createUser = async (email: string, stdin: string | Uint8Array<ArrayBuffer>) => {
      const run = runCommand(['user', 'create', '--email', email], settings, stdin);
      return [await run.exited, run.output().err] as const;
    };
    expect(await createUser('ada@example.com', '\ufeffcorrect horse\r\n')).toEqual([0, '']);
    for (const latin1 of ['pässword', 'passwordä'])
      expect(await createUser('bob@example.com', Buffer.from(latin1, 'latin1'))).toEqual([
        1,
        expect.stringMatching(/^The password is not in UTF-8\. /),
      ]);
    const app = await startApp({ env: settings });
    const body = { email: 'ada@example.com', password: 'correct horse' };
    expect((await app.call('POST', '/api/v1/session', { body })).status).toBe(201);
    await app.stop();
  });

  test('a database whose secret key is lost is refused, and accepts a new key after `secret replace`', async () => {
    await using folder = await storeFolder();
    const settings = { DATA_DIR: folder.path };
    expect(await messageOf(settings)).toBe('it started');
    await rm(join(folder.path, 'secret.key'));
    expect(await messageOf(settings)).toContain('secret replace');
    expect(await runCommand(['secret', 'replace'], settings).exited).toBe(0);
    expect(await messageOf(settings)).toBe('it started');
  });

  test('reports errors, and exits with 1, or 2 for an unknown command', async () => {
    await using folder = await temporaryFolder();
    const settings = { DATA_DIR: folder.path };
    const resultOf = async (program: Program) => [await program.exited, program.output().err.split('\n')[0]];
    expect(await resultOf(runCommand(['user', 'create'], settings))).toEqual([1, '--email is needed.']);
    expect((await resultOf(runCommand(['user', 'create', '--nonsense'], settings)))[0]).toBe(1);
    // The launcher passes its exit code on.
    expect((await resultOf(runProgram(['linnet', 'make', 'coffee'], settings)))[0]).toBe(2);
  });

  test('refuses missing and invalid options', async () => {
    const app = await startApp();
    const refusal = ({ run }: Command, values: Record<string, string>) =>
      run(app.app.context, values).catch((cause) => cause instanceof Refusal && cause.message);
    expect(await refusal(setPassword, {})).toBe('--email is needed.');
    expect(await refusal(createUser, { email: 'x', password: 'long enough' })).toBe(
      'This is not an email address. Give one such as ada@example.com.',
    );
    const unknown = 'There is no account of unknown@example.com. Check the address.';
    expect(await refusal(createKey, { email: 'unknown@example.com', name: 'n' })).toBe(unknown);
    expect(await refusal(setPassword, { email: 'unknown@example.com', password: 'long enough' })).toBe(
      unknown,
    );
    const { email, key } = await app.createAccount();
    expect(await refusal(setPassword, { email, password: 'short' })).toBe(
      '"password" must have at least 8 characters.',
    );
    expect((await app.call('GET', '/api/v1/user', { key })).status).toBe(200);
    await app.stop();
  });
});
