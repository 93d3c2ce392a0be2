import type { Caller } from '../rules/access.ts';
import { notFound } from '../rules/errors.ts';
import { recordChanges } from '../storage/changes.ts';
import { moveToBin } from '../storage/link-bin.ts';
import { correctBlocks } from '../storage/link-blocks.ts';
import { countLinksIn } from '../storage/link-counts.ts';
import { tagsAmong } from '../storage/link-tags.ts';
import { lockLinks, type StoredLink } from '../storage/links.ts';
import type { Queries } from '../storage/schema.ts';
import { addToTagCounts } from '../storage/tag-counts.ts';
import { enqueueLinkEvent } from '../webhooks/outbox.ts';
import type { Context } from './context.ts';
import { messageContext } from './message-context.ts';
import { requireConfirmation } from './on-paper.ts';
import { recordMoves } from './record-history.ts';

export async function deleteLink(
  context: Context,
  caller: Caller,
  id: number,
  isConfirmed: boolean,
): Promise<void> {
  if ((await deleteLinks(context, caller, [id], isConfirmed)).length === 0) throw notFound('link');
}

/** Deletes those of these links that exist, all or none, and returns their ids. */
export async function deleteLinks(
  context: Context,
  caller: Caller,
  ids: readonly number[],
  /** Links in print may be among them. */
  isConfirmed: boolean,
): Promise<readonly number[]> {
  const deleted = await context.database.write(async (queries) => {
    const links = await lockLinks(queries, caller.organizationId, ids);
    requireConfirmation(links, isConfirmed);
    await removeLinks(context, queries, caller, links);
    return links;
  });
  forgetLinks(context, deleted);
  return deleted.map((link) => link.id);
}

/** Moves links that this transaction has locked to the bin, and updates their counts and caches. */
async function removeLinks(
  context: Context,
  queries: Queries,
  caller: Caller,
  links: readonly StoredLink[],
): Promise<void> {
  const [first] = links;
  if (!first) return;
  const ids = links.map((link) => link.id);
  const now = context.now();
  const lost = [...(await tagsAmong(queries, ids))].map(([tag, count]) => [tag, -count] as const);
  await moveToBin(queries, ids, now);
  await addToTagCounts(queries, first.id, new Map(lost));
  await countLinksIn(queries, links, -1);
  await correctBlocks(queries, caller.organizationId, ids, -1);
  await recordMoves(context, queries, caller, links, 'deleted');
  await recordChanges(queries, links, now);
  for (const link of links)
    await enqueueLinkEvent(queries, 'link.deleted', link, messageContext(context, now));
}

/** After the commit: invalidates this node's caches at once, and wakes the deliverer of webhooks. */
function forgetLinks(
  context: Context,
  links: readonly Pick<StoredLink, 'domain_id' | 'suffix' | 'webhook_url'>[],
): void {
  context.linksChanged(links);
  if (links.some((link) => link.webhook_url !== null)) context.webhooks.wake();
}
