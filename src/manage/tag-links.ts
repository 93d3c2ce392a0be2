import type { Caller } from '../rules/access.ts';
import { lockLinks, touchLinks } from '../storage/links.ts';
import { enqueueLinkEvent } from '../webhooks/outbox.ts';
import type { Context } from './context.ts';
import { changeTags } from './link-tags.ts';
import { occasionOf } from './webhook-occasion.ts';

interface TagChange {
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
    const changed = await changeTags(queries, organizationId, ids, change);
    const now = context.now();
    await touchLinks(queries, [...changed], now);
    const told = links.filter((link) => changed.has(link.id) && link.webhook_url !== null);
    for (const link of told) await enqueueLinkEvent(queries, 'link.updated', link, occasionOf(context, now));
    return { count: links.length, hasNews: told.length > 0 };
  });
  if (hasNews) context.webhooks.wake();
  return count;
}
