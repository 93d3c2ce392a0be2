/** The user and the folders of the tests' PostgreSQL servers. */
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { freemem, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
/** Containers may share their memory's folder, but not their process ids. */
const prefix = `linnet-postgres-${hostname()}-`;
export const identity = process.getuid?.() === 0 ? unprivileged() : {};
export const folder = newFolder(tmpdir());
/** For data: the same folder, or one in memory. */
const dataParent = hasMemory() ? newFolder(memory) : folder;

/** A path for data. */
export const dataPath = (name) => join(dataParent, name);

/** A new data folder that the server's user can write. */
export function dataFolder(name) {
  const data = dataPath(name);
  mkdirSync(data, { mode: 0o700 });
  if (identity.uid !== undefined) chownSync(data, identity.uid, identity.gid);
  return data;
}

export function removeFolders() {
  for (const path of [folder, dataParent]) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
}

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

/** A user that is not root and exists on every system. */
function unprivileged() {
  const idOf = (flag) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
  return { uid: idOf('-u'), gid: idOf('-g') };
}
