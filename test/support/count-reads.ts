import type { KyselyPlugin } from 'kysely';
import type { Database } from '../../src/storage/database.ts';

interface CountedReads {
  readonly reads: () => number;
  stop(): void;
}

/** Counts the reading statements of calls until `stop` is called. */
export function countReads(database: Database): CountedReads {
  const { readFor } = database;
  let reads = 0;
  Object.assign(database, {
    readFor: (terms: Parameters<typeof readFor>[0]) => {
      const counting: KyselyPlugin = {
        transformQuery({ node }) {
          reads += 1;
          return node;
        },
        transformResult: async ({ result }) => result,
      };
      return readFor(terms).withPlugin(counting);
    },
  });
  return { reads: () => reads, stop: () => Object.assign(database, { readFor }) };
}
