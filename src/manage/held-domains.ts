import { Refusal } from '../rules/errors.ts';
import { lockDomains } from '../storage/domains.ts';
import { defaultDomainId, type Queries } from '../storage/schema.ts';

interface OnDomain {
  readonly host: string | null;
  readonly row: { readonly domain_id: number };
}

/**
 * Links whose domain was verified when they were prepared, and isn't any more, with the refusal of each. The other
 * domains are locked until the transaction ends: none is deleted while a link is being made on it.
 */
export async function onLostDomains<Link extends OnDomain>(
  queries: Queries,
  links: readonly Link[],
): Promise<ReadonlyMap<Link, Refusal>> {
  const held = await lockDomains(queries, ownDomains(links.map(({ row }) => row)));
  const usable = new Set(held.filter((domain) => domain.verified_at !== null).map((domain) => domain.id));
  const lost = links.filter(({ row }) => row.domain_id !== defaultDomainId && !usable.has(row.domain_id));
  return new Map(lost.map((link) => [link, lostDomain(link.host)]));
}

/** Those of these links whose domain exists, verified or not. It is locked until the transaction ends. */
export async function onHeldDomains<Link extends { readonly domain_id: number }>(
  queries: Queries,
  links: readonly Link[],
): Promise<readonly Link[]> {
  const held = await lockDomains(queries, ownDomains(links));
  const there = new Set(held.map((domain) => domain.id)).add(defaultDomainId);
  return links.filter((link) => there.has(link.domain_id));
}

const ownDomains = (links: readonly { readonly domain_id: number }[]): number[] =>
  [...new Set(links.map((link) => link.domain_id))].filter((id) => id !== defaultDomainId);

const lostDomain = (host: string | null): Refusal =>
  new Refusal('DOMAIN_UNVERIFIED', `${host} is no longer a verified domain of your organization.`, {
    field: 'domain',
  });
