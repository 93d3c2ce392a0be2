import { BreakdownCard } from './breakdown-card.tsx';
import { Countries } from './countries.tsx';
import { isFiltered } from './filters.ts';
import { NotCounted } from './not-counted.tsx';
import type { Numbers, View } from './view.ts';

/** Who, where from, and what with; nothing of it where there was no click to tell of. */
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
          <BreakdownCard title="Where from" dimensions={['referrer', 'source']} {...cardProps} />
          <BreakdownCard
            title="Campaigns"
            dimensions={['utm_source', 'utm_medium', 'utm_campaign']}
            {...cardProps}
          />
          <BreakdownCard title="Devices" dimensions={['device', 'os', 'browser']} {...cardProps} />
          <BreakdownCard
            title="Languages and destinations"
            dimensions={['language', 'destination']}
            {...cardProps}
          />
        </>
      )}
      <NotCounted {...cardProps} numbers={numbers} />
    </div>
  );
}
