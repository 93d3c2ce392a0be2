import type { DomainRow } from '../storage/domains.ts';
import type { Context } from './context.ts';

/**
 * What the TXT record of a domain must say: another text for each organization, so that nobody's proof is of use to
 * anybody else. It is kept with the domain, so that a new master key asks nobody for a new record.
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
