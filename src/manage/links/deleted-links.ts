import type { Caller } from '../../rules/access.ts';
import { notFound } from '../../rules/errors.ts';
import { restorableAfter } from '../../rules/link-bin.ts';
import { binnedBefore, purgeLinks } from '../../storage/links/empty-bin.ts';
import {
  countDeleted,
  type DeletedLink,
  type DeletedPosition,
  listDeleted,
} from '../../storage/links/list-deleted.ts';
import { pageOf } from '../../storage/rows.ts';
import type { Context } from '../context.ts';

export type { DeletedLink, DeletedPosition };

/** Few enough that no other change waits long for them. */
const perTransaction = 1_000;

interface DeletedLinks {
  readonly links: readonly DeletedLink[];
  readonly total: number;
  /** The position of the next page; null after the last one. */
  readonly next: DeletedPosition | null;
}

/** The organization's deleted links that can still be restored, newest first. */
export async function readDeletedLinks(
  { database, now }: Pick<Context, 'database' | 'now'>,
  { organizationId }: Caller,
  { limit, after }: { readonly limit: number; readonly after: DeletedPosition | undefined },
): Promise<DeletedLinks> {
  const cutoff = restorableAfter(now());
  const [found, total] = await Promise.all([
    listDeleted(database.read, organizationId, cutoff, { limit: limit + 1, after }),
    countDeleted(database.read, organizationId, cutoff),
  ]);
  const { rows, last } = pageOf(found, limit);
  return { links: rows, total, next: last && { deletedAt: last.deleted_at, id: last.id } };
}

/** Deletes one deleted link permanently. Its suffix stays reserved for as long as before. */
export async function deleteForGood(context: Context, caller: Caller, id: number): Promise<void> {
  const now = context.now();
  const { organizationId } = caller;
  const emptied = await context.database.write((queries) =>
    purgeLinks(queries, organizationId, [id], restorableAfter(now), now),
  );
  if (emptied === 0) throw notFound('deleted link');
}

/**
 * Deletes the current contents of the bin permanently; links that are deleted meanwhile stay. Returns how many were listed: those of a
 * deleted domain are not.
 */
export async function emptyLinkBin(context: Context, { organizationId }: Caller): Promise<number> {
  const now = context.now();
  let total = 0;
  for (;;) {
    const listed = await context.database.write(async (queries) => {
      const ids = await binnedBefore(queries, organizationId, now, perTransaction);
      if (ids.length === 0) return null;
      const count = await countDeleted(queries, organizationId, restorableAfter(now), ids);
      await purgeLinks(queries, organizationId, ids, 0, now);
      return count;
    });
    if (listed === null) return total;
    total += listed;
  }
}
