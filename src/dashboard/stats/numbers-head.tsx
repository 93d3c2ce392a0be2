import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { counted, timezone } from '../format.ts';
import { isFiltered, selectsOtherHits } from './filters.ts';
import { keptSince, titleOf } from './sentences.ts';
import type { Numbers } from './view.ts';

export const titleFor = ({ view, counted: hits, before }: Numbers): string =>
  titleOf(hits, before, view.plan, selectsOtherHits(view.filters) ? 'hit' : 'click');

/** The chart's numbers as a sentence, and how they were counted. */
export function NumbersHead({ numbers, isOld }: { numbers: Numbers; isOld: boolean }) {
  const title = titleFor(numbers);
  const { view, stats } = numbers;
  const since = keptSince(stats);
  const chosen = view.scope.kind === 'all' && view.scope.chosen;
  const queryKey = JSON.stringify([view.plan.during, view.filters, chosen]);
  const announced = useSignal('');
  const announcedKey = useSignal(queryKey);
  // Screen readers announce only the numbers of another view, not growing numbers of the same one.
  useEffect(() => {
    if (isOld || announcedKey.value === queryKey) return;
    announcedKey.value = queryKey;
    announced.value = title;
  }, [queryKey, isOld]);
  return (
    <header class="board-head">
      <h2 class="board-title">{title}</h2>
      <p class="soft">
        {visitorsSentence(numbers)} Times are those of {timezone}.
        {stats.from_raw &&
          since !== null &&
          ` Several filters together are counted from individual clicks, and those from before ${since} are no longer kept: they are missing here.`}
      </p>
      <p class="unseen" role="status">
        {announced.value}
      </p>
    </header>
  );
}

function visitorsSentence(numbers: Numbers): string {
  const { view, stats } = numbers;
  const { visitors } = stats.totals;
  if (numbers.counted === 0) return '';
  if (visitors !== null) {
    if (stats.visitors_are === 'per_link')
      return `${counted(visitors, 'daily visitor')}, counted for each of these links: a visitor of two of them counts twice.`;
    return stats.visitors_are === 'unique'
      ? `${counted(visitors, 'visitor')}, each counted once.`
      : `${counted(visitors, 'daily visitor')}: each counts once a day (UTC), in the hour of the first click.`;
  }
  return isFiltered(view.filters)
    ? 'Visitors are only known for all clicks together, not with a filter.'
    : 'Visitors are not known here.';
}
