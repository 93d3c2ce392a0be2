import answer, { type ChunkQuery } from '../../src/ledger/chunks/chunk-job.ts';
import type { JobStore } from '../../src/storage/database.ts';

/** The chunk job, with a count of how often it requested cells from the server. */
export default async function watched(
  store: JobStore,
  query: ChunkQuery,
): Promise<{ readonly answer: unknown; readonly copies: number }> {
  let copies = 0;
  const copy: JobStore['copy'] = async (select, take) => {
    copies += 1;
    await store.copy?.(select, take);
  };
  return { answer: await answer({ ...store, copy }, query), copies };
}
