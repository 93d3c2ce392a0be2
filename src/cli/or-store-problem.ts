import { BackupProblem } from '../backup/backup-stream.ts';
import type { Config } from '../config/options.ts';
import { storeProblem } from '../store.ts';

/** Why the database can't be opened for a backup, or restored to. */
export async function orStoreProblem<T>(config: Config, dataDir: string, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (cause) {
    throw cause instanceof BackupProblem ? cause : storeProblem(config, dataDir, cause);
  }
}
