import { randomBytes } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Secrets } from './secrets.ts';

const minLength = 32;

/** The key file contains no key, or is missing. */
class KeyFileProblem extends Error {
  override readonly name = 'KeyFileProblem';
}

/**
 * The one secret that everything else is derived from. It is not in the database, so that a dump alone reveals nothing: it comes
 * from SECRET_KEY, or is created once in the data folder. Null if there is none yet.
 */
export const findMasterKey = async (configured: string | null, dataDir: string): Promise<string | null> =>
  configured ?? (await read(fileIn(dataDir)));

/** For messages about a SECRET_KEY that doesn't fit: that of a file may have the file's line break, which isn't part of a `secret.key`. */
export const strayBlanks = (configured: string | null): string =>
  configured === null || configured === configured.trim()
    ? ''
    : ' SECRET_KEY begins or ends with a blank or a line break, which counts as part of it: if it is from a secret.key, leave that out.';

/** For a process that starts after another one has found or created the key. */
export async function requireMasterKey(configured: string | null, dataDir: string): Promise<string> {
  const key = await findMasterKey(configured, dataDir);
  if (key === null) throw new KeyFileProblem(`${fileIn(dataDir)} is missing; put it back`);
  return key;
}

/** Returns the key of the first caller, if several processes create it at once. */
export async function createMasterKey(dataDir: string): Promise<string> {
  await createKeyFile(fileIn(dataDir));
  return requireMasterKey(null, dataDir);
}

const fileIn = (dataDir: string): string => join(dataDir, 'secret.key');

async function read(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    if (cause.code === 'ENOENT') return null;
    throw cause;
  });
  if (text !== null && text.trim().length < minLength) {
    throw new KeyFileProblem(
      `${file} is empty or cut off; put the right key back, or remove the file if the key is lost`,
    );
  }
  return text?.trim() ?? null;
}

/** Atomic, and never overwrites a file: the key is written to a temporary file, synced, then linked under the final name. */
async function createKeyFile(file: string): Promise<void> {
  const temporaryFile = `${file}.${randomBytes(6).toString('hex')}`;
  const handle = await open(temporaryFile, 'wx', 0o600);
  try {
    await handle.writeFile(`${randomBytes(32).toString('hex')}\n`);
    await handle.sync();
    await link(temporaryFile, file).catch((cause) => {
      if (cause.code !== 'EEXIST') throw cause;
    });
  } finally {
    await handle.close();
    await unlink(temporaryFile);
  }
}

/** Identifies a key without revealing it: the store has that of the key that it belongs to. */
export const markOf = (secrets: Secrets): string => secrets.sign('fingerprint', 'master key');
