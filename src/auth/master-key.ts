import { randomBytes } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The one secret that everything else is derived from. It stays out of the database, so that a dump of that alone
 * opens nothing: in SECRET_KEY, or made once in the data folder.
 */
export async function masterKey(configured: string | null, dataDir: string): Promise<string> {
  if (configured !== null) return configured;
  const file = join(dataDir, 'secret.key');
  const made = randomBytes(32).toString('hex');
  try {
    await writeFile(file, `${made}\n`, { mode: 0o600, flag: 'wx' });
    await chmod(file, 0o600);
    return made;
  } catch (cause) {
    if ((cause as { code?: string }).code !== 'EEXIST') throw cause;
    return (await readFile(file, 'utf8')).trim();
  }
}
