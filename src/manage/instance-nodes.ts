import type { Caller } from '../rules/access.ts';
import { type NodeStatus, nodesOf } from '../rules/node-status.ts';
import { listNodes } from '../storage/nodes.ts';
import type { Context } from './context.ts';
import { requireInstanceAdministrator } from './instance-health.ts';

/** The nodes of the instance, including those that are gone and have left clicks. */
export const nodesOfInstance = async ({
  database,
  now,
}: Pick<Context, 'database' | 'now'>): Promise<readonly NodeStatus[]> =>
  nodesOf(await listNodes(database.read), now());

export async function readInstanceNodes(context: Context, caller: Caller): Promise<readonly NodeStatus[]> {
  await requireInstanceAdministrator(context, caller);
  return nodesOfInstance(context);
}
