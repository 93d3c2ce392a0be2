import type { Caller } from '../../rules/access.ts';
import { forAdministrators } from '../../rules/errors.ts';
import { findMember } from '../../storage/accounts/members.ts';
import type { Queries } from '../../storage/schema.ts';

/** Checked in the transaction that locks the organization: the caller may have been demoted or removed meanwhile. */
export async function requireAdministrator(queries: Queries, caller: Caller): Promise<void> {
  const acting = await findMember(queries, caller.organizationId, caller.userId);
  if (acting?.role !== 'administrator') throw forAdministrators();
}
