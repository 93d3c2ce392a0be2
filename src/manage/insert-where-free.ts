import { type CompleteLink, dropLinks, insertLinks } from '../storage/insert-links.ts';
import { addressKey } from '../storage/link-addresses.ts';
import { heldUnder } from '../storage/link-aliases.ts';
import type { Queries } from '../storage/schema.ts';
import { together } from '../storage/together.ts';
import { isFreeFor, release } from './held-addresses.ts';
import type { PreparedLink } from './prepared-link.ts';

/**
 * The result of each row: the inserted one, the deleted link that reserves the suffix, or null if a link has the suffix, even as
 * an alias, or its external id.
 */
export async function insertWhereFree(
  queries: Queries,
  tried: readonly { readonly from: PreparedLink; readonly row: CompleteLink }[],
  now: number,
) {
  const rows = tried.map(({ row }) => row);
  // A random suffix that is held is drawn again. Only another change of that very suffix in the same millisecond would go unnoticed.
  if (!tried.some(({ from }) => from.isChosen)) return insertLinks(queries, rows, 'left out');
  const byDomain = [...Map.groupBy(rows, (row) => row.domain_id)];
  const [inserted, ...found] = await together(
    insertLinks(queries, rows, 'inserted'),
    // After the insertion: concurrent deletions and aliases have ended by then on every database.
    ...byDomain.map(([domainId, some]) =>
      heldUnder(
        queries,
        domainId,
        some.map((row) => row.suffix),
      ),
    ),
  );
  const held = found.flat();
  if (held.length === 0) return inserted;
  const heldAt = Map.groupBy(held, addressKey);
  const outcomes = tried.map(({ from, row }, index) => {
    const blocking = (heldAt.get(addressKey(row)) ?? []).filter(
      (one) => !isFreeFor(one, { organizationId: row.organization_id, isChosen: from.isChosen }, now),
    );
    if (blocking.length === 0) return inserted[index] ?? null;
    return blocking.some((one) => one.deleted_at === null) ? null : (blocking[0] ?? null);
  });
  const assigned = new Set(
    rows.flatMap((row, index) =>
      inserted[index] && outcomes[index] === inserted[index] ? addressKey(row) : [],
    ),
  );
  await release(
    queries,
    held.filter((one) => assigned.has(addressKey(one))),
    now,
  );
  const lostIds = inserted.flatMap((row, index) => (row !== null && outcomes[index] !== row ? row.id : []));
  if (lostIds.length > 0) await dropLinks(queries, lostIds);
  return outcomes;
}
