import type { Stats } from '../api-types.ts';
import { type Query, useQuery } from '../queries.ts';
import type { BarValue } from './bars.tsx';
import type { Dimension } from './dimensions.ts';
import { type Filters, isFiltered, selectsOtherHits, without } from './filters.ts';
import { loadStats } from './scope.ts';
import { uncountedByReason } from './sentences.ts';
import { nameOf } from './value-names.ts';
import { keyFor, statsQueryOf, type View } from './view.ts';

/** One dimension's values. Its own filter is left out, so that another value can be chosen. */
export interface Breakdown {
  readonly dimension: Dimension;
  readonly values: readonly BarValue[];
  readonly total: number;
  /** Hits with other values than the hundred largest. */
  readonly other: number;
  readonly fromRaw: boolean;
}

/** Whether a dimension applies to hits that are not counted as clicks. */
export const isUncountedDimension = (dimension: Dimension): boolean =>
  dimension === 'class' || dimension === 'reason';

export const withoutOwnFilter = (filters: Filters, dimension: Dimension): Filters =>
  isUncountedDimension(dimension) ? without(filters, 'class', 'reason') : without(filters, dimension);

export function useBreakdown(view: View, dimension: Dimension): Query<Breakdown> {
  const filters = withoutOwnFilter(view.filters, dimension);
  // With another filter only the reasons are known, so the kinds are counted from them: every reason belongs to one kind.
  const isByReason = dimension === 'class' && isFiltered(filters);
  const statsQuery = statsQueryOf(view, filters, isByReason ? 'reason' : dimension);
  return useQuery(`${keyFor(view, statsQuery)} ${dimension}`, async () => {
    const stats = await loadStats(view.scope, statsQuery);
    return isByReason ? kindsOf(stats) : breakdownOf(dimension, selectsOtherHits(view.filters), stats);
  });
}

function kindsOf(stats: Stats): Breakdown {
  const kinds = Object.entries(uncountedByReason(stats.groups ?? []));
  const groups = kinds.map(([value, not_counted]) => ({ value, clicks: 0, not_counted }));
  return breakdownOf('class', true, { ...stats, groups });
}

export function breakdownOf(dimension: Dimension, countsOtherHits: boolean, stats: Stats): Breakdown {
  const amount = (one: { clicks: number; not_counted: number }) =>
    isUncountedDimension(dimension) ? one.not_counted : one.clicks + (countsOtherHits ? one.not_counted : 0);
  const byName = new Map<string, BarValue>();
  for (const group of stats.groups ?? []) {
    const hits = amount(group);
    const value = group.value ?? '';
    if (hits > 0) byName.set(value, { value, name: nameOf(dimension, group.value), hits });
  }
  const values = [...byName.values()].toSorted((a, b) => b.hits - a.hits);
  const other = stats.other ? amount(stats.other) : 0;
  return {
    dimension,
    values,
    total: values.reduce((sum, { hits }) => sum + hits, other),
    other,
    fromRaw: stats.from_raw,
  };
}
