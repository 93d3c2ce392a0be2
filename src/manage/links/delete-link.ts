import type { Caller } from '../../rules/access.ts';
import { notFound } from '../../rules/errors.ts';
import { recordChanges } from '../../storage/changes.ts';
import { moveToBin } from '../../storage/links/link-bin.ts';
import { correctBlocks } from '../../storage/links/link-blocks.ts';
import { countLinksIn } from '../../storage/links/link-counts.ts';
import { tagsAmong } from '../../storage/links/link-tags.ts';
import { lockLinks } from '../../storage/links/links.ts';
import { idsOf } from '../../storage/rows.ts';
import { addToTagCounts } from '../../storage/tag-counts.ts';
import { enqueueLinkEvent, messageContext } from '../../webhooks/outbox.ts';
import type { Context } from '../context.ts';
import { requireVersion } from './link-version.ts';
import { requireConfirmation } from './on-paper.ts';
import { recordMoves } from './record-history.ts';

export async function deleteLink(
  context: Context,
  caller: Caller,
  id: number,
  isConfirmed: boolean,
  expectedVersion: string | null,
): Promise<void> {
  const deleted = await deleteLinks(context, caller, [id], isConfirmed, expectedVersion);
  if (deleted.length === 0) throw notFound('link');
}

/** Deletes those of these links that exist, all or none, and returns their ids. */
export async function deleteLinks(
  context: Context,
  caller: Caller,
  ids: readonly number[],
  /** Links in print may be among them. */
  isConfirmed: boolean,
  /** Of each of them. */
  expectedVersion: string | null = null,
): Promise<readonly number[]> {
  const { organizationId } = caller;
  const deleted = await context.database.write(async (queries) => {
    const links = await lockLinks(queries, organizationId, ids);
    for (const link of links) requireVersion(expectedVersion, link);
    requireConfirmation(links, isConfirmed);
    const [first] = links;
    if (!first) return [];
    const deletedIds = idsOf(links);
    const now = context.now();
    const lost = [...(await tagsAmong(queries, deletedIds))].map(([tag, count]) => [tag, -count] as const);
    await moveToBin(queries, deletedIds, now);
    await addToTagCounts(queries, first.id, new Map(lost));
    await countLinksIn(queries, links, -1);
    await correctBlocks(queries, organizationId, deletedIds, -1);
    await recordMoves(context, queries, caller, links, 'deleted');
    await recordChanges(queries, links, now);
    for (const link of links)
      await enqueueLinkEvent(queries, 'link.deleted', link, messageContext(context, now));
    return links;
  });
  context.linksChanged(deleted);
  if (deleted.some((link) => link.webhook_url !== null)) context.webhooks.wake();
  return idsOf(deleted);
}
