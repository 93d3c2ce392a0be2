import type { StoredOrganization } from '../../storage/accounts/organizations.ts';
import type { DomainRow } from '../../storage/domains.ts';
import type { Context } from '../context.ts';

/**
 * The required value of a domain's TXT record: a different text for each organization, so that no other can use the proof. After a
 * restore, another organization may get the id of one that signed up since the backup: the instant of the sign-up tells the two
 * apart. The proof is stored with the domain, so that a new master key needs no new records.
 */
export const proofFor = (
  { secrets }: Pick<Context, 'secrets'>,
  { id, created_at }: Pick<StoredOrganization, 'id' | 'created_at'>,
  host: string,
): string => proofOfText(secrets, `${id}|${created_at}\n${host}`);

/** Domains that were added before proofs were stored have none. */
export const proofOf = (
  { secrets }: Pick<Context, 'secrets'>,
  { proof, organization_id, host }: Pick<DomainRow, 'proof' | 'organization_id' | 'host'>,
): string => proof || proofOfText(secrets, `${organization_id}\n${host}`);

const proofOfText = (secrets: Context['secrets'], text: string): string =>
  `linnet-proof=${secrets.sign('domain-proof', text, 32)}`;
