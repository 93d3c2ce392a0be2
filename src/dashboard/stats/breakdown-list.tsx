import { useSignal } from '@preact/signals';
import { counted } from '../format.ts';
import { setTo } from '../handlers.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { usePrevious } from '../use-previous.ts';
import { Bars } from './bars.tsx';
import { type Breakdown, isUncountedDimension, useBreakdown } from './breakdown.ts';
import { type Dimension, dimensionTexts } from './dimensions.ts';
import { saveBreakdown } from './export.ts';
import { selectsOtherHits } from './filters.ts';
import { toggleFilter, type View } from './view.ts';

const maxShown = 7;

interface ListProps {
  readonly view: View;
  readonly dimension: Dimension;
  /** Whether the board already shows an error: then the list shows none of its own. */
  readonly isErrorShown: boolean;
}

/** The largest values of one dimension, each a filter, and a button that shows the rest. */
export function BreakdownList({ view, dimension, isErrorShown }: ListProps) {
  const query = useBreakdown(view, dimension);
  const isAllShown = useSignal(false);
  const { data, isOld } = usePrevious(query);
  const error = query.error.value;
  if (!data && error) {
    if (isErrorShown) return <div class="bars-place" />;
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
  const noun = selectsOtherHits(view.filters) || isUncountedDimension(dimension) ? 'hits' : 'clicks';
  const chosen = view.filters[dimension];
  const shown = withChosen(data, chosen);
  const isEmpty = data.values.every(({ value }) => value === '') && names.empty;
  return (
    <div class={isOld ? 'bars-place old' : 'bars-place'} aria-busy={isOld}>
      {isEmpty || data.values.length === 0 ? (
        <p class="soft">{isEmpty || 'Nothing in this period.'}</p>
      ) : (
        <Bars
          values={shown}
          total={data.total}
          chosen={chosen}
          noun={noun}
          onChoose={(value) => toggleFilter(dimension, value)}
        />
      )}
      {names.note && <p class="soft small">{names.note}</p>}
      {!isEmpty && data.values.length > maxShown && (
        <button type="button" class="bars-more" onClick={setTo(isAllShown, true)}>
          {data.other > 0 ? 'Show the' : 'Show all'} {data.values.length}
          {data.other > 0 ? ' largest ' : ' '}
          {names.many.toLowerCase().replace('utm', 'UTM')}
        </button>
      )}
      {isAllShown.value && (
        <AllValues breakdown={data} chosen={chosen} noun={noun} onClose={setTo(isAllShown, false)} />
      )}
    </div>
  );
}

/** The largest values, and always the chosen one. */
function withChosen({ values }: Breakdown, chosen: string | undefined) {
  const shown = values.slice(0, maxShown);
  const chosenValue = values.find(({ value }) => value === chosen);
  return chosenValue && !shown.includes(chosenValue) ? [...shown.slice(0, maxShown - 1), chosenValue] : shown;
}

interface AllValuesProps {
  readonly breakdown: Breakdown;
  readonly chosen: string | undefined;
  readonly noun: string;
  readonly onClose: () => void;
}

/** The hundred largest values. */
function AllValues({ breakdown, chosen, noun, onClose }: AllValuesProps) {
  const { dimension, values, total, other } = breakdown;
  return (
    <Dialog title={dimensionTexts[dimension].many} onClose={onClose} class="all-values">
      <Bars
        values={values}
        total={total}
        chosen={chosen}
        noun={noun}
        onChoose={(value) => {
          onClose();
          toggleFilter(dimension, value);
        }}
      />
      {other > 0 && (
        <p class="soft small">
          {counted(other, noun.replace(/s$/, ''))} had other values: the hundred largest are shown.
        </p>
      )}
      <div class="actions">
        <Button icon="download" onClick={() => saveBreakdown(breakdown)}>
          Export as CSV
        </Button>
        <Button onClick={onClose} data-focus>
          Close
        </Button>
      </div>
    </Dialog>
  );
}
