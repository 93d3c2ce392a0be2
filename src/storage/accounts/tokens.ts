import type { Caller } from '../../rules/access.ts';
import { preparedRow } from '../prepared.ts';
import { insertRow } from '../rows.ts';
import type { Queries } from '../schema.ts';

export interface TokenHashes {
  readonly access: string;
  readonly refresh: string;
}

export const insertFamily = (queries: Queries, userId: number, now: number): Promise<number> =>
  insertRow(queries, 'token_families', { user_id: userId, created_at: now, ended_at: null });

export async function insertTokens(
  queries: Queries,
  familyId: number,
  hashes: TokenHashes,
  expiry: { readonly access: number; readonly refresh: number },
): Promise<void> {
  await queries
    .insertInto('access_tokens')
    .values({ hash: hashes.access, family_id: familyId, expires_at: expiry.access })
    .execute();
  await queries
    .insertInto('refresh_tokens')
    .values({ hash: hashes.refresh, family_id: familyId, expires_at: expiry.refresh, replaced_at: null })
    .execute();
}

/** Marks a refresh token as replaced. Only the first caller gets its family. */
export async function replaceRefreshToken(
  queries: Queries,
  hash: string,
  now: number,
): Promise<number | null> {
  const row = await queries
    .updateTable('refresh_tokens')
    .set({ replaced_at: now })
    .where('hash', '=', hash)
    .where('replaced_at', 'is', null)
    .where('expires_at', '>', now)
    .where('family_id', 'in', (families) =>
      families.selectFrom('token_families').select('id').where('ended_at', 'is', null),
    )
    .returning('family_id')
    .executeTakeFirst();
  return row?.family_id ?? null;
}

export const findRefreshToken = (queries: Queries, hash: string) =>
  queries
    .selectFrom('refresh_tokens')
    .innerJoin('token_families', 'token_families.id', 'refresh_tokens.family_id')
    .select([
      'refresh_tokens.family_id as familyId',
      'refresh_tokens.expires_at as expiresAt',
      'refresh_tokens.replaced_at as replacedAt',
      'token_families.ended_at as endedAt',
    ])
    .where('hash', '=', hash)
    .executeTakeFirst();

/** One family, by its id, or all families of a user. */
export async function endFamilies(
  queries: Queries,
  by: 'id' | 'user_id',
  id: number,
  now: number,
): Promise<void> {
  await queries
    .updateTable('token_families')
    .set({ ended_at: now })
    .where(by, '=', id)
    .where('ended_at', 'is', null)
    .execute();
}

export const findTokenOwner = preparedRow<[hash: string, now: number], Omit<Caller, 'via'>>(
  (queries, hash, now) =>
    queries
      .selectFrom('access_tokens')
      .innerJoin('token_families', 'token_families.id', 'access_tokens.family_id')
      .innerJoin('users', 'users.id', 'token_families.user_id')
      .select(['users.id as userId', 'users.organization_id as organizationId', 'users.role as role'])
      .where('access_tokens.hash', '=', hash)
      .where('access_tokens.expires_at', '>', now)
      .where('token_families.ended_at', 'is', null)
      .compile(),
);

/** Families are deleted with their last refresh token: until then they distinguish a stolen token from a made-up one. */
export async function deleteEmptyFamilies(queries: Queries): Promise<void> {
  await queries
    .deleteFrom('token_families')
    .where('id', 'not in', (tokens) => tokens.selectFrom('refresh_tokens').select('family_id'))
    .execute();
}
