import { join, resolve } from 'node:path';
import { isThere } from '../backup/read-only-store.ts';
import type { Config } from '../config/options.ts';
import { StartProblem } from '../start-problem.ts';
import { requireNoLostStore } from '../store.ts';

/** For commands that only make sense on an existing store. On PostgreSQL it is opened as it is. */
export function requireStore(config: Config): void {
  const { databaseUrl, dataDir } = config;
  const folder = resolve(dataDir);
  try {
    if (databaseUrl !== null || isThere(join(folder, 'linnet.sqlite'))) return;
  } catch {
    // It may not be looked into; `openStore` says so.
    return;
  }
  requireNoLostStore(config);
  throw new StartProblem(
    `There is no store in ${folder}. Set DATA_DIR to the data folder of the server (or DATABASE_URL), or start the server first.`,
  );
}
