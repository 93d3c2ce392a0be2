import type { Caller } from '../../rules/access.ts';
import { recordChanges } from '../../storage/changes.ts';
import { deleteWatchedOf } from '../../storage/destinations/watched-links.ts';
import { tagsOf } from '../../storage/links/link-tags.ts';
import {
  type LinkChanges,
  lockLinks,
  type StoredLink,
  setFlags,
  touchLinks,
} from '../../storage/links/links.ts';
import { idsOf } from '../../storage/rows.ts';
import { enqueueLinkEvent, messageContext } from '../../webhooks/outbox.ts';
import type { Context } from '../context.ts';
import { FieldRefusals } from '../field-refusals.ts';
import { columnsOf } from './link-fields.ts';
import { changeTags } from './link-tags.ts';
import { changeEndsLink, requireConfirmation } from './on-paper.ts';
import { recordUpdates } from './record-history.ts';

interface ChangeOfMany {
  readonly ids: readonly number[];
  readonly add_tags: readonly number[];
  readonly remove_tags: readonly number[];
  readonly disabled?: boolean | undefined;
  readonly archived?: boolean | undefined;
  readonly on_paper?: boolean | undefined;
  readonly watch_destination?: boolean | null | undefined;
}

/** Changes settings that many links can share, and returns how many of the links exist. */
export async function changeLinks(
  context: Context,
  caller: Caller,
  change: ChangeOfMany,
  isConfirmed: boolean,
): Promise<number> {
  const { organizationId } = caller;
  const flags = await columnsOf(context, organizationId, change, new FieldRefusals());
  const { count, changed } = await context.database.write(async (queries) => {
    const links = await lockLinks(queries, organizationId, change.ids);
    const ids = idsOf(links);
    const retags = change.add_tags.length > 0 || change.remove_tags.length > 0;
    const tagsBefore = retags ? await tagsOf(queries, ids) : null;
    const retagged = await changeTags(queries, organizationId, ids, change);
    const reflagged = links.filter((link) => hasOtherFlags(link, flags));
    requireConfirmation(
      reflagged.filter((link) => changeEndsLink(link, { ...link, ...flags })),
      isConfirmed,
    );
    const endsWatch = flags.disabled === 1 || flags.watch_destination === 0;
    const set = endsWatch ? { ...flags, destination_problems: null } : flags;
    await setFlags(queries, idsOf(reflagged), set);
    const cleared = reflagged.filter((link) => endsWatch && link.destination_problems !== null);
    await deleteWatchedOf(queries, idsOf(cleared));
    const changed = links
      .filter((link) => retagged.has(link.id) || reflagged.includes(link))
      .map((link) => (reflagged.includes(link) ? { ...link, ...set } : link));
    const now = context.now();
    await touchLinks(queries, idsOf(changed), now);
    const tags = tagsBefore && (await tagsOf(queries, ids));
    const before = new Map(links.map((link) => [link.id, link]));
    const states = changed.map((link) => ({
      before: { link: before.get(link.id) ?? link, tags: tagsBefore?.get(link.id) ?? [] },
      after: { link, tags: tags?.get(link.id) ?? [] },
    }));
    await recordUpdates(context, queries, caller, states);
    await recordChanges(queries, reflagged, now);
    for (const link of changed)
      await enqueueLinkEvent(queries, 'link.updated', link, messageContext(context, now));
    return { count: links.length, changed };
  });
  context.linksChanged(changed);
  if (changed.some((link) => link.webhook_url !== null)) context.webhooks.wake();
  return count;
}

const hasOtherFlags = (link: StoredLink, flags: LinkChanges): boolean =>
  (Object.keys(flags) as (keyof LinkChanges)[]).some((name) => link[name] !== flags[name]);
