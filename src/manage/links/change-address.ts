import type { Caller } from '../../rules/access.ts';
import { enteredSuffix } from '../../rules/suffix.ts';
import {
  type Alias,
  addressKey,
  type LinkAddress,
  readAliases,
  writeAliases,
} from '../../storage/links/link-addresses.ts';
import { deleteAliases, insertAliases, setAliasForwarding } from '../../storage/links/link-aliases.ts';
import { countLinksIn } from '../../storage/links/link-counts.ts';
import { linksUnder, type StoredLink } from '../../storage/links/links.ts';
import { defaultDomainId, type Queries } from '../../storage/schema.ts';
import type { Context } from '../context.ts';
import { refusalsOfLostDomains } from '../domains/held-domains.ts';
import { FieldRefusals } from '../field-refusals.ts';
import { release, reserveAddresses } from './held-addresses.ts';
import {
  type AliasField,
  addressOn,
  distinctAliases,
  findLinkDomain,
  hostOf,
  type LinkDomain,
  type RequestedAlias,
  refusedDomain,
  requestedAliases,
  requireSuffix,
} from './link-address.ts';
import { addressOfLink, suffixTaken } from './taken-suffixes.ts';

/** A call's fields about a link's addresses. An alias is a web address, or a suffix on the link's own domain. */
export interface AddressFields {
  readonly domain?: string | undefined;
  readonly suffix?: string | undefined;
  /** They replace all aliases. Null: none. */
  readonly aliases?: readonly string[] | null | undefined;
  readonly add_aliases?: readonly string[] | undefined;
  readonly remove_aliases?: readonly string[] | undefined;
}

export interface RequestedAddresses {
  /** Null: unchanged. */
  readonly domain: LinkDomain | null;
  readonly suffix: string | null;
  readonly aliases: readonly RequestedAlias[] | null;
  readonly added: readonly RequestedAlias[];
  readonly removed: readonly RequestedAlias[];
}

/**
 * Null if a call has no such fields. Domains that the link is on already aren't looked up: a Link may be sent back as it was
 * read.
 */
export async function requestedAddresses(
  context: Context,
  caller: Caller,
  link: StoredLink,
  { domain, suffix, aliases, add_aliases, remove_aliases }: AddressFields,
  refusals: FieldRefusals,
): Promise<RequestedAddresses | null> {
  if ([domain, suffix, aliases, add_aliases, remove_aliases].every((field) => field === undefined))
    return null;
  const known: readonly Alias[] = [link, ...readAliases(link.aliases)];
  const domainOf = (text: string): LinkDomain | Promise<LinkDomain> => {
    const host = hostOf(context.site, text);
    const found = known.find((address) => address.host === host);
    return found ? { domainId: found.domain_id, host: found.host } : findLinkDomain(context, caller, text);
  };
  const among = (texts: readonly string[] | null | undefined, field: AliasField) =>
    requestedAliases(texts, domainOf, field, refusals);
  return {
    domain:
      domain === undefined
        ? null
        : ((await refusals.checkLater(async () => domainOf(domain))) ?? refusedDomain),
    suffix: suffix === undefined ? null : enteredSuffix(suffix),
    aliases: aliases === undefined ? null : await among(aliases, 'aliases'),
    added: await among(add_aliases, 'add_aliases'),
    removed: await among(remove_aliases, 'remove_aliases'),
  };
}

interface AddressChange {
  readonly own: Alias;
  readonly aliases: readonly Alias[];
  readonly isMoved: boolean;
  /** The addresses that the link gains, and those that it loses. */
  readonly gained: readonly Alias[];
  readonly lost: readonly Alias[];
  /** The field of the call that asks for an address. */
  readonly fieldOf: (address: LinkAddress) => 'suffix' | AliasField;
}

/** Null if nothing changes. The link's former address is kept as an alias. */
export function addressChange(
  before: StoredLink,
  requested: RequestedAddresses | null,
): AddressChange | null {
  if (requested === null) return null;
  const domain = requested.domain ?? { domainId: before.domain_id, host: before.host };
  const own = addressOn(domain, { domain: null, suffix: requested.suffix ?? before.suffix });
  const aliasesBefore = readAliases(before.aliases);
  const toAddress = (alias: RequestedAlias): Alias => addressOn(domain, alias);
  const removed = new Set(requested.removed.map((alias) => addressKey(toAddress(alias))));
  const isMoved = addressKey(own) !== addressKey(before);
  const { domain_id, host, suffix } = before;
  const aliases = distinctAliases(
    [
      ...[...(requested.aliases?.map(toAddress) ?? aliasesBefore), ...requested.added.map(toAddress)].filter(
        (alias) => !removed.has(addressKey(alias)),
      ),
      ...(isMoved ? [{ domain_id, host, suffix }] : []),
    ],
    own,
  );
  const keysBefore = new Set([before, ...aliasesBefore].map(addressKey));
  const keysAfter = new Set([own, ...aliases].map(addressKey));
  const gained = [own, ...aliases].filter((address) => !keysBefore.has(addressKey(address)));
  const lost = aliasesBefore.filter((alias) => !keysAfter.has(addressKey(alias)));
  if (!isMoved && gained.length === 0 && lost.length === 0) return null;
  const addedKeys = new Set(requested.added.map((alias) => addressKey(toAddress(alias))));
  const fieldOf = (address: LinkAddress) => {
    if (addressKey(address) === addressKey(own)) return 'suffix';
    return addedKeys.has(addressKey(address)) ? 'add_aliases' : 'aliases';
  };
  const refusals = new FieldRefusals();
  for (const address of gained)
    refusals.check(() => requireSuffix(address.suffix, address.domain_id, fieldOf(address)));
  refusals.throwIfAny();
  return { own, aliases, isMoved, gained, lost, fieldOf };
}

export const columnsAfter = (change: AddressChange | null) =>
  change && {
    domain_id: change.own.domain_id,
    suffix: change.own.suffix,
    aliases: writeAliases(change.aliases),
    ...(change.isMoved && { moved: 1 }),
  };

/** Stores a changed link's aliases (this transaction has locked it), and makes sure that it can have its addresses. */
export async function changeAliases(
  queries: Queries,
  before: StoredLink,
  after: StoredLink,
  change: AddressChange | null,
  now: number,
): Promise<void> {
  if (change !== null) await storeChange(queries, before, change, now);
  if (after.aliases !== null && after.forward_path !== before.forward_path)
    await setAliasForwarding(queries, before.id, after.forward_path);
}

async function storeChange(
  queries: Queries,
  before: StoredLink,
  { own, aliases, gained, lost, fieldOf }: AddressChange,
  now: number,
): Promise<void> {
  const { id, organization_id, forward_path } = before;
  const isNew = (address: Alias) => gained.includes(address);
  const row = { domain_id: isNew(own) ? own.domain_id : defaultDomainId, aliases: writeAliases(gained) };
  const [refusal] = (await refusalsOfLostDomains(queries, [{ host: own.host, row }])).values();
  if (refusal) throw refusal;
  const requested = gained.map((address) => ({ ...address, organization_id }));
  if (requested.length > 0) {
    const { taken, formerHolders } = await reserveAddresses(queries, requested, now);
    const [first] = taken;
    if (first) throw await takenRefusal(queries, first, fieldOf(first));
    await release(queries, formerHolders, now);
  }
  const aliasesBefore = readAliases(before.aliases);
  const isOwn = (address: Alias) => addressKey(address) === addressKey(own);
  await deleteAliases(queries, [...lost, ...aliasesBefore.filter(isOwn)]);
  const kept = new Set(aliasesBefore.map(addressKey));
  const added = aliases.filter((alias) => !kept.has(addressKey(alias)));
  await insertAliases(
    queries,
    added.map((alias) => ({ ...alias, link_id: id, organization_id, forward_path })),
    now,
  );
  if (own.domain_id === before.domain_id) return;
  await countLinksIn(queries, [before], -1);
  await countLinksIn(queries, [{ id, organization_id, domain_id: own.domain_id }], 1);
}

async function takenRefusal(
  queries: Queries,
  { domain_id, suffix, organization_id }: { domain_id: number; suffix: string; organization_id: number },
  field: 'suffix' | AliasField,
) {
  const [holder] = await linksUnder(queries, domain_id, [suffix]);
  return holder?.organization_id === organization_id
    ? addressOfLink(suffix, holder.id, field)
    : suffixTaken(suffix, field);
}
