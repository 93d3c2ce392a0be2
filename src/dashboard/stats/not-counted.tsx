import { useSignal } from '@preact/signals';
import { CountFloods } from '../corrections/count-floods.tsx';
import { counted } from '../format.ts';
import { usePrevious } from '../use-previous.ts';
import { useBreakdown, withoutOwnFilter } from './breakdown.ts';
import { CardFrame, type CardProps, Segments } from './breakdown-card.tsx';
import { BreakdownList } from './breakdown-list.tsx';
import type { Dimension } from './dimensions.ts';
import { isFiltered } from './filters.ts';
import { notCountedSentences, reclassifiedIn, uncountedByReason } from './sentences.ts';
import type { Numbers } from './view.ts';

/** The hits that aren't clicks: how many, and why. */
export function NotCounted({ view, numbers, isErrorShown }: CardProps & { numbers: Numbers | undefined }) {
  const { scope, plan } = view;
  const shown = useSignal<Dimension>('reason');
  const { data } = usePrevious(useBreakdown(view, 'reason'));
  const isNarrowed = isFiltered(withoutOwnFilter(view.filters, 'reason'));
  const whole = numbers && !isFiltered(numbers.view.filters) ? numbers.stats.totals.not_counted : null;
  const groups = data?.values.map(({ value, hits }) => ({ value, clicks: 0, not_counted: hits }));
  const found = whole ?? (groups && uncountedByReason(groups));
  const reclassifiedHits = whole || !groups ? 0 : reclassifiedIn(groups);
  const sentences = [
    ...(found ? notCountedSentences(found) : []),
    ...(reclassifiedHits > 0
      ? [
          `${counted(reclassifiedHits, 'hit is no click', 'hits are no clicks')} because a person reclassified them.`,
        ]
      : []),
  ];
  const isNothing = data?.values.length === 0;
  return (
    <CardFrame
      title="Not counted as clicks"
      class="not-counted"
      segments={!isNothing && <Segments dimensions={['reason', 'class']} shown={shown} />}
    >
      <div class="not-counted-body">
        <div class="stack close not-counted-words">
          {isNothing && (
            <p class="soft">
              No previews, bots, prefetches or repeats {isNarrowed ? 'match the filter' : 'came'}.
            </p>
          )}
          {sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {whole && whole.flood > 0 && scope.kind === 'link' && (
            <CountFloods linkId={scope.link.id} span={plan.span} />
          )}
          {isNarrowed && data && !isNothing && (
            <p class="soft small">With the current filter, and from the raw hits that are still kept.</p>
          )}
        </div>
        {!isNothing && (
          <BreakdownList key={shown.value} view={view} dimension={shown.value} isErrorShown={isErrorShown} />
        )}
      </div>
    </CardFrame>
  );
}
