import type { Selectable } from 'kysely';
import type { Role } from '../../rules/access.ts';
import { recordCallerChange } from '../marked-changes.ts';
import { hasRow } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';

const shown = ['id', 'created_at', 'joined_at', 'email', 'name', 'role'] as const;

export type StoredMember = Pick<Selectable<Schema['users']>, (typeof shown)[number]>;

const ofOrganization = (queries: Queries, organizationId: number) =>
  queries.selectFrom('users').select(shown).where('organization_id', '=', organizationId).orderBy('id');

export const listMembers = (queries: Queries, organizationId: number): Promise<StoredMember[]> =>
  ofOrganization(queries, organizationId).execute();

/** Their addresses, and whether these are verified. */
const addressesIn = (queries: Queries, organizationId: number) =>
  queries.selectFrom('users').select(['email', 'email_proven']).where('organization_id', '=', organizationId);

export const administratorsOf = (queries: Queries, organizationId: number) =>
  addressesIn(queries, organizationId).where('role', '=', 'administrator').orderBy('id').execute();

/** Undefined if they are no longer a member. */
export const mailableMember = (queries: Queries, organizationId: number, id: number) =>
  addressesIn(queries, organizationId).where('id', '=', id).executeTakeFirst();

export const findMember = (queries: Queries, organizationId: number, id: number) =>
  ofOrganization(queries, organizationId).where('id', '=', id).executeTakeFirst();

export const isMember = (queries: Queries, organizationId: number, email: string): Promise<boolean> =>
  hasRow(ofOrganization(queries, organizationId).where('email', '=', email));

export async function countMembers(queries: Queries, organizationId: number) {
  const rows = await queries
    .selectFrom('users')
    .select((counted) => ['role', counted.fn.countAll<number>().as('count')])
    .where('organization_id', '=', organizationId)
    .groupBy('role')
    .execute();
  const count = (role: Role) => rows.find((row) => row.role === role)?.count ?? 0;
  return { members: count('administrator') + count('editor'), administrators: count('administrator') };
}

const membership = ['id', 'email', 'email_proven', 'name', 'organization_id', 'role'] as const;

export type Membership = Pick<Selectable<Schema['users']>, (typeof membership)[number]>;

const membershipOf = (queries: Queries, userId: number) =>
  queries.selectFrom('users').select(membership).where('id', '=', userId);

export const findMembership = (queries: Queries, userId: number): Promise<Membership | undefined> =>
  membershipOf(queries, userId).executeTakeFirst();

/** Reads a user's organization and role, and locks them until this transaction ends. */
export const lockMembership = (queries: Queries, userId: number): Promise<Membership | undefined> =>
  membershipOf(queries, userId).forNoKeyUpdate().executeTakeFirst();

export async function setRole(queries: Queries, userId: number, role: Role, now: number): Promise<void> {
  await queries.updateTable('users').set({ role }).where('id', '=', userId).execute();
  await recordCallerChange(queries, userId, now);
}

/** Makes a user a member of another organization. */
export async function setMembership(
  queries: Queries,
  userId: number,
  membership: Pick<Membership, 'organization_id' | 'role'>,
  now: number,
): Promise<void> {
  const changes = { ...membership, joined_at: now };
  await queries.updateTable('users').set(changes).where('id', '=', userId).execute();
  await recordCallerChange(queries, userId, now);
}

/** True if the address was not verified before. */
export const proveEmail = (queries: Queries, userId: number): Promise<boolean> =>
  hasRow(
    queries
      .updateTable('users')
      .set({ email_proven: 1 })
      .where('id', '=', userId)
      .where('email_proven', '=', 0)
      .returning('id'),
  );
