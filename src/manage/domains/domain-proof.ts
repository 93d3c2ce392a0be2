import type { DomainRow } from '../../storage/domains.ts';
import type { Context } from '../context.ts';

/**
 * The required value of a domain's TXT record: a different text for each organization, so that no other can use the proof. It is
 * stored with the domain, so that a new master key needs no new records.
 */
export const proofFor = (
  { secrets }: Pick<Context, 'secrets'>,
  organizationId: number,
  host: string,
): string => `linnet-proof=${secrets.sign('domain-proof', `${organizationId}\n${host}`, 32)}`;

export const proofOf = (
  context: Pick<Context, 'secrets'>,
  domain: Pick<DomainRow, 'proof' | 'organization_id' | 'host'>,
): string => domain.proof || proofFor(context, domain.organization_id, domain.host);
