import { dropLinks } from '../storage/insert-links.ts';
import { readAliases } from '../storage/link-addresses.ts';
import { insertAliases, type RequestedAddress } from '../storage/link-aliases.ts';
import type { Queries } from '../storage/schema.ts';
import { takenAmong } from './held-addresses.ts';
import type { Outcome, PreparedLink } from './prepared-link.ts';
import { suffixTaken } from './taken-suffixes.ts';

/** Gives new links their aliases. A link that can't have one of them is deleted again and refused. */
export async function storeAliases(
  queries: Queries,
  outcomes: Map<PreparedLink, Outcome>,
  now: number,
): Promise<void> {
  const newAliases: (NewAddress & RequestedAddress)[] = [];
  for (const [prepared, outcome] of outcomes) {
    if (!('link' in outcome)) continue;
    const { id, organization_id, forward_path } = outcome.link;
    for (const { domain_id, suffix } of readAliases(outcome.link.aliases))
      newAliases.push({ prepared, link_id: id, organization_id, forward_path, domain_id, suffix });
  }
  if (newAliases.length === 0) return;
  const taken = await takenAmong(queries, newAliases, now);
  const refused = new Map<number, NewAddress>();
  for (const address of newAliases) if (taken.has(address)) refused.set(address.link_id, address);
  await insertAliases(
    queries,
    newAliases.filter(({ link_id }) => !refused.has(link_id)),
    now,
  );
  if (refused.size > 0) await dropLinks(queries, [...refused.keys()]);
  for (const { prepared, suffix } of refused.values()) outcomes.set(prepared, suffixTaken(suffix, 'aliases'));
}

interface NewAddress {
  readonly prepared: PreparedLink;
  readonly link_id: number;
  readonly forward_path: number;
  readonly suffix: string;
}
