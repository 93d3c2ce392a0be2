/**
 * A real PostgreSQL for the tests, from npm, in a temporary folder. Prints its URL, and stops when its standard input
 * ends, so that it never outlives the tests. Runs under Node, which can start a program as another user: PostgreSQL
 * refuses to run as root.
 *
 * Takes one command per line, and prints its URL again when each is done. `keep` stops the server and saves a copy of its
 * files. `restore` restarts it on the saved files. `standby` does the same as a replica that can be promoted.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bin, environment, freePort, initialise } from './postgres-binaries.mjs';
import { dataFolder, dataPath, identity } from './postgres-folders.mjs';
import { stopServers } from './stop-postgres.mjs';

let server;
const data = dataFolder('data');
const problem = initialise(data);
if (problem) await stop(1, problem);

const settings = [
  'fsync=off',
  'max_connections=300',
  // Each database lives for one test or file: vacuuming hundreds of them would use a good part of a CPU.
  'autovacuum=off',
  `unix_socket_directories=`,
  'listen_addresses=127.0.0.1',
];
await serve(await freePort(), 5);

/** The port may have been taken since it was found free: then another one is tried. */
async function serve(port, tries) {
  server = spawn(
    join(bin, 'postgres'),
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...identity, env: environment, stdio: ['ignore', 'ignore', 'pipe'], cwd: data },
  );
  server.port = port;
  let log = '';
  let isReady = false;
  server.stderr.setEncoding('utf8').on('data', (text) => {
    log = (log + text).slice(-4000);
    if (isReady || !/ready to accept (read-only )?connections/.test(log)) return;
    isReady = true;
    process.stdout.write(`postgres://linnet@127.0.0.1:${port}/postgres\n`);
  });
  server.on('close', async () => {
    if (tries > 1 && log.includes('Address already in use')) serve(await freePort(), tries - 1);
    else stop(1, `PostgreSQL ended:\n${log}`);
  });
}

const kept = dataPath('kept');
const commands = {
  keep: () => copyFiles(data, kept),
  restore: () => copyFiles(kept, data),
  standby() {
    copyFiles(kept, data);
    const signal = join(data, 'standby.signal');
    writeFileSync(signal, '');
    if (identity.uid !== undefined) chownSync(signal, identity.uid, identity.gid);
  },
};

createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const { port } = server;
    const stopped = new Promise((resolve) => server.removeAllListeners('close').on('close', resolve));
    server.kill('SIGINT');
    await stopped;
    commands[line]();
    await serve(port, 1);
  })
  .on('close', () => stop(0));
process.on('SIGTERM', () => stop(0));

function copyFiles(from, to) {
  rmSync(to, { recursive: true, force: true });
  if (identity.uid === undefined) cpSync(from, to, { recursive: true });
  // Keeps the owner of each file.
  else spawnSync('cp', ['-a', from, to], { stdio: 'inherit' });
}

function stop(code, message = '') {
  server?.removeAllListeners('close');
  return stopServers(server ? [server] : [], code, message);
}
