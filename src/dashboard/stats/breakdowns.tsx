import { BreakdownCard, type CardProps, Countries } from './breakdown-card.tsx';
import { breakdownCards } from './dimensions.ts';
import { isFiltered } from './filters.ts';
import { NotCounted } from './not-counted.tsx';
import type { Numbers } from './view.ts';

/** All breakdowns of the clicks; only those of hits that are not counted where there was no click. */
export function Breakdowns({ numbers, ...cardProps }: CardProps & { numbers: Numbers | undefined }) {
  const { view } = cardProps;
  const isFilteredNow = isFiltered(view.filters);
  const hasClicks = numbers === undefined || numbers.counted > 0 || isFilteredNow;
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
