import { Icon } from '../parts/icons.tsx';
import { Menu, MenuItem } from '../parts/menu.tsx';
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
      <MenuItem label="Clicks over time" disabled={!numbers} onClick={() => numbers && saveSeries(numbers)} />
      <a href={hitsAddress(scope, 'all', plan.span)} download>
        Every hit
      </a>
      <hr />
      {exported.map((dimension) => (
        <MenuItem
          key={dimension}
          label={dimension === 'reason' ? 'Not counted, by reason' : dimensionTexts[dimension].many}
          onClick={() => void saveDimension(view, dimension)}
        />
      ))}
    </Menu>
  );
}
