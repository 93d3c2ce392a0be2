/**
 * Two real PostgreSQL servers; the second is a streaming standby of the first that can be promoted. Prints their URLs
 * and process ids as JSON, and stops both when its standard input ends.
 */
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bin, environment, freePort, initialise } from './postgres-binaries.mjs';
import { dataFolder, identity } from './postgres-folders.mjs';
import { stopServers } from './stop-postgres.mjs';

const servers = [];
const primary = dataFolder('primary');
const standby = dataFolder('standby');
const problem = initialise(primary);
if (problem) await stopServers([], 1, problem);
// A cluster that has never run can be copied as its own base backup.
spawnSync('cp', ['-R', `${primary}/.`, standby], { ...identity, cwd: standby });

const [port, otherPort] = [await freePort(), await freePort()];
writeFileSync(join(standby, 'standby.signal'), '');
const first = await serve(primary, port, ['wal_keep_size=1GB']);
const second = await serve(standby, otherPort, [`primary_conninfo=host=127.0.0.1 port=${port} user=linnet`]);
process.stdout.write(`${JSON.stringify([first, second])}\n`);

function serve(data, port, settings) {
  const defaults = ['fsync=off', 'unix_socket_directories=', 'listen_addresses=127.0.0.1', 'hot_standby=on'];
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, '-p', String(port), ...[...defaults, ...settings].flatMap((setting) => ['-c', setting])],
    { ...identity, env: environment, stdio: ['ignore', 'ignore', 'pipe'], cwd: data },
  );
  servers.push(server);
  let log = '';
  return new Promise((resolve) => {
    server.stderr.setEncoding('utf8').on('data', (text) => {
      log = (log + text).slice(-4000);
      if (/ready to accept (read-only )?connections/.test(text))
        resolve({ url: `postgres://linnet@127.0.0.1:${port}/postgres`, pid: server.pid });
    });
    server.on('close', () => resolve({ url: '', pid: 0, log }));
  });
}

const stop = () => stopServers(servers, 0);
process.stdin.resume().on('end', stop).on('close', stop);
process.on('SIGTERM', stop);
