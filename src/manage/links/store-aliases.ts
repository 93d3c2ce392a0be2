import { dropLinks } from '../../storage/links/insert-links.ts';
import { addressKey, type LinkAddress, readAliases } from '../../storage/links/link-addresses.ts';
import { type HeldAddress, insertAliases, type RequestedAddress } from '../../storage/links/link-aliases.ts';
import type { Queries } from '../../storage/schema.ts';
import { release, reserveAddresses } from './held-addresses.ts';
import type { Outcome, PreparedLink } from './prepared-link.ts';
import { takenAddresses } from './taken-suffixes.ts';

/**
 * Gives new links their aliases. A link that can't have one of them is deleted again and refused. `formerHolders`, those of the
 * links' suffixes, and those of the aliases are only deleted for links that are kept.
 */
export async function storeAliases(
  queries: Queries,
  outcomes: Map<PreparedLink, Outcome>,
  formerHolders: readonly HeldAddress[],
  now: number,
): Promise<void> {
  const newAliases: NewAddress[] = [];
  for (const [prepared, outcome] of outcomes) {
    if (!('link' in outcome)) continue;
    const { id, organization_id, forward_path } = outcome.link;
    for (const { domain_id, suffix } of readAliases(outcome.link.aliases))
      newAliases.push({ prepared, link_id: id, organization_id, forward_path, domain_id, suffix });
  }
  if (newAliases.length === 0) return release(queries, formerHolders, now);
  const { taken, formerHolders: ofAliases } = await reserveAddresses(queries, newAliases, now);
  const refused = new Map<number, NewAddress>();
  for (const address of newAliases) if (taken.has(address)) refused.set(address.link_id, address);
  for (const [prepared, refusal] of await takenAddresses(queries, [...refused.values()], 'aliases'))
    outcomes.set(prepared, refusal);
  if (refused.size > 0) await dropLinks(queries, [...refused.keys()]);
  const kept = newAliases.filter(({ link_id }) => !refused.has(link_id));
  const held = [...formerHolders, ...ofAliases];
  if (held.length > 0) {
    const assigned = new Set([...ownAddresses(outcomes), ...kept].map(addressKey));
    await release(
      queries,
      held.filter((one) => assigned.has(addressKey(one))),
      now,
    );
  }
  await insertAliases(queries, kept, now);
}

const ownAddresses = (outcomes: ReadonlyMap<PreparedLink, Outcome>): LinkAddress[] =>
  [...outcomes.values()].flatMap((outcome) => ('link' in outcome ? [outcome.link] : []));

interface NewAddress extends RequestedAddress {
  readonly prepared: PreparedLink;
  readonly link_id: number;
  readonly forward_path: number;
}
