import type { Insertable, Selectable } from 'kysely';
import type { Caller } from '../../rules/access.ts';
import { recordCallerChange } from '../marked-changes.ts';
import { preparedRow } from '../prepared.ts';
import { hasMoreThan, hasRow } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';

export type StoredApiKey = Omit<Selectable<Schema['api_keys']>, 'hash' | 'user_id' | 'organization_id'>;

const shown = ['id', 'created_at', 'name', 'prefix', 'last_used_at'] as const;

export const insertApiKey = (queries: Queries, key: Insertable<Schema['api_keys']>): Promise<StoredApiKey> =>
  queries.insertInto('api_keys').values(key).returning(shown).executeTakeFirstOrThrow();

export const hasMoreApiKeys = (queries: Queries, userId: number, max: number): Promise<boolean> =>
  hasMoreThan(queries.selectFrom('api_keys').where('user_id', '=', userId), max);

export const listApiKeys = (queries: Queries, userId: number): Promise<StoredApiKey[]> =>
  queries.selectFrom('api_keys').select(shown).where('user_id', '=', userId).orderBy('id', 'desc').execute();

export async function deleteApiKey(
  queries: Queries,
  userId: number,
  id: number,
  now: number,
): Promise<boolean> {
  const ofUser = queries.deleteFrom('api_keys').where('user_id', '=', userId);
  const isDeleted = await hasRow(ofUser.where('id', '=', id).returning('id'));
  if (isDeleted) await recordCallerChange(queries, userId, now);
  return isDeleted;
}

export async function deleteApiKeysOf(queries: Queries, userId: number, now: number): Promise<void> {
  await queries.deleteFrom('api_keys').where('user_id', '=', userId).execute();
  await recordCallerChange(queries, userId, now);
}

export interface KeyOwner extends Omit<Caller, 'via'> {
  readonly keyId: number;
  /** As known to the node that keeps this copy. */
  lastUsedAt: number | null;
}

/**
 * A key works as long as its creator belongs to the organization it was created in. Changes to this answer call
 * `recordCallerChange`.
 */
export const findKeyOwner = preparedRow<[hash: string], KeyOwner>((queries, hash) =>
  queries
    .selectFrom('api_keys')
    .innerJoin('users', (join) =>
      join
        .onRef('users.id', '=', 'api_keys.user_id')
        .onRef('users.organization_id', '=', 'api_keys.organization_id'),
    )
    .select([
      'api_keys.id as keyId',
      'api_keys.last_used_at as lastUsedAt',
      'users.id as userId',
      'users.organization_id as organizationId',
      'users.role as role',
    ])
    .where('api_keys.hash', '=', hash)
    .compile(),
);

export async function touchApiKey(queries: Queries, id: number, now: number): Promise<void> {
  await queries.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', id).execute();
}
