import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { AllValues } from './all-values.tsx';
import { Bars } from './bars.tsx';
import { type Breakdown, useBreakdown } from './breakdown.ts';
import { type Dimension, dimensionTexts } from './dimensions.ts';
import { isAside } from './filters.ts';
import { toggleFilter, type View } from './view.ts';

const maxShown = 7;

interface ListProps {
  readonly view: View;
  readonly dimension: Dimension;
  /** The board shows an error already, once for all lists. */
  readonly isQuiet?: boolean;
  /** Called with what is shown, for the map beside it. */
  readonly onFound?: (found: Breakdown | undefined) => void;
}

/** The largest values of one dimension, each a filter, and the way to the rest. */
export function BreakdownList({ view, dimension, isQuiet = false, onFound }: ListProps) {
  const query = useBreakdown(view, dimension);
  const isAllShown = useSignal(false);
  const { data, isOld } = query.shown;
  useEffect(() => onFound?.(data), [data]);
  const error = query.error.value;
  if (!data && error) {
    if (isQuiet) return <div class="bars-place" />;
    return (
      <div class="bars-place">
        <p class="soft">{error.message}</p>
        <Button isSlim icon="refresh" onClick={() => void query.reload()}>
          Try again
        </Button>
      </div>
    );
  }
  if (!data) return <div class="bars-place skeleton" aria-busy="true" />;
  const names = dimensionTexts[dimension];
  const noun = isAside(view.filters) || dimension === 'class' || dimension === 'reason' ? 'hits' : 'clicks';
  const chosen = view.filters[dimension];
  const shown = withChosen(data, chosen);
  const isEmpty = data.values.every(({ value }) => value === '') && names.empty;
  return (
    <div class={isOld ? 'bars-place old' : 'bars-place'} aria-busy={isOld}>
      {isEmpty || data.values.length === 0 ? (
        <p class="soft bars-none">{isEmpty || 'Nothing in this time.'}</p>
      ) : (
        <Bars
          values={shown}
          total={data.total}
          chosen={chosen}
          noun={noun}
          onChoose={(value) => toggleFilter(dimension, value)}
        />
      )}
      {!isEmpty && data.values.length > maxShown && (
        <button
          type="button"
          class="bars-more"
          onClick={() => {
            isAllShown.value = true;
          }}
        >
          {data.other > 0 ? 'Show the' : 'Show all'} {data.values.length}
          {data.other > 0 ? ' largest ' : ' '}
          {names.many.toLowerCase().replace('utm', 'UTM')}
        </button>
      )}
      {isAllShown.value && (
        <AllValues
          breakdown={data}
          chosen={chosen}
          noun={noun}
          onClose={() => {
            isAllShown.value = false;
          }}
        />
      )}
    </div>
  );
}

/** The few largest; a chosen one is always among them. */
function withChosen({ values }: Breakdown, chosen: string | undefined) {
  const shown = values.slice(0, maxShown);
  const own = values.find(({ value }) => value === chosen);
  return own && !shown.includes(own) ? [...shown.slice(0, maxShown - 1), own] : shown;
}
