import type { FoldBatch, HitIdOf } from '../fold-store.ts';

/** `ids` returns the ids of the batch's hits by row; it is only called when an id is needed. */
export function hitIdOf(
  { order, hits }: Pick<FoldBatch, 'order' | 'hits'>,
  ids: () => Float64Array,
): HitIdOf {
  let byIndex: Float64Array | null = null;
  return (index) => {
    byIndex ??= order === null ? ids() : inOrderOfArrival(ids(), order, hits.count);
    return byIndex[index] ?? 0;
  };
}

function inOrderOfArrival(ids: Float64Array, order: Int32Array, count: number): Float64Array {
  const byIndex = new Float64Array(count);
  for (let row = 0; row < count; row++) byIndex[order[row] ?? 0] = ids[row] ?? 0;
  return byIndex;
}
