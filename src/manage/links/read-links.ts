import type { Caller } from '../../rules/access.ts';
import { existing } from '../../rules/errors.ts';
import { findOwnDomainId } from '../../storage/domains.ts';
import { closerStart } from '../../storage/links/link-blocks.ts';
import { archivedCount, hasArchived, linkCount, linkTotals } from '../../storage/links/link-counts.ts';
import type { LinkPosition } from '../../storage/links/link-position.ts';
import { findAnyLink, type StoredLink } from '../../storage/links/links.ts';
import {
  countLinks,
  type FilterTag,
  type LinkFilter,
  type LinkPage,
  type ListedLinks,
  listFrom,
  listLinks,
  searchLinks,
} from '../../storage/links/list-links.ts';
import { newestLinks } from '../../storage/links/newest-links.ts';
import { findByKeys } from '../../storage/links/tagged-links.ts';
import { pageOf } from '../../storage/rows.ts';
import { defaultDomainId, type Queries } from '../../storage/schema.ts';
import { tagCount } from '../../storage/tag-counts.ts';
import { ownTags } from '../../storage/tags.ts';
import type { Context } from '../context.ts';
import { countInBackground, deepOffset, prefetchBlockCounts } from '../prefetch-block-counts.ts';
import { hostOf } from './link-address.ts';
import type { LinkWithTags } from './prepared-link.ts';

export type { LinkPosition };

export const readLink = (
  { database }: Context,
  { organizationId }: Caller,
  id: number,
): Promise<LinkWithTags> => existing(database.lookupBatched({ organizationId, id }, findByKeys), 'link');

/** The picture of a link's QR code is public under its signed address. Null if there is none. */
export async function readLinkForPicture(context: Context, id: number): Promise<StoredLink | null> {
  const link = await findAnyLink(context.database.lookup, id);
  return link?.qr_png === 1 ? link : null;
}

interface LinkFilterInput {
  readonly q?: string | undefined;
  readonly tag?: readonly number[] | undefined;
  readonly ids?: readonly number[] | undefined;
  readonly domain?: string | undefined;
  /** Default: 'false', or 'any' if the links are named by their ids. */
  readonly archived?: 'true' | 'false' | 'any' | undefined;
  readonly on_paper?: boolean | undefined;
  readonly has_problem?: boolean | undefined;
}

interface LinkQuery extends LinkFilterInput, LinkPage {
  readonly before?: number | undefined;
}

interface LinkPageFound {
  readonly links: readonly LinkWithTags[];
  /** The number of matches, whatever the page. */
  readonly total: number;
  /** The position of the next page; null after the last one. */
  readonly next: LinkPosition | null;
  /** Whether there are too many links to look for the text in each: more may match. */
  readonly isPartial: boolean;
}

export async function readLinks(context: Context, caller: Caller, query: LinkQuery): Promise<LinkPageFound> {
  if (isUsual(query)) return usualPage(context, caller, query);
  const filter = await filterFor(context, caller, query);
  if (filter === null) return { links: [], total: 0, next: null, isPartial: false };
  const page = { ...filter, before: query.before };
  const isPartial = filter.text?.reach === 'bounded';
  if (filter.text !== undefined && query.before === undefined && query.after === undefined) {
    const found = await searchLinks(context.database.read, caller.organizationId, filter, query);
    return { ...found, isPartial };
  }
  const [{ links, next }, total] = await Promise.all([
    isUnfiltered(filter) && query.offset > deepOffset
      ? deepPage(context, caller, query)
      : listLinks(context.database.read, caller.organizationId, page, query),
    totalOf(context, caller, filter),
  ]);
  if (isUnfiltered(filter)) prefetchBlockCounts(context.database, caller.organizationId, total);
  return { links, total, next, isPartial };
}

/** Beyond that, it pays to skip links by an index alone, which is possible if none is archived. */
const maxUsualOffset = 1_000;
const filterNames = ['q', 'tag', 'ids', 'domain', 'on_paper', 'has_problem'] as const;

const isUsual = (query: LinkQuery): boolean =>
  filterNames.every((name) => query[name] === undefined || query[name] === '') &&
  (query.archived ?? 'false') === 'false' &&
  query.order === '-created_at' &&
  query.offset <= maxUsualOffset;

/** The list that nearly all callers request: one query, unless the page is empty. */
async function usualPage(
  { database }: Context,
  { organizationId }: Caller,
  { before, after, offset, limit }: LinkQuery,
): Promise<LinkPageFound> {
  const below = Math.min(before ?? Number.MAX_SAFE_INTEGER, after?.id ?? Number.MAX_SAFE_INTEGER);
  const page = { organizationId, below, offset, limit: limit + 1 };
  const { links: found, totals } = await newestLinks(database, page);
  const { links, archived } = totals ?? (await linkTotals(database.read, organizationId));
  if (archived === 0) prefetchBlockCounts(database, organizationId, links);
  const { rows, last } = pageOf(found, limit);
  return {
    links: rows,
    total: links - archived,
    next: last && { key: last.link.id, id: last.link.id },
    isPartial: false,
  };
}

/** A page far down a list by id, found without counting up to it. In any other order links are counted. */
async function deepPage(
  { database }: Context,
  { organizationId }: Caller,
  query: LinkQuery,
): Promise<ListedLinks> {
  const { order, before, limit, offset } = query;
  if (order !== 'created_at' && order !== '-created_at') {
    return listLinks(database.read, organizationId, { before }, query);
  }
  const direction = order === 'created_at' ? 'asc' : 'desc';
  const start = await closerStart(database.read, organizationId, before, offset, direction);
  if (start.offset > deepOffset) void countInBackground(database, organizationId);
  return listFrom(database.read, organizationId, start, limit, direction);
}

/** With addresses of eight kilobytes, more would block this thread for many milliseconds. */
const perRead = 200;

/** All matching links, newest first, some at a time. Each step continues where the last one ended. */
export async function* eachLink(
  context: Context,
  caller: Caller,
  input: LinkFilterInput,
): AsyncGenerator<readonly LinkWithTags[], void, undefined> {
  const filter = await filterFor(context, caller, input);
  if (filter === null) return;
  const page = { limit: perRead, offset: 0, order: '-created_at' } as const;
  let before: number | undefined;
  for (;;) {
    const { links, next } = await listLinks(
      context.database.read,
      caller.organizationId,
      { ...filter, before },
      page,
    );
    if (links.length > 0) yield links;
    if (next === null) return;
    before = next.id;
  }
}

/** Up to this many links are all searched for a text; of more, only those that `storage/links/link-search.ts` describes. */
const maxSearchedWhole = 50_000;

/** Null if nothing can match. */
async function filterFor(
  context: Context,
  caller: Caller,
  {
    q,
    tag: tagIds,
    ids,
    domain,
    on_paper: onPaper,
    has_problem: hasProblem,
    archived: requested = ids ? 'any' : 'false',
  }: LinkFilterInput,
): Promise<LinkFilter | null> {
  const { read } = context.database;
  const domainId = domain ? await domainIdOf(context, caller, domain) : undefined;
  if (domainId === null) return null;
  const [tags, archived] = await Promise.all([
    tagIds && rarestFirst(context, caller, tagIds),
    archivedIn(read, caller.organizationId, requested),
  ]);
  if (tags === null) return null;
  const filter = { tags, ids, domainId, archived, onPaper, hasProblem };
  if (!q) return filter;
  const maxMatches = Math.min(
    await linkCount(read, caller.organizationId, domainId),
    tags?.[0]?.links ?? Number.POSITIVE_INFINITY,
    ids?.length ?? Number.POSITIVE_INFINITY,
  );
  return { ...filter, text: { text: q, reach: maxMatches <= maxSearchedWhole ? 'all' : 'bounded' } };
}

/** Usually there is no archived link, and nothing has to be excluded. */
async function archivedIn(
  queries: Queries,
  organizationId: number,
  requested: 'true' | 'false' | 'any',
): Promise<boolean | undefined> {
  if (requested === 'any') return undefined;
  if (requested === 'true') return true;
  return (await hasArchived(queries, organizationId)) ? false : undefined;
}

/** Null if one of them belongs to another organization: no link of this one has it. */
async function rarestFirst(
  { database }: Context,
  caller: Caller,
  tagIds: readonly number[],
): Promise<FilterTag[] | null> {
  const own = await ownTags(database.read, caller.organizationId, tagIds);
  if (own.length < tagIds.length) return null;
  const tags = await Promise.all(
    tagIds.map(async (id) => ({ id, links: await tagCount(database.read, id) })),
  );
  return tags.sort((one, other) => one.links - other.links);
}

const isUnfiltered = ({ text, tags, ids, domainId, archived, onPaper, hasProblem }: LinkFilter): boolean =>
  [text, tags, ids, domainId, archived, onPaper, hasProblem].every((condition) => condition === undefined);

/** Where a count is stored it is not computed: it must not slow down with the number of links. */
async function totalOf({ database }: Context, caller: Caller, filter: LinkFilter): Promise<number> {
  const { text, tags, ids, domainId, archived, onPaper, hasProblem } = filter;
  const { organizationId } = caller;
  if (text !== undefined || ids !== undefined || onPaper !== undefined || hasProblem !== undefined)
    return countLinks(database.read, organizationId, filter);
  if (tags === undefined) {
    if (archived === undefined) return linkCount(database.read, organizationId, domainId);
    const archivedLinks = await archivedCount(database.read, organizationId, domainId);
    return archived
      ? archivedLinks
      : (await linkCount(database.read, organizationId, domainId)) - archivedLinks;
  }
  return tags.length === 1 && tags[0] && domainId === undefined && archived === undefined
    ? tags[0].links
    : countLinks(database.read, organizationId, filter);
}

/** Null for another organization's domain: no link of this organization can be on it. */
export async function domainIdOf(context: Context, caller: Caller, domain: string): Promise<number | null> {
  const [, name = ''] = /^(?:https?:\/\/)?([^/]*)/i.exec(domain) ?? [];
  const host = name === '' ? name : hostOf(context.site, name);
  if (host === null) return defaultDomainId;
  return findOwnDomainId(context.database.lookup, caller.organizationId, host);
}
