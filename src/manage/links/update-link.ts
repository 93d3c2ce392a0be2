import type { Caller } from '../../rules/access.ts';
import { problemsLeft } from '../../rules/destinations/watched-destinations.ts';
import { existing, notFound } from '../../rules/errors.ts';
import { recordChanges } from '../../storage/changes.ts';
import { NotUnique } from '../../storage/database.ts';
import { addDuePages } from '../../storage/destinations/due-pages.ts';
import { deleteWatchedOf } from '../../storage/destinations/watched-links.ts';
import { tagsOf } from '../../storage/links/link-tags.ts';
import {
  findLink,
  isSpent,
  lockLink,
  type StoredLink,
  searchText,
  updateLink as store,
} from '../../storage/links/links.ts';
import { finishScheduled, type ScheduledRow } from '../../storage/links/scheduled-changes.ts';
import type { Queries } from '../../storage/schema.ts';
import type { StoredTag } from '../../storage/tags.ts';
import { enqueueLinkEvent, messageContext } from '../../webhooks/outbox.ts';
import type { Context } from '../context.ts';
import { pageHost } from '../destinations/page-fetcher.ts';
import { waitForClicks } from '../wait-for-clicks.ts';
import { type AddressFields, addressChange, changeAliases, columnsAfter } from './change-address.ts';
import { checkUpdate } from './check-update.ts';
import { takenExternalId } from './external-ids.ts';
import { type LinkFields, utmColumns } from './link-fields.ts';
import { changeTags } from './link-tags.ts';
import { requireVersion } from './link-version.ts';
import { changeEndsLink, requireAddressConfirmation, requireConfirmation } from './on-paper.ts';
import { refuseEndBeforeStart, refuseEqualColours } from './prepare-link.ts';
import type { LinkWithTags } from './prepared-link.ts';
import { recordUpdates } from './record-history.ts';

export interface LinkUpdate extends LinkFields, AddressFields {
  readonly add_tags?: readonly number[] | undefined;
  readonly remove_tags?: readonly number[] | undefined;
  /** Instead of these two: all of its tags afterwards. */
  readonly tags?: readonly number[] | undefined;
}

export interface UpdateTerms {
  /** The call's `If-Match` header. */
  readonly expectedVersion?: string | null;
  /** The link was found by it: without it, the link is not the one to change. */
  readonly expectedExternalId?: string | null;
  /** A link in print may be ended. */
  readonly isConfirmed?: boolean;
  /** The entry of the link's history that this restores. */
  readonly backTo?: number | null;
  /** The scheduled change that this applies: marked as applied in the same transaction. */
  readonly scheduled?: ScheduledRow | null;
}

/** Milliseconds that a first click limit waits for earlier clicks to be counted. */
const foldTimeout = 1_000;

/** A scheduled change that another node has applied meanwhile, or that has changed since it was read. */
export class NotDue extends Error {
  override readonly name = 'NotDue';
}

export async function updateLink(
  context: Context,
  caller: Caller,
  id: number,
  update: LinkUpdate,
  terms: UpdateTerms = {},
): Promise<LinkWithTags> {
  const { expectedVersion = null, expectedExternalId = null, isConfirmed = false } = terms;
  const { backTo = null, scheduled = null } = terms;
  // Ownership is checked first: nothing is hashed or looked up for another organization's link.
  const found = await existing(findLink(context.database.lookup, caller.organizationId, id), 'link');
  const { requested, columns: sent } = await checkUpdate(context, caller, found, update);
  if (found.click_limit === null && sent.click_limit) await waitForClicks(context, foldTimeout);
  const change = async (queries: Queries) => {
    const before = await existing(lockLink(queries, caller.organizationId, id), 'link');
    if (expectedExternalId !== null && before.external_id !== expectedExternalId) throw notFound('link');
    if (scheduled && !(await finishScheduled(queries, scheduled, context.now(), null))) throw new NotDue();
    requireVersion(expectedVersion, before);
    const columns = { ...sent, ...utmColumns(before, update), ...unchangedKey(context, before, update) };
    const { expires_at = before.expires_at } = columns;
    const expiry = isNewExpiry(before.expires_at, expires_at, context.now())
      ? { expiry_event_at: expires_at }
      : {};
    // A limit counts the clicks that exist when it is set.
    const isLimited = before.click_limit === null && columns.click_limit;
    const spent = isLimited ? { clicks_spent: before.clicks ?? 0 } : {};
    const addresses = addressChange(before, requested);
    const moved = addresses && { ...columnsAfter(addresses), host: addresses.own.host };
    // The stored title and icon belong to another page.
    const { destination_url = before.destination_url } = columns;
    const isOtherPage = destination_url !== before.destination_url;
    const page = isOtherPage ? { page_title: null, page_icon: null } : {};
    const after = { ...before, ...columns, ...expiry, ...spent, ...moved, ...page };
    refuseEqualColours(after, update);
    if (update.start_date || update.expiration_date) refuseEndBeforeStart(after, update);
    if (changeEndsLink(before, after)) requireConfirmation([before], isConfirmed);
    if (addresses) requireAddressConfirmation(before, addresses, isConfirmed);
    const now = context.now();
    const tagsBefore = changesTags(update) ? await tagsIn(queries, id) : null;
    if (tagsBefore) await changeTags(queries, caller.organizationId, [id], tagChange(update, tagsBefore));
    const tags = await tagsIn(queries, id);
    const previous = { link: before, tags: tagsBefore ?? tags };
    if (isSame(before, after) && addresses === null && haveSameIds(previous.tags, tags))
      return { before, updated: previous };
    const destination_problems = problemsLeft(after, now);
    // No two states of a link share `updated_at`, so it identifies a version.
    const updated_at = Math.max(now, before.updated_at + 1);
    await changeAliases(queries, before, after, addresses, now);
    await store(queries, caller.organizationId, id, {
      ...columns,
      ...columnsAfter(addresses),
      ...expiry,
      ...spent,
      destination_problems,
      ...page,
      search_text: searchText(after),
      updated_at,
    });
    // The next sweep watches it anew, and reports the problems that its destinations have then.
    if (before.destination_problems !== null && destination_problems === null)
      await deleteWatchedOf(queries, [id]);
    if (isOtherPage) await addDuePages(queries, [{ host: pageHost(context, destination_url), link_id: id }]);
    const updated = { link: { ...after, destination_problems, updated_at }, tags };
    await recordUpdates(context, queries, caller, [{ before: previous, after: updated }], {
      backTo,
      scheduled: scheduled?.id ?? null,
    });
    await recordChanges(queries, addresses ? [before, after] : [after], now);
    await enqueueLinkEvent(queries, 'link.updated', after, messageContext(context, now));
    if (isSpent(after) && !isSpent(before))
      await enqueueLinkEvent(queries, 'link.expired', after, messageContext(context, now));
    return { before, updated };
  };
  const { before, updated } = await context.database.write(change).catch(async (cause) => {
    const takenId = cause instanceof NotUnique && sent.external_id;
    throw takenId ? await takenExternalId(context, caller, takenId) : cause;
  });
  context.linksChanged([before, updated.link]);
  if (updated.link.webhook_url !== null) context.webhooks.wake();
  return updated;
}

/** Not if the instant is sent again, or if a link that had expired has expired at another instant. */
const isNewExpiry = (before: number | null, after: number | null, now: number): boolean =>
  before !== after && !(before !== null && after !== null && before <= now && after <= now);

/** The same key would be sealed differently, which isn't a change of the link. */
function unchangedKey({ secrets }: Context, before: StoredLink, { webhook_auth_key }: LinkUpdate) {
  const stored = before.webhook_auth_key;
  const isSent = webhook_auth_key && stored !== null && secrets.open(stored) === webhook_auth_key;
  return isSent ? { webhook_auth_key: stored } : {};
}

const isSame = (before: StoredLink, after: StoredLink): boolean =>
  (Object.keys(after) as (keyof StoredLink)[]).every((name) => after[name] === before[name]);

const haveSameIds = (some: readonly StoredTag[], others: readonly StoredTag[]): boolean =>
  some.length === others.length && some.every(({ id }, index) => id === others[index]?.id);

const changesTags = ({ add_tags, remove_tags, tags }: LinkUpdate): boolean =>
  Boolean(add_tags?.length || remove_tags?.length || tags);

const tagChange = ({ add_tags, remove_tags, tags }: LinkUpdate, before: readonly StoredTag[]) =>
  tags === undefined
    ? { add_tags, remove_tags }
    : { add_tags: tags, remove_tags: before.flatMap(({ id }) => (tags.includes(id) ? [] : id)) };

const tagsIn = async (queries: Queries, id: number): Promise<readonly StoredTag[]> =>
  (await tagsOf(queries, [id])).get(id) ?? [];
