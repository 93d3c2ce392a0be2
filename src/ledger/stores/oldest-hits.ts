import { StoredColumns } from '../chunks/stored-columns.ts';
import { HitPack, type PackRow } from '../packs/hit-pack.ts';
import { maxInPack } from '../packs/pack-layout.ts';

/** The number of packs that `oldestHits` is given at a time; fewer are the last ones. */
export const packsAtOnce = 64;

/**
 * Puts the oldest rows and packs of an organization in the order of their ids, until there are enough hits; whole packs only. It
 * yields the id after which it needs further packs, and returns the hits. Each row has its id first, then the columns of hits.
 */
export function* oldestHits(
  rows: readonly (readonly number[])[],
  after: number,
  enough: number,
): Generator<number, StoredColumns, readonly PackRow[]> {
  const hits = new StoredColumns(enough + maxInPack);
  let next = 0;
  const takeRows = (before: number) => {
    for (; next < rows.length && hits.count < enough; next++) {
      const [id = 0, ...cells] = rows[next] ?? [];
      if (id >= before) return;
      hits.addRow(id, cells);
    }
  };
  for (let last = after; ; ) {
    const packs = yield last;
    for (const pack of packs) {
      takeRows(pack.id);
      if (hits.count >= enough) return hits;
      hits.addPack(new HitPack(pack));
      last = pack.id;
    }
    if (packs.length < packsAtOnce) takeRows(Number.POSITIVE_INFINITY);
    if (packs.length < packsAtOnce || hits.count >= enough) return hits;
  }
}
