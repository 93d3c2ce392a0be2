import type { JobStore } from '../../src/storage/database.ts';

/** Queries the store `times` times in sequence; with `goesOn`, also starts a thousand queries that aren't awaited. */
export default async function answer(
  store: JobStore,
  { times, goesOn = false }: { readonly times: number; readonly goesOn?: boolean },
): Promise<number> {
  if (goesOn) void answer(store, { times: 1_000 }).catch(() => {});
  if (times === 0) await store.rows('select 1 / (1 - $1::int) as one', [1]);
  let sum = 0;
  for (let time = 0; time < times; time++) {
    store.keepGoing();
    const rows = await store.rows<{ one: number }>('select $1::bigint as one', [1]);
    sum += rows[0]?.one ?? 0;
  }
  return sum;
}
