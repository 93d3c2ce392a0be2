import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../rules/access.ts';
import type { RuleFields } from '../../rules/link-rules/rule-fields.ts';
import type { Site } from '../../rules/site.ts';
import type { LosableFields } from '../../storage/links/link-bin.ts';
import { insertHistory, type NewHistoryRow } from '../../storage/links/link-history.ts';
import type { StoredLink } from '../../storage/links/links.ts';
import type { ScheduledRow } from '../../storage/links/scheduled-changes.ts';
import type { Queries } from '../../storage/schema.ts';
import type { StoredTag } from '../../storage/tags.ts';
import type { Context } from '../context.ts';
import { aliasUrls } from './link-address.ts';
import { fieldsOf } from './link-fields.ts';
import type { LinkWithTags } from './prepared-link.ts';

/** A tag with the name that it had then. */
export type TagThen = Pick<StoredTag, 'id' | 'name'>;

/** A field's values before and after, as the API shows them. Of a secret only that it changed. */
export type HistoryChange =
  | {
      readonly field: string;
      readonly from: HistoryValue;
      readonly to: HistoryValue;
      /** Of addresses: the default domain at that time. When BASE_URL changes, the links on it move along. */
      readonly default_domain?: string;
    }
  | { readonly field: string; readonly hidden: true };

export type HistoryValue = string | number | boolean | string[] | TagThen[] | readonly RuleFields[] | null;

/** The origin of a change that isn't a plain update. */
interface HistoryOrigin {
  /** The entry of the link's history that it restores. */
  readonly backTo?: number | null;
  /** The scheduled change that it applies. */
  readonly scheduled?: number | null;
}

interface HistoryState {
  readonly before: LinkWithTags;
  readonly after: LinkWithTags;
}

/** Written in the transaction that changes the links. Nothing is written for a link that didn't change. */
export async function recordUpdates(
  { site, now }: Pick<Context, 'site' | 'now'>,
  queries: Queries,
  caller: Caller,
  states: readonly HistoryState[],
  { backTo = null, scheduled = null }: HistoryOrigin = {},
): Promise<void> {
  const rows = states.flatMap((state) => {
    const changes = changesOf(site, state);
    if (changes.length === 0) return [];
    const base = entryOf(caller, state.after.link, 'changed', now());
    return [{ ...base, back_to: backTo, scheduled, changes: JSON.stringify(changes) }];
  });
  await insertHistory(queries, rows);
}

/** Deletions, and restorations from the bin. */
export async function recordMoves(
  { now }: Pick<Context, 'now'>,
  queries: Queries,
  caller: Caller,
  links: readonly (Pick<StoredLink, 'id' | 'organization_id'> & {
    readonly changes?: readonly HistoryChange[];
  })[],
  action: 'deleted' | 'restored',
): Promise<void> {
  const at = now();
  await insertHistory(
    queries,
    links.map((link) => ({
      ...entryOf(caller, link, action, at),
      changes: JSON.stringify(link.changes ?? []),
    })),
  );
}

/** What a link has lost while it was in the bin: to another link, or with a deleted domain. */
export function lossesOf(site: Site, before: LosableFields, after: LosableFields): HistoryChange[] {
  const changes = [
    { field: 'aliases', from: aliasUrls(site, before), to: aliasUrls(site, after), ...domainNow(site) },
    { field: 'external_id', from: before.external_id, to: after.external_id },
  ];
  return changes.filter(({ from, to }) => !isDeepStrictEqual(from, to));
}

/** A scheduled change that was not applied. */
export async function recordRefusal(
  { now }: Pick<Context, 'now'>,
  queries: Queries,
  caller: Caller,
  { id, link_id }: Pick<ScheduledRow, 'id' | 'link_id'>,
  refusal: string,
): Promise<void> {
  const link = { id: link_id, organization_id: caller.organizationId };
  const base = entryOf(caller, link, 'not_applied', now());
  await insertHistory(queries, [{ ...base, scheduled: id, refusal }]);
}

const entryOf = (
  { userId, keyId, via }: Caller,
  link: Pick<StoredLink, 'id' | 'organization_id'>,
  action: NewHistoryRow['action'],
  at: number,
): NewHistoryRow => ({
  link_id: link.id,
  organization_id: link.organization_id,
  at,
  user_id: userId || null,
  key_id: keyId ?? null,
  via,
  action,
  back_to: null,
  changes: '[]',
  scheduled: null,
  refusal: null,
});

function changesOf(site: Site, { before, after }: HistoryState): HistoryChange[] {
  const [fieldsBefore, fieldsAfter] = [shownOf(site, before), shownOf(site, after)];
  const changes: HistoryChange[] = Object.entries(fieldsAfter).flatMap(([field, to]) => {
    const from = fieldsBefore[field] ?? null;
    const isAddress = field === 'domain' || field === 'aliases';
    return isDeepStrictEqual(from, to) ? [] : { field, from, to, ...(isAddress && domainNow(site)) };
  });
  if (before.link.password_hash !== after.link.password_hash)
    changes.push({ field: 'password', hidden: true });
  if (before.link.webhook_auth_key !== after.link.webhook_auth_key)
    changes.push({ field: 'webhook_auth_key', hidden: true });
  return changes;
}

const domainNow = (site: Site) => ({ default_domain: site.domainUrl(null) });

const shownOf = (site: Site, { link, tags }: LinkWithTags): Readonly<Record<string, HistoryValue>> => ({
  domain: site.domainUrl(link.host),
  suffix: link.suffix,
  aliases: aliasUrls(site, link),
  ...fieldsOf(link),
  tags: tags.map(({ id, name }) => ({ id, name })).sort((one, other) => one.id - other.id),
});
