import { useSignal } from '@preact/signals';
import type { Breakdown } from './breakdown.ts';
import { BreakdownList } from './breakdown-list.tsx';
import type { View } from './view.ts';
import { WorldMap } from './world-map.tsx';

/** Where clicks came from: the map, and beside it the same as a list. */
export function Countries({ view, isQuiet }: { view: View; isQuiet: boolean }) {
  const found = useSignal<Breakdown | undefined>(undefined);
  return (
    <section class="panel stats-card countries" aria-label="Countries">
      <header>
        <h3>Countries</h3>
      </header>
      <div class="countries-body">
        <WorldMap values={found.value?.values ?? []} chosen={view.filters.country} />
        <BreakdownList
          view={view}
          dimension="country"
          isQuiet={isQuiet}
          onFound={(next) => {
            found.value = next;
          }}
        />
      </div>
    </section>
  );
}
