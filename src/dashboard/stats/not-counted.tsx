import { useSignal } from '@preact/signals';
import { ownLeftOut, useBreakdown } from './breakdown.ts';
import { Segments } from './breakdown-card.tsx';
import { BreakdownList } from './breakdown-list.tsx';
import type { Dimension } from './dimensions.ts';
import { isFiltered } from './filters.ts';
import { notCountedSentences, uncountedByReason } from './sentences.ts';
import type { Numbers, View } from './view.ts';

/** What is kept beside the clicks, how much of it, and why. */
export function NotCounted({
  view,
  numbers,
  isQuiet,
}: {
  view: View;
  numbers: Numbers | undefined;
  isQuiet: boolean;
}) {
  const shown = useSignal<Dimension>('reason');
  const { data } = useBreakdown(view, 'reason').shown;
  const isNarrowed = isFiltered(ownLeftOut(view.filters, 'reason'));
  const whole = numbers && !isFiltered(numbers.view.filters) ? numbers.stats.totals.not_counted : null;
  const found =
    whole ??
    (data &&
      uncountedByReason(data.values.map(({ value, hits }) => ({ value, clicks: 0, not_counted: hits }))));
  const sentences = found ? notCountedSentences(found) : [];
  const isNothing = data?.values.length === 0;
  return (
    <section class="panel stats-card not-counted" aria-label="Not counted as clicks">
      <header>
        <h3>Not counted as clicks</h3>
        {!isNothing && (
          <Segments
            dimensions={['reason', 'class']}
            shown={shown.value}
            onShow={(next) => {
              shown.value = next;
            }}
          />
        )}
      </header>
      <div class="not-counted-body">
        <div class="not-counted-words">
          {isNothing && (
            <p class="soft">
              No previews, bots, prefetches or repeats {isNarrowed ? 'fit the filter' : 'came'}.
            </p>
          )}
          {sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {isNarrowed && data && !isNothing && (
            <p class="soft small">With the filter that is set, and from the raw hits that are still kept.</p>
          )}
        </div>
        {!isNothing && (
          <BreakdownList key={shown.value} view={view} dimension={shown.value} isQuiet={isQuiet} />
        )}
      </div>
    </section>
  );
}
