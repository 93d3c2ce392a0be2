import type { Insertable, Selectable } from 'kysely';
import type { Queries, Schema } from './schema.ts';

export type StoredInvitation = Selectable<Schema['invitations']>;

/** A new invitation for the same address takes the place of the old one, whose link is dead from then on. */
export async function replaceInvitation(
  queries: Queries,
  invitation: Insertable<Schema['invitations']>,
): Promise<StoredInvitation> {
  return queries
    .insertInto('invitations')
    .values(invitation)
    .onConflict((conflict) => conflict.columns(['organization_id', 'email']).doUpdateSet(invitation))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export const listInvitations = (queries: Queries, organizationId: number): Promise<StoredInvitation[]> =>
  queries
    .selectFrom('invitations')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id', 'desc')
    .execute();

export const findInvitation = (queries: Queries, tokenHash: string): Promise<StoredInvitation | undefined> =>
  queries.selectFrom('invitations').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();

/** Takes the invitation away as it is read, so that it counts once. */
export const takeInvitation = (queries: Queries, tokenHash: string): Promise<StoredInvitation | undefined> =>
  queries.deleteFrom('invitations').where('token_hash', '=', tokenHash).returningAll().executeTakeFirst();

export async function deleteInvitation(
  queries: Queries,
  organizationId: number,
  id: number,
): Promise<boolean> {
  const row = await queries
    .deleteFrom('invitations')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
