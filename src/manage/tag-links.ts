import type { Caller } from '../rules/access.ts';
import { attachTags, detachTags, hasMoreTags } from '../storage/link-tags.ts';
import { lockLinks, touchLinks } from '../storage/links.ts';
import { enqueueLinkEvent } from '../webhooks/outbox.ts';
import type { Context } from './context.ts';
import { mostTagsOnLink, requireTags, tooManyTags } from './link-tags.ts';
import { messageId } from './webhook-message-id.ts';

export interface TagChange {
  readonly ids: readonly number[];
  readonly add_tags: readonly number[];
  readonly remove_tags: readonly number[];
}

/** Puts tags on many links and takes tags off them, and returns how many of the links are there. */
export async function tagLinks(
  context: Context,
  { organizationId }: Caller,
  change: TagChange,
): Promise<number> {
  const { count, hasNews } = await context.database.write(async (queries) => {
    const links = await lockLinks(queries, organizationId, change.ids);
    const ids = links.map((link) => link.id);
    const added = await requireTags(queries, organizationId, change.add_tags, 'add_tags');
    const removed = await requireTags(queries, organizationId, change.remove_tags, 'remove_tags');
    const idsOf = (tags: typeof added) => tags.map((tag) => tag.id);
    const attached = await attachTags(queries, ids, idsOf(added));
    const detached = await detachTags(queries, ids, idsOf(removed));
    if (attached.length > 0 && (await hasMoreTags(queries, ids, mostTagsOnLink)))
      throw tooManyTags('add_tags');
    const changed = new Set([...attached, ...detached].map((row) => row.link_id));
    const now = context.now();
    await touchLinks(queries, [...changed], now);
    const told = links.filter((link) => changed.has(link.id) && link.webhook_url !== null);
    for (const link of told) {
      const occasion = { site: context.site, now, messageId: messageId(context) };
      await enqueueLinkEvent(queries, 'link.updated', link, occasion);
    }
    return { count: links.length, hasNews: told.length > 0 };
  });
  if (hasNews) context.webhooks.wake();
  return count;
}
