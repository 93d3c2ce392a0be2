import { type Insertable, type Selectable, sql } from 'kysely';
import { dialectOf } from '../dialect.ts';
import { jsonRows } from '../json-rows.ts';
import { prepared } from '../prepared.ts';
import { hasRow, idsOf, insertInParts } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';

export type NewDelivery = Insertable<Schema['webhook_deliveries']>;
export type StoredDelivery = Selectable<Schema['webhook_deliveries']>;
export type NewAttempt = Omit<Insertable<Schema['webhook_attempts']>, 'id' | 'delivery_id'>;

export const insertDeliveries = (queries: Queries, rows: readonly NewDelivery[]): Promise<void> =>
  insertInParts(rows, (part) => queries.insertInto('webhook_deliveries').values(part));

/** One organization's deliveries to a target. */
export type DeliveryQueue = Pick<StoredDelivery, 'organization_id' | 'target_url'>;

/** How many of an organization's targets are looked at in one search, due or not. */
const maxTargets = 1_000;

/**
 * Searches the queues with a due delivery, going from organization to organization and from target to target through the
 * indexes: neither a target with a million waiting deliveries nor an organization with a million targets costs the others
 * anything. An organization with more than `maxTargets` waiting targets is searched in parts, one at each call.
 */
export class DueQueues {
  /** For organizations that are searched in parts: the last target that was looked at. */
  readonly #last = new Map<number, string>();

  async find(queries: Queries, now: number): Promise<DeliveryQueue[]> {
    const found = await selectDueQueues(queries, now, JSON.stringify([...this.#last]));
    this.#last.clear();
    for (const { organization_id, target_url, position } of found)
      if (position === maxTargets) this.#last.set(organization_id, target_url);
    return found
      .filter(({ due }) => due === 1)
      .map(({ organization_id, target_url }) => ({ organization_id, target_url }));
  }
}

type FoundQueue = DeliveryQueue & {
  /** From 1 in each organization. */
  readonly position: number;
  readonly due: 0 | 1;
};

/** The organizations with waiting deliveries, for `with recursive`: from one to the next through an index. */
export const waitingOrganizations = sql`organizations(id) as (
  select min(organization_id) from webhook_deliveries where next_try_at is not null
  union all
  select (
    select min(organization_id) from webhook_deliveries
    where next_try_at is not null and organization_id > organizations.id
  )
  from organizations where id is not null
)`;

const selectDueQueues = prepared((queries, now: number, last: string) =>
  sql<FoundQueue>`
    with recursive ${waitingOrganizations},
    waiting(organization, target, position) as (
      select id, coalesce((
        select last_target from ${jsonRows(dialectOf(queries), { of: 'integer', last_target: 'text' }, last)} as last
        where last.of = organizations.id
      ), ''), 0
      from organizations where id is not null and exists (
        select 1 from webhook_deliveries
        where organization_id = organizations.id and next_try_at is not null and next_try_at <= ${now}
      )
      union all
      select organization, (
        select min(target_url) from webhook_deliveries
        where organization_id = waiting.organization and next_try_at is not null and target_url > waiting.target
      ), position + 1
      from waiting where target is not null and position < ${sql.lit(maxTargets)}
    )
    select organization as organization_id, target as target_url, position, case when exists (
      select 1 from webhook_deliveries
      where organization_id = waiting.organization and target_url = waiting.target
        and next_try_at is not null and next_try_at <= ${now}
    ) then 1 else 0 end as due
    from waiting where position > 0 and target is not null`.compile(queries),
);

interface Claim {
  readonly max: number;
  readonly now: number;
  /** After this instant others may take over the claimed ones. */
  readonly until: number;
}

/** Claims the oldest due deliveries of a queue. No other node gets the same. */
export async function claimDue(
  queries: Queries,
  { organization_id, target_url }: DeliveryQueue,
  { max, now, until }: Claim,
): Promise<StoredDelivery[]> {
  const oldest = await queries
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('organization_id', '=', organization_id)
    .where('target_url', '=', target_url)
    .where('next_try_at', '<=', now)
    .orderBy('next_try_at')
    .orderBy('id')
    .limit(max)
    .forUpdate()
    .skipLocked()
    .execute();
  if (oldest.length === 0) return [];
  return queries
    .updateTable('webhook_deliveries')
    .set({ next_try_at: until, claimed_until: until })
    .where('id', 'in', idsOf(oldest))
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
  const isDecided = await hasRow(
    queries
      .updateTable('webhook_deliveries')
      .set({
        ...verdict,
        tries: sql<number>`tries + 1`,
        first_tried_at: sql<number>`coalesce(first_tried_at, ${attempt.at})`,
        claimed_until: null,
      })
      .where('id', '=', delivery.id)
      .where('claimed_until', '=', delivery.claimed_until)
      .returning('id'),
  );
  if (isDecided || (await isKept(queries, delivery.id))) await insertAttempt(queries, delivery.id, attempt);
  return isDecided;
}

const isKept = (queries: Queries, id: number): Promise<boolean> =>
  hasRow(queries.selectFrom('webhook_deliveries').select('id').where('id', '=', id));

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

/** Where the events of those of these links that exist are sent now, with their signing keys. */
export const hooksOfLinks = (queries: Queries, linkIds: readonly number[]) =>
  queries
    .selectFrom('links')
    .select(['id', 'webhook_url', 'webhook_auth_key', 'zapier_hook_url'])
    .where('id', 'in', linkIds)
    .execute();

/** Releases a delivery that was claimed and not sent: the next claim takes it at once. */
export async function releaseClaim(
  queries: Queries,
  { id, claimed_until }: Pick<StoredDelivery, 'id' | 'claimed_until'>,
  now: number,
): Promise<void> {
  await queries
    .updateTable('webhook_deliveries')
    .set({ next_try_at: now, claimed_until: null })
    .where('id', '=', id)
    .where('claimed_until', '=', claimed_until)
    .execute();
}
