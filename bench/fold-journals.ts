import { join } from 'node:path';

/** What a fold took: seconds of wall-clock time and of CPU, and bytes of memory after 40 % of the time and at the end. */
export interface FoldRun {
  readonly seconds: number;
  readonly cpu: number;
  readonly early: number;
  readonly late: number;
  /** Bytes of the SQLite file. */
  readonly stored: number;
}

/** A journal of a data folder. It is counted once, by its name. */
export const journalIn = (dataDir: string, name = 'left'): string => join(dataDir, 'journal', 'bench', name);

/** Folds the journals in a data folder, in a process of its own. */
export async function foldJournals(dataDir: string, databaseUrl = '', clicksUrl = ''): Promise<FoldRun> {
  const { PATH = '', HOME = '' } = process.env;
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'fold-run.ts')], {
    env: { PATH, HOME, DATA_DIR: dataDir, DATABASE_URL: databaseUrl, CLICKS_URL: clicksUrl },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error('the fold has failed');
  return JSON.parse(output);
}
