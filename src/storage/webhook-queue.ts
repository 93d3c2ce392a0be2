import { type Insertable, type Selectable, sql } from 'kysely';
import { dialectOf } from './dialect.ts';
import { prepared } from './prepared.ts';
import { insertInParts } from './rows.ts';
import type { Queries, Schema } from './schema.ts';

export type NewDelivery = Insertable<Schema['webhook_deliveries']>;
export type StoredDelivery = Selectable<Schema['webhook_deliveries']>;
export type NewAttempt = Omit<Insertable<Schema['webhook_attempts']>, 'id' | 'delivery_id'>;

export const insertDeliveries = (queries: Queries, rows: readonly NewDelivery[]): Promise<void> =>
  insertInParts(rows, (part) => queries.insertInto('webhook_deliveries').values(part));

/**
 * The targets with a due delivery. Goes from target to target through the index, so that one with a million waiting deliveries
 * costs no more than another.
 */
export const targetsDue = async (queries: Queries, now: number): Promise<string[]> =>
  (await selectTargetsDue(queries, now)).map(({ target }) => target);

const selectTargetsDue = prepared((queries, now: number) =>
  sql<{ target: string }>`
    with recursive waiting(target) as (
      select min(target_url) from webhook_deliveries where next_try_at is not null
      union all
      select (
        select min(target_url) from webhook_deliveries
        where next_try_at is not null and target_url > waiting.target
      )
      from waiting where waiting.target is not null
    )
    select target from waiting
    where target is not null and exists (
      select 1 from webhook_deliveries
      where target_url = waiting.target and next_try_at is not null and next_try_at <= ${now}
    )`.compile(queries),
);

interface Claim {
  readonly target: string;
  readonly max: number;
  readonly now: number;
  /** After this instant others may take over the claimed ones. */
  readonly until: number;
  /** Organizations with enough deliveries under way. */
  readonly except: readonly number[];
}

/** How many of the oldest are searched for one whose organization has room. */
const maxSearched = 256;

/** Claims the oldest due deliveries for a target. No other node gets the same. */
export async function claimDue(queries: Queries, claim: Claim): Promise<StoredDelivery[]> {
  const { target, max, now, until, except } = claim;
  const due = queries
    .selectFrom('webhook_deliveries')
    .select(['id', 'organization_id'])
    .where('target_url', '=', target)
    .where('next_try_at', '<=', now)
    .orderBy('next_try_at')
    .orderBy('id')
    .limit(except.length > 0 ? maxSearched : max);
  const oldest = await (dialectOf(queries).locksRows ? due.forUpdate().skipLocked() : due).execute();
  const ids = oldest.filter((row) => !except.includes(row.organization_id)).map((row) => row.id);
  if (ids.length === 0) return [];
  return queries
    .updateTable('webhook_deliveries')
    .set({ next_try_at: until, claimed_until: until })
    .where('id', 'in', ids.slice(0, max))
    .returningAll()
    .execute();
}

/** The result of an attempt for the delivery as a whole. */
export type Verdict = Pick<StoredDelivery, 'state' | 'next_try_at'>;

/**
 * False if the claim was lost, because it had expired and another node took the delivery over, or by a redelivery: then only the
 * later attempt decides about the delivery.
 */
export async function recordAttempt(
  queries: Queries,
  delivery: Pick<StoredDelivery, 'id' | 'claimed_until'>,
  attempt: NewAttempt,
  verdict: Verdict,
): Promise<boolean> {
  const updated = await queries
    .updateTable('webhook_deliveries')
    .set({
      ...verdict,
      tries: sql<number>`tries + 1`,
      first_tried_at: sql<number>`coalesce(first_tried_at, ${attempt.at})`,
      claimed_until: null,
    })
    .where('id', '=', delivery.id)
    .where('claimed_until', '=', delivery.claimed_until)
    .returning('id')
    .executeTakeFirst();
  if (updated || (await isKept(queries, delivery.id))) await insertAttempt(queries, delivery.id, attempt);
  return updated !== undefined;
}

async function isKept(queries: Queries, deliveryId: number): Promise<boolean> {
  const query = queries.selectFrom('webhook_deliveries').select('id').where('id', '=', deliveryId);
  return (await query.executeTakeFirst()) !== undefined;
}

export async function insertAttempt(
  queries: Queries,
  deliveryId: number,
  attempt: NewAttempt,
): Promise<void> {
  await queries
    .insertInto('webhook_attempts')
    .values({ ...attempt, delivery_id: deliveryId })
    .execute();
}

/** Where a link's events are sent now; undefined if the link was deleted. */
export const hooksOfLink = (queries: Queries, linkId: number) =>
  queries
    .selectFrom('links')
    .select(['webhook_url', 'webhook_auth_key', 'zapier_hook_url'])
    .where('id', '=', linkId)
    .executeTakeFirst();

/** The same for several links, with their signing keys. */
export const hooksOfLinks = (queries: Queries, linkIds: readonly number[]) =>
  queries
    .selectFrom('links')
    .select(['id', 'webhook_url', 'webhook_auth_key', 'zapier_hook_url'])
    .where('id', 'in', linkIds)
    .execute();

/** Releases deliveries that were claimed and not sent: the next claim takes them at once. */
export async function releaseClaims(
  queries: Queries,
  deliveries: readonly Pick<StoredDelivery, 'id' | 'claimed_until'>[],
  now: number,
): Promise<void> {
  for (const { id, claimed_until } of deliveries) {
    await queries
      .updateTable('webhook_deliveries')
      .set({ next_try_at: now, claimed_until: null })
      .where('id', '=', id)
      .where('claimed_until', '=', claimed_until)
      .execute();
  }
}
