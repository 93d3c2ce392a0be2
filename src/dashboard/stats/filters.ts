import { type Dimension, dimensions } from './dimensions.ts';

/** An empty text is the hits that have none. */
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

export function without(filters: Filters, ...left: readonly Dimension[]): Filters {
  return Object.fromEntries(
    Object.entries(filters).filter(([dimension]) => !left.some((one) => one === dimension)),
  );
}

/** What is looked at is no clicks: bars and lines then show hits. */
export const isAside = ({ class: kind, reason }: Filters): boolean =>
  (kind !== undefined && kind !== 'click' && kind !== 'human') || reason !== undefined;

/** The address's query with some of it changed; null takes it out, an empty text stays. */
export function queryWith(search: string, changes: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams(search);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) query.delete(key);
    else query.set(key, value);
  }
  const text = query.toString();
  return text && `?${text}`;
}

/** Filtered by what is clicked; clicked again, no longer. `class` and `reason` say the same twice: the last one holds. */
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
