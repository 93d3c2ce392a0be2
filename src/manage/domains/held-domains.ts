import { Refusal } from '../../rules/errors.ts';
import { lockDomains } from '../../storage/domains.ts';
import { readAliases } from '../../storage/links/link-addresses.ts';
import { defaultDomainId, type Queries } from '../../storage/schema.ts';

interface OnDomain {
  readonly host: string | null;
  readonly row: { readonly domain_id: number; readonly aliases: string | null };
}

/**
 * Links whose domain was verified when they were prepared and isn't any more, with their refusals. The other domains are locked
 * until the transaction ends: none is deleted while a link is being made on it.
 */
export async function refusalsOfLostDomains<Link extends OnDomain>(
  queries: Queries,
  links: readonly Link[],
): Promise<ReadonlyMap<Link, Refusal>> {
  const held = await lockDomains(
    queries,
    ownDomains(links.flatMap(({ row }) => [row, ...readAliases(row.aliases)])),
  );
  const usable = new Set(held.filter((domain) => domain.verified_at !== null).map((domain) => domain.id));
  usable.add(defaultDomainId);
  return new Map(
    links.flatMap((link): [Link, Refusal][] => {
      if (!usable.has(link.row.domain_id)) return [[link, lostDomain(link.host, 'domain')]];
      const lost = readAliases(link.row.aliases).find((alias) => !usable.has(alias.domain_id));
      return lost ? [[link, lostDomain(lost.host, 'aliases')]] : [];
    }),
  );
}

/** Those of these links whose domain exists, verified or not. It is locked until the transaction ends. */
export async function onHeldDomains<Link extends { readonly domain_id: number }>(
  queries: Queries,
  links: readonly Link[],
): Promise<readonly Link[]> {
  const held = await lockDomains(queries, ownDomains(links));
  const existingIds = new Set(held.map((domain) => domain.id)).add(defaultDomainId);
  return links.filter((link) => existingIds.has(link.domain_id));
}

const ownDomains = (links: readonly { readonly domain_id: number }[]): number[] =>
  [...new Set(links.map((link) => link.domain_id))].filter((id) => id !== defaultDomainId);

const lostDomain = (host: string | null, field: string): Refusal =>
  new Refusal('DOMAIN_UNVERIFIED', `${host} is no longer a verified domain of your organization.`, {
    field,
  });
