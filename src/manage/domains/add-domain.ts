import type { Caller } from '../../rules/access.ts';
import { readDomainName } from '../../rules/domains/domain-name.ts';
import { existing, Refusal } from '../../rules/errors.ts';
import { findOrganization } from '../../storage/accounts/organizations.ts';
import { countDomains, findVerifiedDomain, insertDomain } from '../../storage/domains.ts';
import { requireMembership } from '../accounts/require-member.ts';
import type { Context } from '../context.ts';
import { proofFor } from './domain-proof.ts';
import { type DomainWithRecords, readDomain } from './read-domains.ts';

/** Each is looked up repeatedly: a domain without its proof costs us and the name servers, and is of no use yet. */
const maxPending = 100;
const maxDomains = 2_000;

const field = 'domain';

/** Claims a domain. It is looked up at once in the background, and then repeatedly until its proof is found. */
export async function addDomain(context: Context, caller: Caller, name: string): Promise<DomainWithRecords> {
  const host = readDomainName(name, context.domains.ownHosts);
  const { organizationId } = caller;
  const now = context.now();
  const id = await context.database.write(async (queries) => {
    await requireMembership(queries, caller);
    const organization = await existing(findOrganization(queries, organizationId), 'organization');
    const verified = await findVerifiedDomain(queries, host);
    if (verified && verified.organization_id !== organizationId) throw takenDomain(host);
    refuseTooMany(await countDomains(queries, organizationId));
    const proof = proofFor(context, organization, host);
    return insertDomain(queries, {
      organization_id: organizationId,
      host,
      proof,
      created_at: now,
      next_check_at: now,
    });
  });
  if (id === null) {
    throw new Refusal('DOMAIN_EXISTS', `${host} is in your list already.`, { field });
  }
  return readDomain(context, caller, id);
}

export const takenDomain = (host: string): Refusal =>
  new Refusal(
    'DOMAIN_TAKEN',
    `Another organization has ${host} verified. If it is yours, take their TXT record out of its DNS: 72 hours later the name is free.`,
    { field },
  );

function refuseTooMany({ all, pending }: { readonly all: number; readonly pending: number }): void {
  if (pending >= maxPending) {
    throw new Refusal(
      'TOO_MANY_DOMAINS',
      `${maxPending} domains wait for their TXT records already. Verify or delete some of them first.`,
      { field },
    );
  }
  if (all >= maxDomains) {
    throw new Refusal(
      'TOO_MANY_DOMAINS',
      `An organization has at most ${maxDomains} domains. Delete one first.`,
      { field },
    );
  }
}
