import { useEffect } from 'preact/hooks';
import type { Link } from '../api-types.ts';
import { CorrectionsCard } from '../corrections/corrections-card.tsx';
import { ErrorBox } from '../parts/error-box.tsx';
import { Skeleton } from '../parts/page.tsx';
import { refresh, useQuery } from '../queries.ts';
import { search, setQuery } from '../router.ts';
import { shortOf } from '../short-links.ts';
import { useDebounced, usePrevious } from '../use-previous.ts';
import { useIntervalWhileVisible, useWhenVisibleAgain } from '../visibility.ts';
import { BreakdownCard, type CardProps, CardWithValues, Countries } from './breakdown-card.tsx';
import { cardsOf } from './cards.ts';
import { chosenIn } from './chosen.ts';
import { ChosenLinks } from './chosen-links.tsx';
import { BoardOfDeletedFilter, deletedFilter } from './deleted-filter.tsx';
import { dimensions, dimensionTexts } from './dimensions.ts';
import { ExportMenu } from './export-menu.tsx';
import { FilterChip } from './filter-chip.tsx';
import { type Filters, filtersIn, isFiltered } from './filters.ts';
import { NotCounted } from './not-counted.tsx';
import { NumbersHead } from './numbers-head.tsx';
import { OverTime } from './over-time.tsx';
import { daysOf, rangeIn } from './range.ts';
import { RangePicker } from './range-picker.tsx';
import { namesOfRules, ownAddress, ruleNames } from './rule-names.ts';
import type { Scope } from './scope.ts';
import { keptSince } from './sentences.ts';
import { SplitCard } from './split-card.tsx';
import { nameOf } from './value-names.ts';
import { keyFor, loadNumbers, type Numbers, statsQueryOf, toggleFilter, viewOf } from './view.ts';

const reloadInterval = 60_000;
const noRules: Link['rules'] = [];

/** The numbers of one link, or of all: clicks over time, and their breakdowns. */
export function StatsBoard({ scope }: { scope: Scope }) {
  const view = viewOf(scope, useDebounced(search.value));
  const rules = scope.kind === 'link' ? scope.link.rules : noRules;
  const own = scope.kind === 'link' ? shortOf(scope.link) : '';
  useEffect(() => {
    ruleNames.value = namesOfRules(rules);
    ownAddress.value = own;
  }, [rules, own]);
  const query = useQuery(keyFor(view, statsQueryOf(view, view.filters)), () => loadNumbers(view));
  const { data: numbers, isOld } = usePrevious(query);
  const reload = () => void refresh('stats');
  useIntervalWhileVisible(reload, reloadInterval);
  useWhenVisibleAgain(reload);
  const error = query.error.value;
  const deleted = deletedFilter(error);
  if (deleted !== undefined)
    return <BoardOfDeletedFilter parameter={deleted} chosen={chosenIn(search.value)} />;
  return (
    <div class="stack even board">
      <div class="board-bar">
        <RangePicker range={rangeIn(search.value)} />
        <ExportMenu view={view} numbers={numbers} />
      </div>
      {scope.kind === 'all' && <ChosenLinks chosen={chosenIn(search.value)} />}
      <FilterChips filters={filtersIn(search.value)} />
      <ErrorBox error={error} onRetry={reload} />
      {numbers ? (
        <div class={isOld ? 'board-numbers old' : 'board-numbers'} aria-busy={isOld}>
          <NumbersHead numbers={numbers} isOld={isOld} />
          <OverTime numbers={numbers} />
        </div>
      ) : (
        !error && <Skeleton height={396} />
      )}
      <Breakdowns view={view} numbers={numbers} isErrorShown={error !== null} />
      {scope.kind === 'link' && (
        <CorrectionsCard scope={scope} days={daysOf(view.plan.span)} isErrorShown={error !== null} />
      )}
    </div>
  );
}

/** The filters that are set; pressing one removes it. */
function FilterChips({ filters }: { filters: Filters }) {
  const active = dimensions.flatMap((dimension) => {
    const value = filters[dimension];
    return value === undefined ? [] : [{ dimension, value }];
  });
  if (active.length === 0) return null;
  return (
    <ul class="stats-filters" aria-label="Filters">
      {active.map(({ dimension, value }) => (
        <li key={dimension}>
          <FilterChip action="Remove this filter" onPress={() => toggleFilter(dimension, value)}>
            <span class="soft">{dimensionTexts[dimension].one}</span>
            <span class="cut" dir="auto">
              {nameOf(dimension, value)}
            </span>
          </FilterChip>
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

/** All breakdowns of the clicks; only those of uncounted hits if there was no click. */
function Breakdowns({ numbers, ...cardProps }: CardProps & { numbers: Numbers | undefined }) {
  const { view } = cardProps;
  const rules = view.scope.kind === 'link' ? view.scope.link.rules : noRules;
  const isFilteredNow = isFiltered(view.filters);
  const since = numbers === undefined ? null : keptSince(numbers.stats);
  const hasClicks = numbers === undefined || numbers.counted > 0 || isFilteredNow;
  return (
    <div class="breakdowns">
      {isFilteredNow && hasClicks && since !== null && !numbers?.stats.from_raw && (
        <p class="soft small breakdowns-note">
          With a filter, the numbers below are counted from individual clicks. Those from before {since} are
          no longer kept: they are missing there.
        </p>
      )}
      {hasClicks && (
        <>
          <Countries {...cardProps} />
          {cardsOf(view.scope).map(({ onlyWithValues, ...card }) => {
            const Card = onlyWithValues ? CardWithValues : BreakdownCard;
            return <Card key={card.title} {...card} {...cardProps} />;
          })}
          {rules.some(({ variants }) => variants) && <SplitCard view={view} rules={rules} />}
        </>
      )}
      <NotCounted {...cardProps} numbers={numbers} />
    </div>
  );
}
