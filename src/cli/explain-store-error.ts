import { BackupProblem } from '../backup/backup-stream.ts';
import type { Config } from '../config/options.ts';
import { StartProblem } from '../start-problem.ts';
import { storeProblem } from '../store.ts';

/** The result; if the database can't be opened, the error says why. */
export async function explainStoreError<T>(config: Config, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (cause) {
    const isExplained = cause instanceof BackupProblem || cause instanceof StartProblem;
    throw isExplained ? cause : storeProblem(config, cause);
  }
}
