import type { Selectable } from 'kysely';
import { dialectOf } from './dialect.ts';
import type { Queries, Schema } from './schema.ts';
import type { StoredDelivery } from './webhook-queue.ts';

export type StoredOutage = Selectable<Schema['webhook_outages']>;

type Target = Pick<StoredDelivery, 'organization_id' | 'target_url'>;

export async function noteFailure(
  queries: Queries,
  { organization_id, target_url }: Target,
  at: number,
): Promise<void> {
  await queries
    .insertInto('webhook_outages')
    .values({ organization_id, target_url, since: at, last_failed_at: at, told_at: null })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'target_url']).doUpdateSet({ last_failed_at: at }),
    )
    .execute();
}

export async function noteSuccess(queries: Queries, { organization_id, target_url }: Target): Promise<void> {
  await queries
    .deleteFrom('webhook_outages')
    .where('organization_id', '=', organization_id)
    .where('target_url', '=', target_url)
    .execute();
}

/** Those that go on: a target that isn't tried any more has no outage, whatever its last attempt came to. */
interface Going {
  readonly since: number;
  readonly lastFailedAfter: number;
}

/** Takes outages that are older than `since` and that no administrator was told of, each of them once, on any node. */
export async function takeUntold(
  queries: Queries,
  { since, lastFailedAfter }: Going,
  now: number,
  limit: number,
): Promise<StoredOutage[]> {
  const untold = queries
    .selectFrom('webhook_outages')
    .selectAll()
    .where('told_at', 'is', null)
    .where('since', '<=', since)
    .where('last_failed_at', '>', lastFailedAfter)
    .limit(limit);
  const taken = await (dialectOf(queries).locksRows ? untold.forUpdate().skipLocked() : untold).execute();
  for (const outage of taken) await setTold(queries, outage, now);
  return taken;
}

export async function setTold(queries: Queries, target: Target, at: number | null): Promise<void> {
  await queries
    .updateTable('webhook_outages')
    .set({ told_at: at })
    .where('organization_id', '=', target.organization_id)
    .where('target_url', '=', target.target_url)
    .execute();
}

/** An organization's, the longest first. */
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
