import type { Caller } from '../rules/access.ts';
import { notFound } from '../rules/errors.ts';
import { normaliseHostname } from '../rules/host.ts';
import { findVerifiedDomain } from '../storage/domains.ts';
import { linkCount } from '../storage/link-counts.ts';
import { tagsOf } from '../storage/link-tags.ts';
import {
  countLinks,
  findAnyLink,
  findLink,
  type LinkFilter,
  type LinkPage,
  listLinks,
  type StoredLink,
} from '../storage/links.ts';
import { defaultDomainId } from '../storage/schema.ts';
import type { Context } from './context.ts';
import type { LinkWithTags } from './create-link.ts';

export async function readLink(context: Context, caller: Caller, id: number): Promise<LinkWithTags> {
  const { lookup } = context.database;
  const [link, tags] = await Promise.all([findLink(lookup, caller.organizationId, id), tagsOf(lookup, [id])]);
  if (!link) throw notFound('link');
  return { link, tags: tags.get(id) ?? [] };
}

/** The picture of a link's code is public to whoever has its signed address. Null where there is none to show. */
export async function readLinkForPicture(context: Context, id: number): Promise<StoredLink | null> {
  const link = await findAnyLink(context.database.lookup, id);
  return link?.qr_png === 1 ? link : null;
}

export interface LinkQuery extends LinkPage, Omit<LinkFilter, 'domainId'> {
  readonly domain?: string | undefined;
}

export async function readLinks(
  context: Context,
  caller: Caller,
  query: LinkQuery,
): Promise<{ readonly links: readonly LinkWithTags[]; readonly total: number }> {
  const { read } = context.database;
  const domainId = query.domain === undefined ? undefined : await domainIdOf(context, caller, query.domain);
  if (domainId === null) return { links: [], total: 0 };
  const filter: LinkFilter = { text: query.text, tagId: query.tagId, before: query.before, domainId };
  const [links, total] = await Promise.all([
    listLinks(read, caller.organizationId, filter, query),
    totalOf(context, caller, filter),
  ]);
  const tags = await tagsOf(
    read,
    links.map((link) => link.id),
  );
  return { links: links.map((link) => ({ link, tags: tags.get(link.id) ?? [] })), total };
}

/** Without a filter the total is kept, not counted: it must not slow down with the number of links. */
function totalOf(context: Context, caller: Caller, filter: LinkFilter): Promise<number> {
  const { before: _page, ...narrowing } = filter;
  const isWhole = Object.values(narrowing).every((value) => value === undefined);
  return isWhole
    ? linkCount(context.database.read, caller.organizationId)
    : countLinks(context.database.read, caller.organizationId, narrowing);
}

/** Null for a domain that isn't the organization's: no link of it can be there. */
async function domainIdOf(context: Context, caller: Caller, domain: string): Promise<number | null> {
  const host = normaliseHostname(domain.replace(/^https?:\/\//i, '').replace(/[:/].*$/, ''));
  if (context.site.isDefaultHost(host)) return defaultDomainId;
  const verified = await findVerifiedDomain(context.database.lookup, host);
  return verified?.organization_id === caller.organizationId ? verified.id : null;
}
