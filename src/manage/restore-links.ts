import type { Caller } from '../rules/access.ts';
import { Refusal } from '../rules/errors.ts';
import { binDays, goneBefore } from '../rules/link-bin.ts';
import { recordChanges } from '../storage/changes.ts';
import { dialects } from '../storage/dialect.ts';
import { lockRestorable, moveFromBin } from '../storage/link-bin.ts';
import { correctBlocks } from '../storage/link-blocks.ts';
import { countLinksIn } from '../storage/link-counts.ts';
import { tagsAmong } from '../storage/link-tags.ts';
import { addToTagCounts } from '../storage/tag-counts.ts';
import type { Context } from './context.ts';
import { onHeldDomains } from './held-domains.ts';

/** Brings back those of these links that are in the bin, as they were, and returns their ids. */
export async function restoreLinks(
  context: Context,
  caller: Caller,
  ids: readonly number[],
): Promise<readonly number[]> {
  const { organizationId } = caller;
  const back = await context.database.write(async (queries) => {
    const now = context.now();
    const dialect = dialects[context.database.kind];
    const kept = await lockRestorable(queries, organizationId, ids, goneBefore(now));
    const found = await onHeldDomains(context, queries, kept);
    const [first] = found;
    if (!first) return [];
    const restored = found.map((link) => link.id);
    await moveFromBin(queries, restored);
    await addToTagCounts(queries, first.id, await tagsAmong(queries, restored));
    await countLinksIn(queries, found, 1);
    await correctBlocks(queries, dialect, organizationId, restored, 1);
    await recordChanges(queries, found, now);
    return found;
  });
  if (back.length === 0) {
    throw new Refusal(
      'NOT_FOUND',
      `None of these links can be brought back. Deleted links are kept for ${binDays} days, as long as their domain is there.`,
    );
  }
  context.linksChanged(back);
  return back.map((link) => link.id);
}
