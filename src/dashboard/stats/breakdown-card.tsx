import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { setTo } from '../handlers.ts';
import { usePrevious } from '../use-previous.ts';
import { useBreakdown } from './breakdown.ts';
import { BreakdownList } from './breakdown-list.tsx';
import { type Dimension, dimensionTexts } from './dimensions.ts';
import type { View } from './view.ts';
import { WorldMap } from './world-map.tsx';

export interface CardProps {
  readonly view: View;
  /** Whether the board already shows an error, once for all lists. */
  readonly isErrorShown: boolean;
}

interface FrameProps {
  readonly title: string;
  readonly class?: string;
  readonly segments?: ComponentChildren;
  readonly children: ComponentChildren;
}

export const CardFrame = ({ title, class: name = '', segments, children }: FrameProps) => (
  <section class={`panel stats-card ${name}`} aria-label={title}>
    <header>
      <h3>{title}</h3>
      {segments}
    </header>
    {children}
  </section>
);

interface BreakdownCardProps extends CardProps {
  readonly title: string;
  readonly dimensions: readonly [Dimension, ...Dimension[]];
}

/** Several dimensions, of which one is shown at a time. */
export function BreakdownCard({ title, dimensions, ...props }: BreakdownCardProps) {
  const shown = useSignal<Dimension>(dimensions[0]);
  return (
    <CardFrame
      title={title}
      segments={dimensions.length > 1 && <Segments dimensions={dimensions} shown={shown} />}
    >
      <BreakdownList key={shown.value} dimension={shown.value} {...props} />
    </CardFrame>
  );
}

/** A `BreakdownCard` that is shown only if a hit has a value of the first dimension. */
export function CardWithValues(props: BreakdownCardProps) {
  const { view, dimensions } = props;
  const [first] = dimensions;
  // Without filters, the hits are counted from the roll-ups.
  const { data } = useBreakdown({ ...view, filters: {} }, first);
  const hasValues = data.value?.values.some(({ value }) => value !== '');
  return hasValues || view.filters[first] !== undefined ? <BreakdownCard {...props} /> : null;
}

/** The map of clicks, and the same as a list. */
export function Countries(props: CardProps) {
  const { data } = usePrevious(useBreakdown(props.view, 'country'));
  return (
    <CardFrame title="Countries" class="countries">
      <div class="countries-body">
        <WorldMap values={data?.values ?? []} chosen={props.view.filters.country} />
        <BreakdownList dimension="country" {...props} />
      </div>
    </CardFrame>
  );
}

interface SegmentsProps {
  readonly dimensions: readonly Dimension[];
  readonly shown: Signal<Dimension>;
}

export function Segments({ dimensions, shown }: SegmentsProps) {
  return (
    <div class="segments">
      {dimensions.map((dimension) => (
        <button
          key={dimension}
          type="button"
          aria-pressed={dimension === shown.value}
          onClick={setTo(shown, dimension)}
        >
          {dimensionTexts[dimension].many.replace(/^UTM (.)/, (_, first: string) => first.toUpperCase())}
        </button>
      ))}
    </div>
  );
}
