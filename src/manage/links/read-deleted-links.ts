import type { Caller } from '../../rules/access.ts';
import { restorableAfter } from '../../rules/link-bin.ts';
import {
  countDeleted,
  type DeletedLink,
  type DeletedPosition,
  listDeleted,
} from '../../storage/links/list-deleted.ts';
import { pageOf } from '../../storage/rows.ts';
import type { Context } from '../context.ts';

export type { DeletedLink, DeletedPosition };

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
