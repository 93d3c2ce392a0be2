import type { Insertable, Selectable } from 'kysely';
import { goneAfter } from '../rules/node-status.ts';
import { hasRow } from './rows.ts';
import type { Queries, Schema } from './schema.ts';

type NodeProcess = Selectable<Schema['nodes']>;

/** A process reports its state. */
export async function reportNode(queries: Queries, row: Insertable<Schema['nodes']>): Promise<void> {
  const { node: _node, process: _process, ...reported } = row;
  await queries
    .insertInto('nodes')
    .values(row)
    .onConflict((conflict) => conflict.columns(['node', 'process']).doUpdateSet(reported))
    .execute();
}

export const listNodes = (queries: Queries): Promise<NodeProcess[]> =>
  queries.selectFrom('nodes').selectAll().orderBy('node').orderBy('process').execute();

/** Whether there is a process that doesn't know a migration. */
export const hasOlderProcess = (queries: Queries, migration: number, now: number): Promise<boolean> =>
  hasRow(
    queries
      .selectFrom('nodes')
      .select('node')
      .where('seen_at', '>', now - goneAfter)
      .where((where) => where.or([where('migration', 'is', null), where('migration', '<', migration)]))
      .limit(1),
  );

/** Deletes earlier processes of a node: the node itself reports what they have left in its folder. */
export async function forgetEarlier(queries: Queries, node: string, before: number): Promise<void> {
  await queries.deleteFrom('nodes').where('node', '=', node).where('seen_at', '<', before).execute();
}

/** Deletes nodes that have not reported for long and whose clicks are all folded. */
export async function forgetGone(queries: Queries, before: number): Promise<void> {
  await queries
    .deleteFrom('nodes')
    .where('seen_at', '<', before)
    .where('waiting_clicks', '=', 0)
    .where('waiting_bytes', '=', 0)
    .execute();
}

/** A process has shut down cleanly, and nothing waits. */
export async function forgetProcess(queries: Queries, node: string, process: string): Promise<void> {
  await queries.deleteFrom('nodes').where('node', '=', node).where('process', '=', process).execute();
}
