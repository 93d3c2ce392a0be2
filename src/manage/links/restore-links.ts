import type { Caller } from '../../rules/access.ts';
import { Refusal } from '../../rules/errors.ts';
import { binDays, restorableAfter } from '../../rules/link-bin.ts';
import { recordChanges } from '../../storage/changes.ts';
import { NotUnique } from '../../storage/database.ts';
import { addDuePages, linksWithoutPage } from '../../storage/destinations/due-pages.ts';
import { type BinnedLink, lockRestorable, moveFromBin } from '../../storage/links/link-bin.ts';
import { correctBlocks } from '../../storage/links/link-blocks.ts';
import { countLinksIn } from '../../storage/links/link-counts.ts';
import { tagsAmong } from '../../storage/links/link-tags.ts';
import { linksUnder, touchLinks } from '../../storage/links/links.ts';
import { idsOf } from '../../storage/rows.ts';
import type { Queries } from '../../storage/schema.ts';
import { addToTagCounts } from '../../storage/tag-counts.ts';
import type { Context } from '../context.ts';
import { pageHost } from '../destinations/page-fetcher.ts';
import { onHeldDomains } from '../domains/held-domains.ts';
import { lossesOf, recordMoves } from './record-history.ts';

const maxTries = 5;

/** Restores those of these links that are in the bin and whose suffix is free, and returns their ids. */
export async function restoreLinks(
  context: Context,
  caller: Caller,
  ids: readonly number[],
): Promise<readonly number[]> {
  const { organizationId } = caller;
  const restore = async (queries: Queries) => {
    const now = context.now();
    const kept = await lockRestorable(queries, organizationId, ids, restorableAfter(now));
    const found = await onHeldDomains(queries, kept);
    const [requested] = found;
    if (!requested) {
      throw new Refusal(
        'NOT_FOUND',
        `None of these links can be restored. Deleted links are kept for ${binDays} days, as long as their domain is there.`,
      );
    }
    const moved = await moveFromBin(queries, idsOf(found));
    const restoredIds = [...moved.keys()];
    const links = found.flatMap((link) => {
      const kept = moved.get(link.id);
      return kept ? { ...link, ...kept, changes: lossesOf(context.site, link, kept) } : [];
    });
    const [first] = links;
    if (!first) throw await suffixInUse(queries, requested);
    await addToTagCounts(queries, first.id, await tagsAmong(queries, restoredIds));
    await countLinksIn(queries, links, 1);
    await correctBlocks(queries, organizationId, restoredIds, 1);
    const untitled = await linksWithoutPage(queries, restoredIds);
    await addDuePages(
      queries,
      untitled.map(({ id, destination_url }) => ({ host: pageHost(context, destination_url), link_id: id })),
    );
    await touchLinks(
      queries,
      links.filter(({ changes }) => changes.length > 0).map(({ id }) => id),
      now,
    );
    await recordMoves(context, queries, caller, links, 'restored');
    await recordChanges(queries, links, now);
    return links;
  };
  for (let tries = 1; ; tries++) {
    try {
      const restored = await context.database.write(restore);
      context.linksChanged(restored);
      return idsOf(restored);
    } catch (cause) {
      // Another call has just given one of the external ids to a link. The next try sees that link.
      if (!(cause instanceof NotUnique) || tries === maxTries) throw cause;
    }
  }
}

async function suffixInUse(
  queries: Queries,
  { id, domain_id, suffix }: Pick<BinnedLink, 'id' | 'domain_id' | 'suffix'>,
): Promise<Refusal> {
  const [link] = await linksUnder(queries, domain_id, [suffix]);
  const other = link ? `link ${link.id}` : 'another link';
  const reason =
    link?.is_alias === 1
      ? `an alias of ${other}. Remove it there first.`
      : `that of ${other}. Delete that one first.`;
  return new Refusal(
    'SUFFIX_TAKEN',
    `Link ${id} cannot be restored now: its suffix "${suffix}" is ${reason}`,
    { field: 'ids' },
  );
}
