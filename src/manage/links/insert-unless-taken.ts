import {
  type CompleteLink,
  dropLinks,
  type Inserted,
  insertLinks,
} from '../../storage/links/insert-links.ts';
import { addressKey } from '../../storage/links/link-addresses.ts';
import { type HeldAddress, heldAmong } from '../../storage/links/link-aliases.ts';
import type { Queries } from '../../storage/schema.ts';
import { settleAll } from '../../storage/settle-all.ts';
import { isFreeFor } from './held-addresses.ts';
import type { PreparedLink } from './prepared-link.ts';

interface Insertion {
  /**
   * Of each row: the inserted one, the deleted link that reserves the suffix, or null if a link has the suffix, even as an alias, or
   * its external id.
   */
  readonly placed: readonly (Inserted | HeldAddress | null)[];
  /** Of the suffixes of inserted links: to be released if these are kept. */
  readonly formerHolders: readonly HeldAddress[];
}

export async function insertUnlessTaken(
  queries: Queries,
  tried: readonly { readonly from: PreparedLink; readonly row: CompleteLink }[],
  now: number,
): Promise<Insertion> {
  const rows = tried.map(({ row }) => row);
  // A random suffix that is held is drawn again. Only another change of that very suffix in the same millisecond would go unnoticed.
  if (!tried.some(({ from }) => from.isChosen))
    return { placed: await insertLinks(queries, rows, 'left out'), formerHolders: [] };
  const [inserted, held] = await settleAll(
    insertLinks(queries, rows, 'inserted'),
    // After the insertion: concurrent deletions and aliases have ended by then on every database.
    heldAmong(queries, rows),
  );
  if (held.length === 0) return { placed: inserted, formerHolders: [] };
  const heldAt = Map.groupBy(held, addressKey);
  const placed = tried.map(({ from, row }, index) => {
    const blocking = (heldAt.get(addressKey(row)) ?? []).filter(
      (one) => !isFreeFor(one, { organizationId: row.organization_id, isChosen: from.isChosen }, now),
    );
    if (blocking.length === 0) return inserted[index] ?? null;
    return blocking.some((one) => one.deleted_at === null) ? null : (blocking[0] ?? null);
  });
  const assigned = new Set(
    rows.flatMap((row, index) =>
      inserted[index] && placed[index] === inserted[index] ? addressKey(row) : [],
    ),
  );
  const lostIds = inserted.flatMap((row, index) => (row !== null && placed[index] !== row ? row.id : []));
  if (lostIds.length > 0) await dropLinks(queries, lostIds);
  return { placed, formerHolders: held.filter((one) => assigned.has(addressKey(one))) };
}
