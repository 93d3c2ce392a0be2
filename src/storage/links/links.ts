import { type CompiledQuery, type Selectable, sql } from 'kysely';
import { isPlainUrl, locationOf } from '../../rules/destinations/destination-text.ts';
import {
  isQueryForwarding,
  isRedirectStatus,
  type RedirectStatus,
} from '../../rules/destinations/forwarding.ts';
import { linkRulesOf } from '../../rules/link-rules/link-rules.ts';
import type { LinkForVisitor, LinkOptions } from '../../rules/link-rules/resolve.ts';
import { anyForwarding } from '../../rules/suffix.ts';
import { foldCase } from '../../rules/text.ts';
import type { LinkLookup, RowFinder } from '../database.ts';
import { preparedRow } from '../prepared.ts';
import { idsOf } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';
import { readAliases } from './link-addresses.ts';
import { linkColumns } from './link-columns.ts';

/** A link as it is stored, with the host of its domain (null is the default domain) and its totals. */
export type StoredLink = Selectable<Schema['links']> & {
  readonly host: string | null;
  /** Null before its first click; the time of a quiet link's clicks is not stored. */
  readonly clicks: number | null;
  readonly last_clicked_at: number | null;
};

/** Columns that no answer of the API needs. */
const internalColumns = [
  'destination_key',
  'expiry_event_at',
  'zapier_hook_id',
  'page_due_at',
  'created_by',
  'created_key',
  'created_via',
  'search_text',
] as const satisfies (keyof StoredLink)[];

/** A link with the columns that answers of the API need. */
export type AnsweredLink = Omit<StoredLink, (typeof internalColumns)[number]>;

/** Its own columns. */
export const answeredColumns = (Object.keys(linkColumns) as (keyof typeof linkColumns)[]).filter(
  (name): name is Exclude<keyof typeof linkColumns, (typeof internalColumns)[number]> =>
    !(internalColumns as readonly string[]).includes(name),
);

export type LinkChanges = Partial<Omit<Selectable<Schema['links']>, 'id' | 'created_at' | 'organization_id'>>;

/** The first three lines always exist, and notes and aliases follow them: the search indexes rely on that. */
export const searchText = (link: {
  readonly name?: string | null | undefined;
  readonly suffix: string;
  readonly destination_url: string;
  readonly notes?: string | null | undefined;
  readonly aliases?: string | null | undefined;
}): string => {
  const lines = [link.name?.replace(/\n/g, ' ') ?? '', link.suffix, link.destination_url];
  if (link.notes) lines.push(link.notes);
  if (link.aliases) lines.push(...readAliases(link.aliases).map(({ suffix }) => suffix));
  return foldCase(lines.join('\n'));
};

export const withHost = (queries: Queries) =>
  queries
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .leftJoin('link_clicks', 'link_clicks.link_id', 'links.id')
    .selectAll('links')
    .select(['domains.host as host', 'link_clicks.clicks', 'link_clicks.last_clicked_at']);

export const findLink = (queries: Queries, organizationId: number, id: number) =>
  withHost(queries)
    .where('links.organization_id', '=', organizationId)
    .where('links.id', '=', id)
    .executeTakeFirst();

/** For public properties of a link of any organization. */
export const findAnyLink = (queries: Queries, id: number): Promise<StoredLink | undefined> =>
  withHost(queries).where('links.id', '=', id).executeTakeFirst();

/** Reads a link and locks it until this transaction ends. */
export const lockLink = async (
  queries: Queries,
  organizationId: number,
  id: number,
): Promise<StoredLink | undefined> => (await lockLinks(queries, organizationId, [id]))[0];

type LinkUnder = Pick<StoredLink, 'id' | 'suffix' | 'organization_id' | 'created_at'> & {
  readonly is_alias: number;
};

/**
 * The links, of any organization, with these suffixes on a domain, as their own or as an alias; and when they got them.
 */
export const linksUnder = (
  queries: Queries,
  domainId: number,
  suffixes: readonly string[],
): Promise<LinkUnder[]> =>
  queries
    .selectFrom('links')
    .select(['id', 'suffix', 'organization_id', 'created_at'])
    .select(sql<number>`0`.as('is_alias'))
    .where('domain_id', '=', domainId)
    .where('suffix', 'in', suffixes)
    .unionAll(
      queries
        .selectFrom('link_aliases as alias')
        .innerJoin('links', 'links.id', 'alias.link_id')
        .select(['links.id', 'alias.suffix', 'links.organization_id', 'alias.created_at'])
        .select(sql<number>`1`.as('is_alias'))
        .where('alias.domain_id', '=', domainId)
        .where('alias.suffix', 'in', suffixes),
    )
    .execute();

/** The same for those of these links that belong to the organization. */
export async function lockLinks(
  queries: Queries,
  organizationId: number,
  ids: readonly number[],
): Promise<StoredLink[]> {
  const locked = await queries
    .selectFrom('links')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .orderBy('id')
    // Not by an update, even one that changes nothing: others that want a link's address would wait for it, and might deadlock.
    .forNoKeyUpdate()
    .execute();
  if (locked.length === 0) return [];
  return withHost(queries).where('links.id', 'in', idsOf(locked)).orderBy('links.id').execute();
}

export async function updateLink(
  queries: Queries,
  organizationId: number,
  id: number,
  changes: LinkChanges,
): Promise<void> {
  await queries
    .updateTable('links')
    .set(changes)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
}

/** Sets flags of many links at once. */
export async function setFlags(
  queries: Queries,
  ids: readonly number[],
  flags: Pick<
    LinkChanges,
    'disabled' | 'archived' | 'on_paper' | 'watch_destination' | 'destination_problems'
  >,
): Promise<void> {
  if (ids.length > 0) await queries.updateTable('links').set(flags).where('id', 'in', ids).execute();
}

/** No two states of a link share their `updated_at`, so it identifies one. */
export async function touchLinks(queries: Queries, ids: readonly number[], now: number): Promise<void> {
  if (ids.length === 0) return;
  await queries
    .updateTable('links')
    .set({ updated_at: sql<number>`case when updated_at < ${now} then ${now} else updated_at + 1 end` })
    .where('id', 'in', ids)
    .execute();
}

/** The redirect's lookup, by key. With `anyForwarding` instead of a suffix it finds any link that forwards longer paths. */
export async function findLinkForVisitor(
  lookup: Queries,
  domainId: number,
  suffix: string,
): Promise<LinkForVisitor | null> {
  if (suffix !== anyForwarding)
    return linkUnder(domainId, suffix, await findVisited(lookup, domainId, suffix));
  const row = await findForwarding(lookup, domainId);
  return row ? linkForVisitor(row) : null;
}

function linkUnder(
  domainId: number,
  suffix: string,
  row: VisitorRow | null | undefined,
): LinkForVisitor | null {
  if (!row) return null;
  const link = linkForVisitor(row);
  return row.suffix === suffix && row.domain_id === domainId
    ? link
    : { ...link, ownAddress: { domainId: row.domain_id, suffix: row.suffix }, alias: suffix };
}

/** The same lookup on a connection in this thread: without a promise it takes a third of the time. */
export function linkFinder(lookup: Queries, rowFinder: RowFinder): LinkLookup {
  const findVisited = rowFinder<VisitorRow>(visitedQuery(lookup, 0, '').sql);
  const findForwarding = rowFinder<VisitorRow>(forwardingQuery(lookup, 0).sql);
  return (domainId, suffix) => {
    if (suffix !== anyForwarding)
      return linkUnder(domainId, suffix, findVisited(domainId, suffix, domainId, suffix));
    const row = findForwarding(domainId, domainId);
    return row === null ? null : linkForVisitor(row);
  };
}

export const linkForVisitor = (row: VisitorRow): LinkForVisitor => ({
  id: row.id,
  organizationId: row.organization_id,
  destinationUrl: locationOf(row.destination_url),
  options: optionsOf(row),
});

function optionsOf(row: VisitorRow): LinkOptions | null {
  const urls = [row.destination_url, row.android_url, row.ios_url, row.before_start_url, row.expired_url];
  const rules = linkRulesOf(row.id, row.rules);
  const options: LinkOptions = {
    disabled: row.disabled === 1,
    androidUrl: row.android_url && locationOf(row.android_url),
    iosUrl: row.ios_url && locationOf(row.ios_url),
    ogTitle: row.og_title,
    ogDescription: row.og_description,
    ogImage: row.og_image,
    startsAt: row.start_at,
    expiresAt: row.expires_at,
    beforeStartUrl: row.before_start_url && locationOf(row.before_start_url),
    expiredUrl: row.expired_url && locationOf(row.expired_url),
    clickLimit: row.click_limit === null ? null : isSpent(row) ? 'spent' : 'open',
    rules,
    forwardQuery: isQueryForwarding(row.forward_query) ? row.forward_query : null,
    forwardPath: row.forward_path === 1,
    redirectStatus: redirectStatusOf(row.redirect_status),
    passwordHash: row.password_hash,
    captcha: row.captcha === 1,
    botProtection: row.bot_protection === 1,
    quiet: row.statistics === 0,
    hasUnsafeUrl: urls.some((url) => url !== null && !isPlainUrl(url)) || rules?.hasUnsafeUrl === true,
  };
  return Object.values(options).every((value) => value === null || value === false) ? null : options;
}

export const isSpent = ({
  click_limit,
  clicks_spent,
}: Pick<StoredLink, 'click_limit' | 'clicks_spent'>): boolean =>
  click_limit !== null && clicks_spent >= click_limit;

/** Null for the default as well: such a link needs no options. */
const redirectStatusOf = (stored: number | null): RedirectStatus | null =>
  isRedirectStatus(stored) && stored !== 302 ? stored : null;

const visitorColumns = [
  'id',
  'organization_id',
  'domain_id',
  'suffix',
  'destination_url',
  'android_url',
  'ios_url',
  'og_title',
  'og_description',
  'og_image',
  'start_at',
  'expires_at',
  'before_start_url',
  'expired_url',
  'click_limit',
  'clicks_spent',
  'rules',
  'forward_query',
  'forward_path',
  'redirect_status',
  'password_hash',
  'captcha',
  'bot_protection',
  'disabled',
  'statistics',
] as const;

type VisitorRow = Pick<Selectable<Schema['links']>, (typeof visitorColumns)[number]>;

/** Aliases are only searched if no link has the address as its own: the limit ends the statement at the first row. */
const visitedQuery = (lookup: Queries, domainId: number, suffix: string): CompiledQuery<VisitorRow> =>
  lookup
    .selectFrom('links')
    .select(visitorColumns)
    .where('domain_id', '=', domainId)
    .where('suffix', '=', suffix)
    .unionAll(
      lookup
        .selectFrom('links')
        .select(visitorColumns)
        .where('id', '=', (aliases) =>
          aliases
            .selectFrom('link_aliases')
            .select('link_id')
            .where('domain_id', '=', domainId)
            .where('suffix', '=', suffix),
        ),
    )
    .limit(sql.lit(1))
    .compile();
const findVisited = preparedRow(visitedQuery);

/** The same conditions as in the indexes of such links and aliases. */
const forwardingQuery = (lookup: Queries, domainId: number): CompiledQuery<VisitorRow> =>
  lookup
    .selectFrom('links')
    .select(visitorColumns)
    .where('domain_id', '=', domainId)
    .where('forward_path', '=', sql.lit(1))
    .unionAll(
      lookup
        .selectFrom('links')
        .select(visitorColumns)
        .where('id', 'in', (aliases) =>
          aliases
            .selectFrom('link_aliases')
            .select('link_id')
            .where('domain_id', '=', domainId)
            .where('forward_path', '=', sql.lit(1)),
        ),
    )
    .limit(sql.lit(1))
    .compile();
const findForwarding = preparedRow(forwardingQuery);

/** They can't be read without the key that sealed them. */
export async function forgetSealedKeys(queries: Queries): Promise<void> {
  for (const table of ['links', 'link_bin'] as const) {
    await queries
      .updateTable(table)
      .set({ webhook_auth_key: null })
      .where('webhook_auth_key', 'is not', null)
      .execute();
  }
}
