import { ErrorBox } from '../parts/error-box.tsx';
import { refresh, useQuery } from '../queries.ts';
import { search } from '../router.ts';
import { useDebounced, usePrevious } from '../use-previous.ts';
import { useIntervalWhileVisible, useWhenVisibleAgain } from '../visibility.ts';
import { Breakdowns } from './breakdowns.tsx';
import { ExportMenu } from './export-menu.tsx';
import { FilterChips } from './filter-chips.tsx';
import { filtersIn } from './filters.ts';
import { NumbersHead } from './numbers-head.tsx';
import { OverTime } from './over-time.tsx';
import { rangeIn } from './range.ts';
import { RangePicker } from './range-picker.tsx';
import type { Scope } from './scope.ts';
import { askNumbers, keyFor, questionOf, viewOf } from './view.ts';

const reloadInterval = 60_000;

/** The numbers of one link, or of all: clicks over time, and their breakdowns. */
export function StatsBoard({ scope }: { scope: Scope }) {
  const view = viewOf(scope, useDebounced(search.value));
  const query = useQuery(keyFor(view, questionOf(view, view.filters)), () => askNumbers(view));
  const { data: numbers, isOld } = usePrevious(query);
  const reload = () => void refresh('stats');
  useIntervalWhileVisible(reload, reloadInterval);
  useWhenVisibleAgain(reload);
  const error = query.error.value;
  return (
    <div class="board">
      <div class="board-bar">
        <RangePicker range={rangeIn(search.value)} />
        <ExportMenu view={view} numbers={numbers} />
      </div>
      <FilterChips filters={filtersIn(search.value)} />
      {error && <ErrorBox error={error} onRetry={reload} />}
      {numbers ? (
        <div class={isOld ? 'board-numbers old' : 'board-numbers'} aria-busy={isOld}>
          <NumbersHead numbers={numbers} isOld={isOld} />
          <OverTime numbers={numbers} />
        </div>
      ) : (
        !error && <div class="board-waiting skeleton" aria-busy="true" />
      )}
      <Breakdowns view={view} numbers={numbers} isQuiet={error !== null} />
    </div>
  );
}
