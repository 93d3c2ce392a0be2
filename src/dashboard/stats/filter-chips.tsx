import { Icon } from '../parts/icons.tsx';
import { setQuery } from '../router.ts';
import { dimensions, dimensionTexts } from './dimensions.ts';
import type { Filters } from './filters.ts';
import { nameOf } from './value-names.ts';
import { toggleFilter } from './view.ts';

/** The filters that are set; pressing one removes it. */
export function FilterChips({ filters }: { filters: Filters }) {
  const active = dimensions.flatMap((dimension) => {
    const value = filters[dimension];
    return value === undefined ? [] : [{ dimension, value }];
  });
  if (active.length === 0) return null;
  return (
    <ul class="stats-filters" aria-label="Filters">
      {active.map(({ dimension, value }) => (
        <li key={dimension}>
          <button
            type="button"
            class="filter-chip"
            onClick={() => toggleFilter(dimension, value)}
            title="Remove this filter"
          >
            <span class="soft">{dimensionTexts[dimension].one}</span>
            <span class="cut" dir="auto">
              {nameOf(dimension, value)}
            </span>
            <Icon name="close" size={14} />
            <span class="unseen">Remove this filter</span>
          </button>
        </li>
      ))}
      {active.length > 1 && (
        <li>
          <button
            type="button"
            class="button plain slim"
            onClick={() => setQuery(Object.fromEntries(active.map(({ dimension }) => [dimension, null])))}
          >
            Remove all filters
          </button>
        </li>
      )}
    </ul>
  );
}
