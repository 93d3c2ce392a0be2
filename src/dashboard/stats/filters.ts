import { type Dimension, dimensions } from './dimensions.ts';

/** An empty text stands for the hits without a value. */
export type Filters = Readonly<Partial<Record<Dimension, string>>>;

const maxValueLength = 300;

export function filtersIn(search: string): Filters {
  const query = new URLSearchParams(search);
  const found: Partial<Record<Dimension, string>> = {};
  for (const dimension of dimensions) {
    const value = query.get(dimension);
    if (value !== null && value.length <= maxValueLength) found[dimension] = value;
  }
  return found;
}

export const isFiltered = (filters: Filters): boolean => Object.keys(filters).length > 0;

export function without(filters: Filters, ...omitted: readonly Dimension[]): Filters {
  return Object.fromEntries(
    Object.entries(filters).filter(([dimension]) => !omitted.some((one) => one === dimension)),
  );
}

/** Whether the filters select hits that aren't clicks: bars and lines then show hits. */
export const selectsOtherHits = ({ class: kind, reason }: Filters): boolean =>
  (kind !== undefined && kind !== 'click' && kind !== 'human') || reason !== undefined;

/** Adds a filter, or removes it where it is set. `class` and `reason` exclude each other: the one set last applies. */
export function toggled(
  filters: Filters,
  dimension: Dimension,
  value: string,
): Record<string, string | null> {
  const next = { [dimension]: filters[dimension] === value ? null : value };
  if (dimension === 'class') return { ...next, reason: null };
  if (dimension === 'reason') return { ...next, class: null };
  return next;
}
