import type { Caller } from '../../rules/access.ts';
import { invalidField, Refusal } from '../../rules/errors.ts';
import { normaliseHostname } from '../../rules/host.ts';
import type { Site } from '../../rules/site.ts';
import { checkSuffix, enteredSuffix } from '../../rules/suffix.ts';
import { percentDecoded } from '../../rules/text.ts';
import { findVerifiedDomain } from '../../storage/domains.ts';
import { type Alias, addressKey, type LinkAddress, readAliases } from '../../storage/links/link-addresses.ts';
import { defaultDomainId } from '../../storage/schema.ts';
import type { Context } from '../context.ts';
import type { FieldRefusals } from '../field-refusals.ts';

export interface LinkDomain {
  readonly domainId: number;
  /** Null is the default domain. */
  readonly host: string | null;
}

/** The host that a call names as a domain: null for the default domain, and empty for an invalid one. */
export function hostOf(site: Site, domain: string): string | null {
  if (domain === '') return null;
  // Answers include a scheme, and what was read may be sent back.
  const url = URL.parse(/^https?:\/\//i.test(domain) ? domain : `https://${domain}`);
  const host = url && url.pathname === '/' ? normaliseHostname(url.hostname) : '';
  return host !== '' && site.isDefaultHost(host) ? null : host;
}

/** In place of a domain that was refused, so that the other fields can be checked. No suffix is reserved on it. */
export const refusedDomain: LinkDomain = { domainId: -1, host: null };

export async function findLinkDomain(context: Context, caller: Caller, domain: string): Promise<LinkDomain> {
  const host = hostOf(context.site, domain);
  if (host === null) return { domainId: defaultDomainId, host };
  const verified = host === '' ? undefined : await findVerifiedDomain(context.database.lookup, host);
  if (verified?.organization_id !== caller.organizationId) {
    throw new Refusal(
      'DOMAIN_UNVERIFIED',
      `"${domain}" is not a verified domain of your organization. Verify it first, or leave the field out for ${context.site.defaultHost}.`,
      { field: 'domain' },
    );
  }
  return { domainId: verified.id, host: verified.host };
}

export function chosenSuffix(suffix: string | null | undefined, linkDomain: LinkDomain): string | null {
  return suffix ? requireSuffix(enteredSuffix(suffix), linkDomain.domainId, 'suffix') : null;
}

export function requireSuffix(suffix: string, domainId: number, field: 'suffix' | AliasField): string {
  const problem = checkSuffix(suffix, domainId === defaultDomainId);
  if (problem) throw new Refusal(problem.code, problem.sentence, { field });
  return suffix;
}

export type AliasField = 'aliases' | 'add_aliases' | 'remove_aliases';

export interface RequestedAlias {
  /** Null: the link's own. */
  readonly domain: LinkDomain | null;
  readonly suffix: string;
}

type DomainOf = (domain: string) => LinkDomain | Promise<LinkDomain>;

/** Each is a web address, or the suffix alone on the link's own domain. */
export async function requestedAliases(
  texts: readonly string[] | null | undefined,
  domainOf: DomainOf,
  field: AliasField,
  refusals: FieldRefusals,
): Promise<RequestedAlias[]> {
  const requested: RequestedAlias[] = [];
  for (const text of texts ?? []) {
    const [, named, path = text] = /^(https?:\/\/[^/]*)\/(.*)$/is.exec(text) ?? [];
    const domain =
      named === undefined ? null : await refusals.checkLater(() => domainOfAlias(domainOf, named, field));
    if (domain === undefined) continue;
    // Web addresses have non-ASCII text percent-encoded; an undecodable one is refused as a suffix.
    const entered = named === undefined ? text : (percentDecoded(path) ?? path);
    requested.push({ domain, suffix: enteredSuffix(entered) });
  }
  return requested;
}

async function domainOfAlias(domainOf: DomainOf, domain: string, field: AliasField): Promise<LinkDomain> {
  try {
    return await domainOf(domain);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    throw new Refusal(cause.code, cause.sentence, { field });
  }
}

export const addressOn = (own: LinkDomain, { domain, suffix }: RequestedAlias): Alias => {
  const { domainId, host } = domain ?? own;
  return { domain_id: domainId, host, suffix };
};

const maxAliases = 20;

/** Without duplicates and the link's own address. */
export function distinctAliases(aliases: readonly Alias[], own: LinkAddress): Alias[] {
  const byKey = new Map(aliases.map((alias) => [addressKey(alias), alias]));
  byKey.delete(addressKey(own));
  if (byKey.size <= maxAliases) return [...byKey.values()];
  throw invalidField('aliases', `A link has at most ${maxAliases} aliases. Remove one of them first.`);
}

/** As the API shows them. */
export const aliasUrls = (site: Site, { aliases }: { readonly aliases: string | null }): string[] =>
  readAliases(aliases).map(({ host, suffix }) => site.linkUrl(host, suffix));
