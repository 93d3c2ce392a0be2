import answer, { type ChunkQuery } from '../../src/ledger/chunk-job.ts';
import type { JobStore } from '../../src/storage/database.ts';

/** The job of chunks, with how often it has asked the server for cells. */
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
