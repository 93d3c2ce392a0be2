import type { Caller } from '../../rules/access.ts';
import { forAdministrators, notFound } from '../../rules/errors.ts';
import { findMember, lockMembership } from '../../storage/accounts/members.ts';
import type { Queries } from '../../storage/schema.ts';

/** Keeps the caller in the organization until this transaction ends: nothing is created for one that was left or deleted meanwhile. */
export async function requireMembership(
  queries: Queries,
  { userId, organizationId }: Pick<Caller, 'userId' | 'organizationId'>,
): Promise<void> {
  const member = await lockMembership(queries, userId);
  if (member?.organization_id !== organizationId) throw notFound('organization');
}

/** Checked in the transaction that locks the organization: the caller may have been demoted or removed meanwhile. */
export async function requireAdministrator(queries: Queries, caller: Caller): Promise<void> {
  const acting = await findMember(queries, caller.organizationId, caller.userId);
  if (acting?.role !== 'administrator') throw forAdministrators();
}
