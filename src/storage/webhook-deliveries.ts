import type { Selectable } from 'kysely';
import { countRows } from './rows.ts';
import type { Queries, Schema } from './schema.ts';
import type { NewDelivery, StoredDelivery } from './webhook-queue.ts';

export type StoredAttempt = Selectable<Schema['webhook_attempts']>;

export async function insertDelivery(queries: Queries, row: NewDelivery): Promise<number> {
  const { id } = await queries
    .insertInto('webhook_deliveries')
    .values(row)
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export const findDelivery = (
  queries: Queries,
  organizationId: number,
  id: number,
): Promise<StoredDelivery | undefined> =>
  queries
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();

export interface DeliveryPage {
  readonly limit: number;
  readonly offset: number;
  /** Only those with a lower id. */
  readonly before?: number | undefined;
}

const ofLink = (queries: Queries, organizationId: number, linkId: number) =>
  queries
    .selectFrom('webhook_deliveries')
    .where('organization_id', '=', organizationId)
    .where('link_id', '=', linkId);

export const listDeliveries = (
  queries: Queries,
  organizationId: number,
  linkId: number,
  page: DeliveryPage,
): Promise<StoredDelivery[]> => {
  const found = ofLink(queries, organizationId, linkId).selectAll();
  return (page.before === undefined ? found : found.where('id', '<', page.before))
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
};

export const countDeliveries = (queries: Queries, organizationId: number, linkId: number): Promise<number> =>
  countRows(ofLink(queries, organizationId, linkId));

/** Every attempt at these deliveries, by delivery, oldest first. */
export async function attemptsOf(
  queries: Queries,
  deliveryIds: readonly number[],
): Promise<ReadonlyMap<number, readonly StoredAttempt[]>> {
  if (deliveryIds.length === 0) return new Map();
  const rows = await queries
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('delivery_id', 'in', deliveryIds)
    .orderBy('id')
    .execute();
  return Map.groupBy(rows, (row) => row.delivery_id);
}

export interface Redelivery {
  readonly target_url: string;
  readonly signing_key: string | null;
}

/** Schedules it again from the beginning, with all its tries. Not while a node has claimed it. */
export async function requeueDelivery(
  queries: Queries,
  organizationId: number,
  id: number,
  { now, ...where }: Redelivery & { readonly now: number },
): Promise<void> {
  await queries
    .updateTable('webhook_deliveries')
    .set({ ...where, state: 'waiting', tries: 0, first_tried_at: null, next_try_at: now })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('claimed_until', 'is', null)
    .execute();
}

/** Removes what is over, and returns how many: what is still to be tried stays. */
export async function deleteOldDeliveries(queries: Queries, before: number, limit: number): Promise<number> {
  const rows = await queries
    .deleteFrom('webhook_deliveries')
    .where('id', 'in', (old) =>
      old
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('created_at', '<', before)
        .where('next_try_at', 'is', null)
        .limit(limit),
    )
    .returning('id')
    .execute();
  return rows.length;
}
