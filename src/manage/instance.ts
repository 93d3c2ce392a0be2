import type { Caller } from '../rules/access.ts';
import { Refusal } from '../rules/errors.ts';
import type { CheckFinding } from '../rules/finding.ts';
import { type NodeStatus, nodesOf } from '../rules/node-status.ts';
import { listNodes } from '../storage/nodes.ts';
import type { Queries } from '../storage/schema.ts';
import { claimSetting, findSetting } from '../storage/settings.ts';
import type { Context } from './context.ts';

/**
 * The setting with the id of the organization that runs the instance: that of the first account. It never changes to another one.
 */
export const instanceOrganization = 'instance_organization';

export const claimInstance = (queries: Queries, organizationId: number): Promise<boolean> =>
  claimSetting(queries, instanceOrganization, String(organizationId));

export const runsInstance = async (
  { database }: Pick<Context, 'database'>,
  organizationId: number,
): Promise<boolean> => (await findSetting(database.lookup, instanceOrganization)) === String(organizationId);

/** For administrators of the organization that runs the instance: other tenants learn nothing about the machine. */
async function requireInstanceAdministrator(context: Context, caller: Caller): Promise<void> {
  if (caller.role !== 'administrator' || !(await runsInstance(context, caller.organizationId)))
    throw new Refusal(
      'FORBIDDEN',
      'Only an administrator of the organization that runs this service may see this. It is that of the first account.',
    );
}

export async function readInstanceHealth(context: Context, caller: Caller): Promise<readonly CheckFinding[]> {
  await requireInstanceAdministrator(context, caller);
  return context.runChecks();
}

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
