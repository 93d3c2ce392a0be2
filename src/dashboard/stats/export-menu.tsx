import { Icon } from '../parts/icons.tsx';
import { Menu } from '../parts/menu.tsx';
import { breakdownCards, type Dimension, dimensionTexts } from './dimensions.ts';
import { hitsAddress, saveDimension, saveSeries } from './export.ts';
import type { Numbers, View } from './view.ts';

const exported: readonly Dimension[] = [
  'country',
  ...breakdownCards.flatMap(({ dimensions }) => dimensions),
  'reason',
];

/** Exports what the board shows as CSV. */
export function ExportMenu({ view, numbers }: { view: View; numbers: Numbers | undefined }) {
  const { scope, plan } = view;
  return (
    <Menu
      label="Export as CSV"
      class="button"
      button={
        <>
          <Icon name="download" />
          Export
        </>
      }
    >
      <button type="button" disabled={!numbers} onClick={() => numbers && saveSeries(numbers)}>
        Clicks over time
      </button>
      <a href={hitsAddress(scope, 'all', plan.span)} download>
        Every hit
      </a>
      <hr />
      {exported.map((dimension) => (
        <button key={dimension} type="button" onClick={() => void saveDimension(view, dimension)}>
          {dimension === 'reason' ? 'Not counted, by reason' : dimensionTexts[dimension].many}
        </button>
      ))}
    </Menu>
  );
}
