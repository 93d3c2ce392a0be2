import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from './support/eventually.ts';
import { freshPostgres } from './support/postgres.ts';
import { problemsOf, runProgram, runServer, temporaryFolder } from './support/program.ts';

const json = { 'content-type': 'application/json' };

describe('the start', () => {
  test('prints the address and the next step, and that step works as printed', async () => {
    await using folder = await temporaryFolder();
    const program = runProgram(['start'], { PORT: '0', DATA_DIR: folder.path });
    const address = await program.address();
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(program.output().out).toContain('Open that address in a browser');
    expect(await (await fetch(address)).text()).toContain('<title>Linnet</title>');
    const body = JSON.stringify({ email: 'you@example.com', password: 'at least 8 characters' });
    const made = await fetch(`${address}/api/v1/user`, { method: 'POST', headers: json, body });
    expect(made.status).toBe(201);
    program.kill('SIGTERM');
    expect(await program.exited).toBe(0);
    expect(problemsOf(program)).toEqual([]);
  });

  test('the second time everything is still there, and the first account is not asked for again', async () => {
    await using folder = await temporaryFolder();
    const settings = { PORT: '0', DATA_DIR: folder.path };
    const first = runProgram(['start'], settings);
    const credentials = JSON.stringify({ email: 'a@example.com', password: 'long enough' });
    await fetch(`${await first.address()}/api/v1/user`, { method: 'POST', headers: json, body: credentials });
    first.kill('SIGINT');
    expect(await first.exited).toBe(0);
    const second = runProgram(['start'], settings);
    const address = await second.address();
    expect(second.output().out).not.toContain('There is no account yet');
    const signedIn = await fetch(`${address}/api/v1/auth/create_tokens`, {
      method: 'POST',
      headers: json,
      body: credentials,
    });
    expect(signedIn.status).toBe(201);
    second.kill('SIGTERM');
    await second.exited;
  });

  test('that is told to stop before it is over comes to its end, and stops as it should', async () => {
    await using folder = await temporaryFolder();
    const program = runServer({ PORT: '0', DATA_DIR: folder.path });
    await eventually(() => existsSync(join(folder.path, 'linnet.sqlite')), 'the store');
    program.kill('SIGTERM');
    expect(await program.exited).toBe(0);
    expect(problemsOf(program)).toEqual([]);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s lets a call that is under way finish, then ends with 0',
    async (signal) => {
      await using folder = await temporaryFolder();
      const program = runProgram(['start'], { PORT: '0', DATA_DIR: folder.path });
      const address = await program.address();
      // Hashing a password takes long enough to be under way.
      const calls = Array.from({ length: 4 }, (_, index) =>
        fetch(`${address}/api/v1/auth/create_tokens`, {
          method: 'POST',
          headers: json,
          body: JSON.stringify({ email: `nobody${index}@example.com`, password: 'x' }),
        }),
      );
      await fetch(`${address}/healthz`);
      program.kill(signal);
      for (const call of await Promise.allSettled(calls)) {
        expect(call.status === 'fulfilled' ? call.value.status : call.reason).toBe(401);
      }
      expect(await program.exited).toBe(0);
    },
  );

  test('two nodes on one PostgreSQL need one secret key, and are told so', async () => {
    await using one = await temporaryFolder();
    await using two = await temporaryFolder();
    const DATABASE_URL = await freshPostgres();
    const first = runProgram(['start'], { PORT: '0', DATA_DIR: one.path, DATABASE_URL });
    await first.address();
    const stranger = runProgram(['start'], { PORT: '0', DATA_DIR: two.path, DATABASE_URL });
    expect(await stranger.exited).toBe(1);
    expect(stranger.output().err).toContain('belongs to another secret key');
    const SECRET_KEY = (await Bun.file(join(one.path, 'secret.key')).text()).trim();
    const second = runProgram(['start'], { PORT: '0', DATA_DIR: two.path, DATABASE_URL, SECRET_KEY });
    await second.address();
    for (const node of [first, second]) {
      node.kill('SIGTERM');
      expect(await node.exited).toBe(0);
    }
  });
});

describe('a start that can not go on says why in one line and ends with 1', () => {
  async function expectLine(settings: Record<string, string>, line: RegExp) {
    const program = runProgram(['start'], { PORT: '0', ...settings });
    expect(await program.exited).toBe(1);
    const { out, err } = program.output();
    expect(out).toBe('');
    expect(err).toMatch(line);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(err).not.toMatch(/\n\s+at /);
  }

  const wrong: [string, string, RegExp][] = [
    ['PORT', 'abc', /^PORT is "abc": give a whole number/],
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
  ];
  for (const [variable, value, line] of wrong) {
    test(`${variable}=${value}`, async () => {
      await using folder = await temporaryFolder();
      await expectLine({ DATA_DIR: folder.path, [variable]: value }, line);
    });
  }

  test('a port that is taken', async () => {
    await using folder = await temporaryFolder();
    using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('') });
    await expectLine(
      { DATA_DIR: folder.path, PORT: String(other.port) },
      /^Port \d+ on 127\.0\.0\.1 is taken/,
    );
  });

  test('a data folder that can not be one', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'file');
    await writeFile(file, '');
    await expectLine({ DATA_DIR: file }, /^The data folder .* can not be written/);
    await expectLine({ DATA_DIR: join(file, 'below') }, /^The data folder .* can not be written/);
  });

  test('a SQLite file that is none', async () => {
    await using folder = await temporaryFolder();
    await writeFile(
      join(folder.path, 'linnet.sqlite'),
      'this is not a database, and long enough to be seen as none'.repeat(100),
    );
    await expectLine({ DATA_DIR: folder.path }, /^The SQLite file in .* can not be opened/);
  });

  test('a database that is not reachable, without its password in the line', async () => {
    await using folder = await temporaryFolder();
    const DATABASE_URL = 'postgres://linnet:hunter2@127.0.0.1:1/none';
    await expectLine(
      { DATA_DIR: folder.path, DATABASE_URL },
      /^The database at 127\.0\.0\.1:1\/none can not be reached(?!.*hunter2)/,
    );
  });
});

describe('the command line', () => {
  test('makes an account and a key that work while the program runs', async () => {
    await using folder = await temporaryFolder();
    const settings = { PORT: '0', DATA_DIR: folder.path };
    const program = runProgram(['start'], settings);
    const address = await program.address();
    const user = runProgram(
      ['linnet', 'user', 'create', '--email', 'Ops@example.com', '--organization', 'Ops'],
      settings,
      'typed in secret\n',
    );
    expect([await user.exited, user.output().err]).toEqual([0, '']);
    expect(user.output().out).toBe('Made the account of ops@example.com, who administers "Ops".\n');
    const key = runProgram(
      ['linnet', 'key', 'create', '--email', 'ops@example.com', '--name', 'deploy'],
      settings,
    );
    expect(await key.exited).toBe(0);
    expect(key.output().out).toMatch(/^lnt_\w{38}\n$/);
    const answer = await fetch(`${address}/api/v1/user`, { headers: { 'api-key': key.output().out.trim() } });
    expect(await answer.json()).toMatchObject({ email: 'ops@example.com', role: 'administrator' });
    program.kill('SIGTERM');
    await program.exited;
  });

  test('sets a new password while the program runs: signed out everywhere, and keys stay', async () => {
    await using folder = await temporaryFolder();
    const settings = { PORT: '0', DATA_DIR: folder.path };
    const program = runProgram(['start'], settings);
    const address = await program.address();
    const linnet = async (command: string[], stdin: string) => {
      const run = runProgram(['linnet', ...command], settings, stdin);
      return [await run.exited, run.output().out, run.output().err] as const;
    };
    await linnet(['user', 'create', '--email', 'ops@example.com'], 'the forgotten one\n');
    const [, key] = await linnet(['key', 'create', '--email', 'ops@example.com', '--name', 'n'], '');
    const signIn = (password: string) =>
      fetch(`${address}/api/v1/session`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ email: 'ops@example.com', password }),
      });
    const cookie = (await signIn('the forgotten one')).headers.get('set-cookie')?.split(';')[0] ?? '';
    const whoAmI = async (headers: Record<string, string>) =>
      (await fetch(`${address}/api/v1/user`, { headers })).status;
    expect(await whoAmI({ cookie })).toBe(200);

    const short = await linnet(['user', 'password', '--email', 'ops@example.com'], 'short\n');
    expect(short).toEqual([1, '', '"password" must have at least 8 characters.\n']);
    expect(await whoAmI({ cookie })).toBe(200);
    const done = await linnet(['user', 'password', '--email', 'Ops@Example.com'], 'a brand new one\n');
    expect(done).toEqual([
      0,
      'ops@example.com has a new password and is signed out everywhere. API keys go on working.\n',
      '',
    ]);
    expect(await whoAmI({ cookie })).toBe(401);
    expect(await whoAmI({ 'api-key': key.trim() })).toBe(200);
    expect((await signIn('the forgotten one')).status).toBe(401);
    expect((await signIn('a brand new one')).status).toBe(201);
    const nobody = await linnet(['user', 'password', '--email', 'nobody@example.com'], 'never asked for\n');
    expect(nobody).toEqual([1, '', 'There is no account of nobody@example.com. Check the address.\n']);
    program.kill('SIGTERM');
    await program.exited;
  });

  test('a database whose key is lost is refused, and takes the new one when it is told to', async () => {
    await using folder = await temporaryFolder();
    const settings = { PORT: '0', DATA_DIR: folder.path };
    const first = runProgram(['start'], settings);
    await first.address();
    first.kill('SIGTERM');
    await first.exited;
    await rm(join(folder.path, 'secret.key'));
    const refused = runProgram(['start'], settings);
    expect([await refused.exited, refused.output().err]).toEqual([
      1,
      expect.stringContaining('secret replace'),
    ]);
    expect(await runProgram(['linnet', 'secret', 'replace'], settings).exited).toBe(0);
    const again = runProgram(['start'], settings);
    await again.address();
    again.kill('SIGTERM');
    expect(await again.exited).toBe(0);
  });

  test('says what is missing or wrong, and ends with 1 or 2', async () => {
    await using folder = await temporaryFolder();
    const run = async (...command: string[]) => {
      const program = runProgram(['linnet', ...command], { DATA_DIR: folder.path });
      return [await program.exited, program.output().err.split('\n')[0]];
    };
    expect(await run('user', 'create')).toEqual([1, '--email is needed.']);
    expect(await run('user', 'password')).toEqual([1, '--email is needed.']);
    expect(await run('user', 'create', '--email', 'x', '--password', 'long enough')).toEqual([
      1,
      'This is not an email address. Give one such as ada@example.com.',
    ]);
    expect(await run('key', 'create', '--email', 'nobody@example.com', '--name', 'n')).toEqual([
      1,
      'There is no account of nobody@example.com. Check the address.',
    ]);
    expect((await run('user', 'create', '--nonsense'))[0]).toBe(1);
    expect((await run('make', 'coffee'))[0]).toBe(2);
  });
});
