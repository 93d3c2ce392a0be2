import { useSignal } from '@preact/signals';
import { BreakdownList } from './breakdown-list.tsx';
import { type Dimension, dimensionTexts } from './dimensions.ts';
import type { View } from './view.ts';

/** Dimensions that belong together, one of them shown. */
export function BreakdownCard({
  title,
  dimensions,
  view,
  isQuiet,
}: {
  title: string;
  dimensions: readonly [Dimension, ...Dimension[]];
  view: View;
  isQuiet: boolean;
}) {
  const shown = useSignal<Dimension>(dimensions[0]);
  return (
    <section class="panel stats-card" aria-label={title}>
      <header>
        <h3>{title}</h3>
        {dimensions.length > 1 && (
          <Segments dimensions={dimensions} shown={shown.value} onShow={(next) => (shown.value = next)} />
        )}
      </header>
      <BreakdownList key={shown.value} view={view} dimension={shown.value} isQuiet={isQuiet} />
    </section>
  );
}

export function Segments({
  dimensions,
  shown,
  onShow,
}: {
  dimensions: readonly Dimension[];
  shown: Dimension;
  onShow: (dimension: Dimension) => void;
}) {
  return (
    <div class="segments">
      {dimensions.map((dimension) => (
        <button
          key={dimension}
          type="button"
          aria-pressed={dimension === shown}
          onClick={() => onShow(dimension)}
        >
          {dimensionTexts[dimension].many.replace(/^UTM (.)/, (_, first: string) => first.toUpperCase())}
        </button>
      ))}
    </div>
  );
}
