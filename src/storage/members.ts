import { sql } from 'kysely';
import type { Role } from '../rules/access.ts';
import type { Queries } from './schema.ts';

export interface StoredMember {
  readonly id: number;
  readonly created_at: number;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
}

const shown = ['id', 'created_at', 'email', 'name', 'role'] as const;

export const listMembers = (queries: Queries, organizationId: number): Promise<StoredMember[]> =>
  queries
    .selectFrom('users')
    .select(shown)
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute();

export const findMember = (
  queries: Queries,
  organizationId: number,
  id: number,
): Promise<StoredMember | undefined> =>
  queries
    .selectFrom('users')
    .select(shown)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();

export const isMember = async (queries: Queries, organizationId: number, email: string): Promise<boolean> =>
  (await queries
    .selectFrom('users')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('email', '=', email)
    .executeTakeFirst()) !== undefined;

export async function countMembers(
  queries: Queries,
  organizationId: number,
): Promise<{ readonly members: number; readonly administrators: number }> {
  const rows = await queries
    .selectFrom('users')
    .select((counted) => ['role', counted.fn.countAll<number>().as('count')])
    .where('organization_id', '=', organizationId)
    .groupBy('role')
    .execute();
  const count = (role: Role) => rows.find((row) => row.role === role)?.count ?? 0;
  return { members: count('administrator') + count('editor'), administrators: count('administrator') };
}

export interface Membership {
  readonly id: number;
  readonly email: string;
  readonly email_proven: number;
  readonly name: string | null;
  readonly organization_id: number;
  readonly role: Role;
}

/** Reads a user's organization and role, and locks them until this transaction ends. */
export const lockMembership = (queries: Queries, userId: number): Promise<Membership | undefined> =>
  queries
    .updateTable('users')
    .set({ role: sql<Role>`role` })
    .where('id', '=', userId)
    .returning(['id', 'email', 'email_proven', 'name', 'organization_id', 'role'])
    .executeTakeFirst();

export async function setMembership(
  queries: Queries,
  userId: number,
  membership: { readonly organization_id: number; readonly role: Role },
): Promise<void> {
  await queries.updateTable('users').set(membership).where('id', '=', userId).execute();
}

/** Whether that was news. */
export async function proveEmail(queries: Queries, userId: number): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable('users')
    .set({ email_proven: 1 })
    .where('id', '=', userId)
    .where('email_proven', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
