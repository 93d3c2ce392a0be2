import type { JobStore } from '../../src/storage/database.ts';

/** Asks the store so many times, one after the other; where it goes on, a thousand times more that nothing waits for. */
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
