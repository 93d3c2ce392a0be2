import { Refusal } from '../rules/errors.ts';
import { linksUnder } from '../storage/links.ts';
import type { Queries } from '../storage/schema.ts';
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

/**
 * Refuses taken suffixes, and names the caller's own link that has one: a repeated creation finds its link. Links of the same
 * call are not named, because they may be rolled back with it.
 */
export async function takenSuffixes(
  queries: Queries,
  taken: readonly PreparedLink[],
): Promise<Map<PreparedLink, Refusal>> {
  const refusals = new Map<PreparedLink, Refusal>();
  for (const [domainId, links] of Map.groupBy(taken, ({ row }) => row.domain_id)) {
    const suffixes = links.map(({ suffix }) => suffix);
    const found = new Map((await linksUnder(queries, domainId, suffixes)).map((link) => [link.suffix, link]));
    for (const link of links) {
      const existing = found.get(link.suffix);
      const isOwn =
        existing?.organization_id === link.row.organization_id && existing.created_at < link.row.created_at;
      if (!isOwn) refusals.set(link, suffixTaken(link.suffix));
      else if (existing.is_alias === 1) refusals.set(link, addressOfLink(link.suffix, existing.id, 'suffix'));
      else refusals.set(link, ownSuffix(link.suffix, existing.id));
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
