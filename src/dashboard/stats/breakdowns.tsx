import { BreakdownCard } from './breakdown-card.tsx';
import { Countries } from './countries.tsx';
import { breakdownCards } from './dimensions.ts';
import { isFiltered } from './filters.ts';
import { NotCounted } from './not-counted.tsx';
import type { Numbers, View } from './view.ts';

/** All breakdowns of the clicks; none where there was no click. */
export function Breakdowns({
  view,
  numbers,
  isQuiet,
}: {
  view: View;
  numbers: Numbers | undefined;
  isQuiet: boolean;
}) {
  const isFilteredNow = isFiltered(view.filters);
  const hasClicks = numbers === undefined || numbers.counted > 0 || isFilteredNow;
  const cardProps = { view, isQuiet };
  return (
    <div class="breakdowns">
      {isFilteredNow && hasClicks && !numbers?.stats.from_raw && (
        <p class="soft small breakdowns-note">
          With a filter, what stands below is counted from raw hits, which are kept for a limited time. What
          is older is missing there.
        </p>
      )}
      {hasClicks && (
        <>
          <Countries {...cardProps} />
          {breakdownCards.map((card) => (
            <BreakdownCard key={card.title} {...card} {...cardProps} />
          ))}
        </>
      )}
      <NotCounted {...cardProps} numbers={numbers} />
    </div>
  );
}
