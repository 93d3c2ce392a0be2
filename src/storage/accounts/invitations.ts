import type { Insertable, Selectable } from 'kysely';
import { deletionFrom, hasMoreThan, hasRow } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';

export type StoredInvitation = Selectable<Schema['invitations']>;

/** A new invitation for the same address replaces the old one, whose link becomes invalid. */
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

const outstanding = (queries: Queries, organizationId: number, now: number) =>
  queries
    .selectFrom('invitations')
    .where('organization_id', '=', organizationId)
    .where('expires_at', '>', now);

export const hasMoreInvitations = (
  queries: Queries,
  organizationId: number,
  now: number,
  max: number,
): Promise<boolean> => hasMoreThan(outstanding(queries, organizationId, now), max);

export const listInvitations = (
  queries: Queries,
  organizationId: number,
  now: number,
): Promise<StoredInvitation[]> =>
  outstanding(queries, organizationId, now).selectAll().orderBy('id', 'desc').execute();

export const findInvitation = (queries: Queries, tokenHash: string): Promise<StoredInvitation | undefined> =>
  queries.selectFrom('invitations').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();

export interface ReceivedInvitation extends StoredInvitation {
  readonly organization_name: string;
  /** Name or address of the inviting user. */
  readonly inviter: string;
}

const withOrganization = (queries: Queries) =>
  queries
    .selectFrom('invitations')
    .innerJoin('organizations', 'organizations.id', 'invitations.organization_id')
    .innerJoin('users', 'users.id', 'invitations.invited_by')
    .selectAll('invitations')
    .select((of) => [
      'organizations.name as organization_name',
      of.fn.coalesce('users.name', 'users.email').as('inviter'),
    ]);

export const listReceivedInvitations = (queries: Queries, email: string, now: number) =>
  withOrganization(queries)
    .where('invitations.email', '=', email)
    .where('invitations.expires_at', '>', now)
    .orderBy('invitations.id', 'desc')
    .execute();

export const findReceivedInvitation = (queries: Queries, tokenHash: string) =>
  withOrganization(queries).where('invitations.token_hash', '=', tokenHash).executeTakeFirst();

export const findInvitationById = (queries: Queries, id: number): Promise<StoredInvitation | undefined> =>
  queries.selectFrom('invitations').selectAll().where('id', '=', id).executeTakeFirst();

export const deleteReceivedInvitation = (queries: Queries, email: string, id: number): Promise<boolean> =>
  hasRow(queries.deleteFrom('invitations').where('email', '=', email).where('id', '=', id).returning('id'));

/** Deletes all invitations that a user created, in any organization or in one, or all for an address. */
export async function withdrawInvitations(
  queries: Queries,
  which: { readonly invited_by: number; readonly organization_id?: number } | { readonly email: string },
): Promise<void> {
  await queries
    .deleteFrom('invitations')
    .where((row) => row.and(which))
    .execute();
}

/** Deletes the invitation as it reads it, so that it can be used once. */
export const takeInvitation = (queries: Queries, tokenHash: string): Promise<StoredInvitation | undefined> =>
  queries.deleteFrom('invitations').where('token_hash', '=', tokenHash).returningAll().executeTakeFirst();

export const deleteInvitation = deletionFrom('invitations');
