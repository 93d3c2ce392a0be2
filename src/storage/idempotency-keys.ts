import { type Selectable, sql } from 'kysely';
import { deleteFound, hasRow } from './rows.ts';
import type { Queries, Schema } from './schema.ts';

type Row = Selectable<Schema['idempotency_keys']>;
export type IdempotencyKey = Pick<Row, 'user_id' | 'organization_id' | 'key_hash'>;
export type IdempotentCall = Pick<Row, 'request_hash' | 'expires_at' | 'status' | 'answer'>;

export const findIdempotentCall = (
  queries: Queries,
  { user_id, organization_id, key_hash }: IdempotencyKey,
  now: number,
): Promise<IdempotentCall | undefined> =>
  queries
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'expires_at', 'status', 'answer'])
    .where((row) => row.and({ user_id, organization_id, key_hash }))
    .where('expires_at', '>', now)
    .executeTakeFirst();

/**
 * False if a call has used the key already. On PostgreSQL this waits for a transaction that is just claiming it, and returns its
 * result.
 */
export async function claimIdempotencyKey(
  queries: Queries,
  claim: IdempotencyKey & Pick<Row, 'request_hash' | 'expires_at'>,
  now: number,
): Promise<boolean> {
  const { request_hash, expires_at } = claim;
  const empty = { request_hash, expires_at, size: 0, status: null, answer: null };
  return hasRow(
    queries
      .insertInto('idempotency_keys')
      .values({ ...claim, ...empty })
      .onConflict((conflict) =>
        conflict.columns(key).doUpdateSet(empty).where('idempotency_keys.expires_at', '<=', now),
      )
      .returning('key_hash'),
  );
}

export async function keepIdempotentAnswer(
  queries: Queries,
  { user_id, organization_id, key_hash }: IdempotencyKey,
  kept: { readonly status: number; readonly answer: string },
): Promise<void> {
  await queries
    .updateTable('idempotency_keys')
    .set({ ...kept, size: kept.answer.length })
    .where((row) => row.and({ user_id, organization_id, key_hash }))
    .execute();
}

const key = ['user_id', 'organization_id', 'key_hash'] as const;

export function deleteOldIdempotencyKeys(queries: Queries, now: number, limit: number): Promise<number> {
  const old = queries.selectFrom('idempotency_keys').where('expires_at', '<=', now);
  return deleteFound(queries, 'idempotency_keys', key, old.orderBy('expires_at').limit(limit));
}

/** The organizations whose stored answers exceed `maxSize` characters in total. */
export async function organizationsOverAnswerLimit(queries: Queries, maxSize: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select organization_id as id from idempotency_keys
    group by organization_id having sum(size) > ${maxSize} order by organization_id`.execute(queries);
  return rows.map(({ id }) => id);
}

/** Deletes the oldest keys of an organization; returns whether its answers still exceed the total. */
export async function deleteOldestKeys(
  queries: Queries,
  organizationId: number,
  maxSize: number,
  limit: number,
): Promise<boolean> {
  const own = queries.selectFrom('idempotency_keys').where('organization_id', '=', organizationId);
  await deleteFound(queries, 'idempotency_keys', key, own.orderBy('expires_at').limit(limit));
  return (await organizationsOverAnswerLimit(queries, maxSize)).includes(organizationId);
}
