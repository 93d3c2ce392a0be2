import { Refusal } from '../../rules/errors.ts';
import { linksUnder } from '../../storage/links/links.ts';
import type { Queries } from '../../storage/schema.ts';
import type { AliasField } from './link-address.ts';
import type { PreparedLink } from './prepared-link.ts';

export const suffixTaken = (suffix: string, field: 'suffix' | AliasField = 'suffix'): Refusal =>
  new Refusal('SUFFIX_TAKEN', `"${suffix}" is taken on this domain. Choose another suffix.`, { field });

/** Of the caller's own organization. */
export const addressOfLink = (suffix: string, id: number, field: 'suffix' | AliasField): Refusal =>
  new Refusal(
    'SUFFIX_TAKEN',
    `"${suffix}" leads to link ${id} of your own organization. Choose another suffix, or take it from that link first.`,
    { field },
  );

interface TakenAddress {
  readonly prepared: PreparedLink;
  readonly domain_id: number;
  readonly suffix: string;
}

/**
 * Refuses new links whose suffix or alias is taken, and names the caller's own link that has it: a repeated creation finds its link.
 * Links of the same call are not named, because they may be rolled back with it.
 */
export async function takenAddresses(
  queries: Queries,
  taken: readonly TakenAddress[],
  field: 'suffix' | 'aliases',
): Promise<Map<PreparedLink, Refusal>> {
  const refusals = new Map<PreparedLink, Refusal>();
  for (const [domainId, addresses] of Map.groupBy(taken, ({ domain_id }) => domain_id)) {
    const suffixes = addresses.map(({ suffix }) => suffix);
    const found = new Map((await linksUnder(queries, domainId, suffixes)).map((link) => [link.suffix, link]));
    for (const { prepared, suffix } of addresses) {
      const existing = found.get(suffix);
      const { organization_id, created_at } = prepared.row;
      const isOwn = existing?.organization_id === organization_id && existing.created_at < created_at;
      if (!isOwn) refusals.set(prepared, suffixTaken(suffix, field));
      else if (field === 'suffix' && existing.is_alias === 0)
        refusals.set(prepared, ownSuffix(suffix, existing.id));
      else refusals.set(prepared, addressOfLink(suffix, existing.id, field));
    }
  }
  return refusals;
}

const ownSuffix = (suffix: string, id: number): Refusal =>
  new Refusal(
    'SUFFIX_TAKEN',
    `"${suffix}" is the suffix of link ${id} of your own organization, perhaps made by this call when it was sent before: GET /api/v1/link/${id} answers it. Or choose another suffix.`,
    { field: 'suffix' },
  );
