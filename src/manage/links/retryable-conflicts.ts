import { Refusal } from '../../rules/errors.ts';
import { addressKey, readAliases } from '../../storage/links/link-addresses.ts';
import type { Outcome, PreparedLink } from './prepared-link.ts';

/**
 * Of the links of a batch that were refused because something is taken: those that named an address or an external id after
 * another of them, which was refused itself. Suffixes and external ids come before aliases, because they are stored first.
 */
export function retryableConflicts(
  wanted: readonly PreparedLink[],
  outcomes: ReadonlyMap<PreparedLink, Outcome>,
): PreparedLink[] {
  const refused = wanted.filter((link) => isTaken(outcomes.get(link)));
  const first = new Map<string, PreparedLink>();
  for (const keysOf of [ownKeys, aliasKeys])
    for (const link of refused) for (const key of keysOf(link)) if (!first.has(key)) first.set(key, link);
  return refused.filter((link) =>
    [...ownKeys(link), ...aliasKeys(link)].some((key) => first.get(key) !== link),
  );
}

const isTaken = (outcome: Outcome | undefined): boolean =>
  outcome instanceof Refusal && (outcome.code === 'SUFFIX_TAKEN' || outcome.code === 'EXTERNAL_ID_TAKEN');

function ownKeys({ isChosen, suffix, row }: PreparedLink): string[] {
  const { domain_id, organization_id, external_id } = row;
  return [
    ...(isChosen ? [addressKey({ domain_id, suffix })] : []),
    ...(external_id === null ? [] : [`external id of ${organization_id}: ${external_id}`]),
  ];
}

const aliasKeys = ({ row }: PreparedLink): string[] => readAliases(row.aliases).map(addressKey);
