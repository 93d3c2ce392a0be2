import { type Selectable, sql } from 'kysely';
import { countRows, deleteFound, insertRow } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';
import type { NewDelivery, StoredDelivery } from './webhook-queue.ts';

export type StoredAttempt = Selectable<Schema['webhook_attempts']>;

export const insertDelivery = (queries: Queries, row: NewDelivery): Promise<number> =>
  insertRow(queries, 'webhook_deliveries', row);

export const findDelivery = (queries: Queries, organizationId: number, id: number) =>
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

/** One link, or all links of an organization. */
interface DeliveryOwner {
  readonly organizationId: number;
  readonly linkId: number | undefined;
}

const deliveriesOf = (queries: Queries, { organizationId, linkId }: DeliveryOwner) => {
  const all = queries.selectFrom('webhook_deliveries').where('organization_id', '=', organizationId);
  return linkId === undefined ? all : all.where('link_id', '=', linkId);
};

export const listDeliveries = (
  queries: Queries,
  organizationId: number,
  linkId: number,
  { limit, offset, before = Number.MAX_SAFE_INTEGER }: DeliveryPage,
): Promise<StoredDelivery[]> =>
  deliveriesOf(queries, { organizationId, linkId })
    .selectAll()
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();

export const countDeliveries = (queries: Queries, organizationId: number, linkId: number): Promise<number> =>
  countRows(deliveriesOf(queries, { organizationId, linkId }));

/** All attempts at these deliveries, by delivery, oldest first. */
export async function attemptsOf(
  queries: Queries,
  deliveryIds: readonly number[],
): Promise<ReadonlyMap<number, readonly StoredAttempt[]>> {
  if (deliveryIds.length === 0) return new Map();
  const rows = await queries
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('delivery_id', 'in', deliveryIds)
    .orderBy('at')
    .orderBy('id')
    .execute();
  return Map.groupBy(rows, (row) => row.delivery_id);
}

export interface Redelivery {
  readonly target_url: string;
  readonly signing_key: string | null;
}

/** The failed deliveries of a time range. `to` is exclusive. */
export interface FailedSpan extends DeliveryOwner {
  readonly from: number;
  readonly to: number;
}

export type FailedDelivery = Pick<
  StoredDelivery,
  'id' | 'created_at' | 'link_id' | 'event' | 'target_url' | 'signing_key'
>;

/** Some of them, oldest first. Test calls are excluded: their data is a sample. */
export const failedDeliveries = (
  queries: Queries,
  span: FailedSpan,
  after: Pick<FailedDelivery, 'id' | 'created_at'> | undefined,
  limit: number,
): Promise<FailedDelivery[]> => {
  const failed = failedIn(queries, span);
  const rest = after
    ? failed.where((row) => row(row.refTuple('created_at', 'id'), '>', row.tuple(after.created_at, after.id)))
    : failed;
  return rest
    .select(['id', 'created_at', 'link_id', 'event', 'target_url', 'signing_key'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
};

/** Deliveries that failed permanently, without test calls; `max` if there are more. */
export async function countFailed(queries: Queries, owner: DeliveryOwner, max: number): Promise<number> {
  const span = { ...owner, from: 0, to: Number.MAX_SAFE_INTEGER };
  const failed = failedIn(queries, span).select('id').limit(max).as('failed');
  const row = await queries
    .selectFrom(failed)
    .select((counted) => counted.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

const failedIn = (queries: Queries, { from, to, ...owner }: FailedSpan) =>
  deliveriesOf(queries, owner)
    // As in the index, which a parameter would not match.
    .where('state', '=', sql.lit<'failed'>('failed'))
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .where('body', 'not like', '%,"sample":true}}');

interface Requeued {
  readonly organizationId: number;
  readonly ids: readonly number[];
  readonly states: readonly StoredDelivery['state'][];
}

/**
 * Schedules deliveries again from the beginning, with all their attempts. A node that has claimed one loses its claim: the attempt
 * under way no longer decides about the delivery. Returns how many.
 */
export async function requeueDeliveries(
  queries: Queries,
  { organizationId, ids, states }: Requeued,
  { now, ...target }: Redelivery & { readonly now: number },
): Promise<number> {
  const rows = await queries
    .updateTable('webhook_deliveries')
    .set({
      ...target,
      state: 'waiting',
      tries: 0,
      first_tried_at: null,
      next_try_at: now,
      claimed_until: null,
    })
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .where('state', 'in', states)
    .returning('id')
    .execute();
  return rows.length;
}

/** Deliveries of an organization or of one link, after one of them, oldest first. */
export const deliveriesAfter = (
  queries: Queries,
  owner: DeliveryOwner,
  after: number,
  limit: number,
): Promise<Pick<StoredDelivery, 'id' | 'body'>[]> =>
  deliveriesOf(queries, owner)
    .select(['id', 'body'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

/** Including those that are still to be tried: one that is being sent still arrives, but no record of it is kept. */
export async function deleteDeliveries(queries: Queries, ids: readonly number[]): Promise<void> {
  await queries.deleteFrom('webhook_deliveries').where('id', 'in', ids).execute();
}

interface OldDeliveries {
  /** Finished deliveries from before; `clicksBefore` is no later. */
  readonly before: number;
  /** Deliveries about clicks from before, even if they are still to be tried. */
  readonly clicksBefore: number;
  readonly clickEvents: readonly string[];
}

/** Returns how many were deleted. */
export function deleteOldDeliveries(
  queries: Queries,
  { before, clicksBefore, clickEvents }: OldDeliveries,
  limit: number,
): Promise<number> {
  const old = queries
    .selectFrom('webhook_deliveries')
    .where('created_at', '<', before)
    .where((where) =>
      where.or([
        where('next_try_at', 'is', null),
        where.and([where('created_at', '<', clicksBefore), where('event', 'in', clickEvents)]),
      ]),
    )
    .limit(limit);
  return deleteFound(queries, 'webhook_deliveries', ['id'], old);
}
