import { SQL } from 'bun';
import type { JobStore } from '../../src/storage/database.ts';
import { eventually } from './eventually.ts';

/** Terminates its own connection between two statements. */
export default async function answer(store: JobStore, { url }: { readonly url: string }): Promise<unknown> {
  const [row] = await store.rows<{ pid: number }>('select pg_backend_pid() as pid', []);
  await using sql = new SQL({ url, max: 1 });
  await sql`select pg_terminate_backend(${row?.pid})`;
  const isGone = async () => (await sql`select 1 from pg_stat_activity where pid = ${row?.pid}`).length === 0;
  await eventually(isGone, 'the connection to end');
  const [, second] = await Promise.allSettled([store.rows('select 1', []), store.rows('select 1', [])]);
  if (second.status === 'rejected') throw second.reason;
  return second.value;
}
