import type { Caller } from '../rules/access.ts';
import { notFound } from '../rules/errors.ts';
import { normaliseHostname } from '../rules/host.ts';
import { findOwnDomainId } from '../storage/domains.ts';
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
  const { text, tagIds, ids, before } = query;
  const filter: LinkFilter = { text, tagIds, ids, before, domainId };
  const [links, total] = await Promise.all([
    listLinks(read, caller.organizationId, filter, query),
    totalOf(context, caller, filter),
  ]);
  return { links: await withTags(context, links), total };
}

async function withTags({ database }: Context, links: readonly StoredLink[]): Promise<LinkWithTags[]> {
  const tags = await tagsOf(
    database.read,
    links.map((link) => link.id),
  );
  return links.map((link) => ({ link, tags: tags.get(link.id) ?? [] }));
}

export type LinkWish = Omit<LinkQuery, keyof LinkPage | 'before'>;

const perRead = 500;

/** All links that match, newest first, some at a time. Each time goes on where the last one ended. */
export async function* eachLink(
  context: Context,
  caller: Caller,
  { domain, ...narrowing }: LinkWish,
): AsyncGenerator<readonly LinkWithTags[], void, undefined> {
  const domainId = domain === undefined ? undefined : await domainIdOf(context, caller, domain);
  if (domainId === null) return;
  const page = { limit: perRead, offset: 0, order: '-created_at' } as const;
  let before: number | undefined;
  for (;;) {
    const filter = { ...narrowing, domainId, before };
    const links = await listLinks(context.database.read, caller.organizationId, filter, page);
    if (links.length > 0) yield await withTags(context, links);
    if (links.length < perRead) return;
    before = links.at(-1)?.id;
  }
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
  return findOwnDomainId(context.database.lookup, caller.organizationId, host);
}
