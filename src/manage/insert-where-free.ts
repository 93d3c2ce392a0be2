import { goneBefore } from '../rules/link-bin.ts';
import { type CompleteLink, dropLinks, insertLinks } from '../storage/insert-links.ts';
import { binnedUnder, removeFromBin } from '../storage/link-bin.ts';
import { deleteRecordsOf } from '../storage/link-records.ts';
import type { Queries } from '../storage/schema.ts';
import { together } from '../storage/together.ts';
import type { PreparedLink } from './prepared-link.ts';

/** The outcome of each row: what was inserted, the deleted link that keeps the suffix, or null where a link has it or its external id. */
export async function insertWhereFree(
  queries: Queries,
  tried: readonly { readonly from: PreparedLink; readonly row: CompleteLink }[],
  now: number,
) {
  const rows = tried.map(({ row }) => row);
  const byDomain = [...Map.groupBy(rows, (row) => row.domain_id)];
  const [inserted, ...found] = await together(
    insertLinks(queries, rows),
    // After the insertion: a deletion that was under way has then ended on every database.
    ...byDomain.map(([domainId, some]) =>
      binnedUnder(
        queries,
        domainId,
        some.map((row) => row.suffix),
      ),
    ),
  );
  const binned = found.flat();
  if (binned.length === 0) return inserted;
  const [over, kept] = [
    binned.filter((link) => link.deleted_at <= goneBefore(now)),
    binned.filter((link) => link.deleted_at > goneBefore(now)),
  ];
  const keptBy = new Map(kept.map((link) => [`${link.domain_id}\n${link.suffix}`, link]));
  const outcomes = tried.map(({ from, row }, index) => {
    const binned = keptBy.get(`${row.domain_id}\n${row.suffix}`);
    // Its own organization may have the suffix again, if it wants that one.
    const isFree = binned === undefined || (from.isChosen && binned.organization_id === row.organization_id);
    return isFree ? (inserted[index] ?? null) : binned;
  });
  const lost = inserted.filter((row, index) => row !== null && outcomes[index] !== row);
  const lostIds = lost.map((row) => row?.id ?? 0);
  if (over.length > 0) {
    const ids = over.map((link) => link.id);
    await removeFromBin(queries, ids);
    await deleteRecordsOf(queries, ids);
  }
  if (lostIds.length > 0) await dropLinks(queries, lostIds);
  return outcomes;
}
