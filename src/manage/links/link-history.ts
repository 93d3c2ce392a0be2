import type { Caller } from '../../rules/access.ts';
import { existing, invalidField, type Problem, Refusal } from '../../rules/errors.ts';
import type { Site } from '../../rules/site.ts';
import { findOwnDomainId } from '../../storage/domains.ts';
import {
  findHistoryEntry,
  type HistoryRow,
  historyAfter,
  listHistory,
} from '../../storage/links/link-history.ts';
import { findLink, type StoredLink } from '../../storage/links/links.ts';
import { pageOf } from '../../storage/rows.ts';
import { ownTags } from '../../storage/tags.ts';
import { type Author, withAuthors } from '../authors.ts';
import type { Context } from '../context.ts';
import { aliasUrls, hostOf } from './link-address.ts';
import { requireVersion, versionOf } from './link-version.ts';
import type { LinkWithTags } from './prepared-link.ts';
import type { HistoryChange, HistoryValue, TagThen } from './record-history.ts';
import { type LinkUpdate, type UpdateTerms, updateLink } from './update-link.ts';

const createdEntry = 0;

export interface HistoryEntry
  extends Author,
    Pick<HistoryRow, 'id' | 'at' | 'action' | 'back_to' | 'scheduled'> {
  readonly via: string | null;
  readonly changes: readonly HistoryChange[];
  /** Why a scheduled change was not applied. */
  readonly refusal: Problem | null;
}

/** A page of a link's history, newest first. Its creation is the last entry. */
export async function readHistory(
  context: Context,
  caller: Caller,
  id: number,
  { limit, before }: { readonly limit: number; readonly before: number | undefined },
): Promise<{ readonly entries: readonly HistoryEntry[]; readonly next: number | null }> {
  const { lookup, read } = context.database;
  const link = await existing(findLink(lookup, caller.organizationId, id), 'link');
  const found = await listHistory(
    read,
    { organizationId: caller.organizationId, linkId: id },
    { limit: limit + 1, before },
  );
  const all = found.length > limit ? found : [...found, creationOf(link)];
  const { rows, last } = pageOf(all, limit);
  const entries = await withAuthors<readonly HistoryChange[], Entry>(read, caller.organizationId, rows);
  return { entries, next: last?.id ?? null };
}

type Entry = Omit<HistoryRow, 'via'> & { readonly via: string | null };

const creationOf = (link: StoredLink): Entry => ({
  id: createdEntry,
  link_id: link.id,
  organization_id: link.organization_id,
  at: link.created_at,
  user_id: link.created_by,
  key_id: link.created_key,
  via: link.created_via,
  action: 'created',
  back_to: null,
  changes: '[]',
  scheduled: null,
  refusal: null,
});

/** Restores the settings and tags that a link had after an entry of its history. Its secrets are unchanged. */
export async function revertLink(
  context: Context,
  caller: Caller,
  id: number,
  entry: number,
  terms: Pick<UpdateTerms, 'expectedVersion' | 'isConfirmed'>,
): Promise<LinkWithTags> {
  const { lookup } = context.database;
  const { organizationId } = caller;
  for (let tries = 1; ; tries++) {
    const link = await existing(findLink(lookup, organizationId, id), 'link');
    requireVersion(terms.expectedVersion ?? null, link);
    const which = { organizationId, linkId: id };
    if (entry !== createdEntry && !(await findHistoryEntry(lookup, which, entry)))
      throw invalidField(
        'entry',
        `There is no entry ${entry} in the history of this link. GET /api/v1/link/<id>/history lists them; 0 is how the link was created.`,
      );
    const { settings, formerAddresses } = await settingsAfter(context, which, entry);
    const { tags, aliases, ...fields } = settings;
    const kept = aliasUrls(context.site, link).filter((alias) => formerAddresses.has(alias));
    const update = {
      ...fields,
      ...(aliases && (await aliasChange(context, caller, [...aliases, ...kept]))),
      tags: tags && (await existingIds(context, caller, tags)),
    };
    try {
      // A change that was made meanwhile is not in these settings.
      const expectedVersion = versionOf(link);
      return await updateLink(context, caller, id, update, { ...terms, expectedVersion, backTo: entry });
    } catch (cause) {
      if (!(cause instanceof Refusal) || cause.code !== 'LINK_CHANGED' || tries === maxTries) throw cause;
    }
  }
}

/** How often a link may change while the settings to restore are read. */
const maxTries = 10;

const entriesAtOnce = 200;

interface EarlierState {
  /** For each field that changed since, its value before the first change. */
  readonly settings: LinkUpdate & { readonly tags?: readonly TagThen[] };
  /** Aliases that were the link's own address until a change since: as such they may be in print. */
  readonly formerAddresses: ReadonlySet<string>;
}

async function settingsAfter(
  { database, site }: Context,
  which: { readonly organizationId: number; readonly linkId: number },
  entry: number,
): Promise<EarlierState> {
  const settings = new Map<string, HistoryValue>();
  const formerAddresses = new Set<string>();
  let last: number | undefined = entry;
  while (last !== undefined) {
    const rows: Pick<HistoryRow, 'id' | 'changes'>[] = await historyAfter(
      database.read,
      which,
      last,
      entriesAtOnce,
    );
    for (const row of rows) {
      const changes = JSON.parse(row.changes) as HistoryChange[];
      const isMove = changes.some(({ field }) => field === 'suffix' || field === 'domain');
      for (const change of changes) {
        if ('hidden' in change) continue;
        const before = valueNow(site, change.from, change);
        if (!settings.has(change.field)) settings.set(change.field, before);
        if (!isMove || change.field !== 'aliases') continue;
        const after = valueNow(site, change.to, change);
        for (const alias of gainedIn(before, after)) formerAddresses.add(alias);
      }
    }
    last = rows.length < entriesAtOnce ? undefined : rows.at(-1)?.id;
  }
  return { settings: Object.fromEntries(settings), formerAddresses };
}

const gainedIn = (before: HistoryValue, after: HistoryValue): string[] =>
  (after as string[]).filter((alias) => !(before as string[]).includes(alias));

/** What was on the default domain then is on the present one. */
function valueNow(
  site: Site,
  value: HistoryValue,
  { default_domain }: { readonly default_domain?: string },
): HistoryValue {
  if (default_domain === undefined) return value;
  const moved = (url: string) =>
    `${url}/`.startsWith(`${default_domain}/`)
      ? site.domainUrl(null) + url.slice(default_domain.length)
      : url;
  return typeof value === 'string' ? moved(value) : (value as string[]).map(moved);
}

/** Tags that were deleted since can't be restored. */
async function existingIds(
  { database }: Context,
  { organizationId }: Caller,
  formerTags: readonly TagThen[],
): Promise<readonly number[]> {
  const ids = formerTags.map((tag) => tag.id);
  const existing = ids.length > 0 ? await ownTags(database.read, organizationId, ids) : [];
  return existing.map((tag) => tag.id);
}

/** Aliases on domains that were deleted since can't be restored; then the link keeps those that it has. */
async function aliasChange(
  { database, site }: Context,
  { organizationId }: Caller,
  formerAliases: readonly string[],
): Promise<Pick<LinkUpdate, 'aliases' | 'add_aliases'>> {
  const hosts = new Map(formerAliases.map((alias) => [alias, hostOf(site, new URL(alias).origin)]));
  const lost = new Set<string>();
  for (const host of new Set(hosts.values()))
    if (host !== null && (await findOwnDomainId(database.lookup, organizationId, host)) === null)
      lost.add(host);
  const kept = formerAliases.filter((alias) => !lost.has(hosts.get(alias) ?? ''));
  return lost.size === 0 ? { aliases: kept } : { add_aliases: kept };
}
