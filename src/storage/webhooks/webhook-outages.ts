import type { Selectable } from 'kysely';
import type { Queries, Schema } from '../schema.ts';
import type { DeliveryQueue } from './webhook-queue.ts';

export type StoredOutage = Selectable<Schema['webhook_outages']>;

export async function noteFailure(
  queries: Queries,
  { organization_id, target_url }: DeliveryQueue,
  at: number,
): Promise<void> {
  await queries
    .insertInto('webhook_outages')
    .values({ organization_id, target_url, since: at, last_failed_at: at })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'target_url']).doUpdateSet({ last_failed_at: at }),
    )
    .execute();
}

export async function noteSuccess(
  queries: Queries,
  { organization_id, target_url }: DeliveryQueue,
): Promise<void> {
  await queries
    .deleteFrom('webhook_outages')
    .where('organization_id', '=', organization_id)
    .where('target_url', '=', target_url)
    .execute();
}

/** Outages that haven't ended: a target that isn't tried any more has none, whatever the result of its last attempt. */
interface OngoingOutages {
  readonly since: number;
  readonly lastFailedAfter: number;
}

/** Claims outages older than `since` that no administrator was mailed about, each for one node. */
export async function claimUnmailedOutages(
  queries: Queries,
  { since, lastFailedAfter }: OngoingOutages,
  claim: { readonly now: number; readonly until: number },
  limit: number,
): Promise<StoredOutage[]> {
  const claimed = await queries
    .selectFrom('webhook_outages')
    .selectAll()
    .where('told_at', 'is', null)
    .where('since', '<=', since)
    .where('last_failed_at', '>', lastFailedAfter)
    .where((where) => where.or([where('claimed_until', 'is', null), where('claimed_until', '<=', claim.now)]))
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  for (const outage of claimed) await updateOutage(queries, outage, { claimed_until: claim.until });
  return claimed;
}

/** Until an outage is mailed, the first run of any node after `claimed_until` retries it; null: the next run. */
export async function updateOutage(
  queries: Queries,
  { organization_id, target_url }: DeliveryQueue,
  values: Partial<Pick<StoredOutage, 'told_at' | 'claimed_until'>>,
): Promise<void> {
  await queries
    .updateTable('webhook_outages')
    .set(values)
    .where('organization_id', '=', organization_id)
    .where('target_url', '=', target_url)
    .execute();
}

/** An organization's outages, longest first. */
export const listOutages = (
  queries: Queries,
  organizationId: number,
  lastFailedAfter: number,
  limit: number,
): Promise<StoredOutage[]> =>
  queries
    .selectFrom('webhook_outages')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('last_failed_at', '>', lastFailedAfter)
    .orderBy('since')
    .limit(limit)
    .execute();

export async function deleteOldOutages(queries: Queries, before: number): Promise<void> {
  await queries.deleteFrom('webhook_outages').where('last_failed_at', '<', before).execute();
}
