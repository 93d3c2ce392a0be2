import { useSignal } from '@preact/signals';
import { type Breakdown, ownLeftOut, useBreakdown } from './breakdown.ts';
import { Segments } from './breakdown-card.tsx';
import { BreakdownList } from './breakdown-list.tsx';
import type { Dimension } from './filters.ts';
import { notCountedSentences, type Uncounted, uncountedByReason } from './sentences.ts';
import type { View } from './view.ts';

/** What is kept beside the clicks, how much of it, and why. */
export function NotCounted({ view, isQuiet }: { view: View; isQuiet: boolean }) {
  const shown = useSignal<Dimension>('reason');
  const { data } = useBreakdown(view, 'reason').steady;
  const isNarrowed = Object.keys(ownLeftOut(view.filters, 'reason')).length > 0;
  const found = data && uncountedOf(data);
  const sentences = found ? notCountedSentences(found) : [];
  return (
    <section class="panel stats-card not-counted" aria-label="Not counted as clicks">
      <header>
        <h3>Not counted as clicks</h3>
        <Segments
          dimensions={['reason', 'class']}
          shown={shown.value}
          onShow={(next) => {
            shown.value = next;
          }}
        />
      </header>
      <div class="not-counted-body">
        <div class="not-counted-words">
          {data && sentences.length === 0 && <p>Every hit was a click: nothing was left out.</p>}
          {sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {isNarrowed && data && (
            <p class="soft small">With the filter that is set, and from the raw hits that are still kept.</p>
          )}
        </div>
        <BreakdownList key={shown.value} view={view} dimension={shown.value} isQuiet={isQuiet} />
      </div>
    </section>
  );
}

function uncountedOf({ dimension, values }: Breakdown): Uncounted {
  return uncountedByReason(
    values.map(({ value, hits }) => ({ value, clicks: 0, not_counted: dimension === 'reason' ? hits : 0 })),
  );
}
