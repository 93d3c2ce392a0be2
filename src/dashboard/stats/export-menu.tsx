import { Icon } from '../parts/icons.tsx';
import { Menu, MenuItem } from '../parts/menu.tsx';
import { cardsOf } from './cards.ts';
import { type Dimension, dimensions, dimensionTexts } from './dimensions.ts';
import { hitsAddress, saveDimension, saveSeries } from './export.ts';
import type { Scope } from './scope.ts';
import type { Numbers, View } from './view.ts';

/** The dimensions of a board's cards, those of each card in the order of the filters. */
const exportedOf = (scope: Scope): readonly Dimension[] => [
  'country',
  ...cardsOf(scope)
    .filter(({ onlyWithValues }) => !onlyWithValues)
    .flatMap((card) => dimensions.filter((name) => card.dimensions.includes(name))),
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
      {exportedOf(scope).map((dimension) => (
        <MenuItem
          key={dimension}
          label={dimension === 'reason' ? 'Not counted, by reason' : dimensionTexts[dimension].many}
          onClick={() => void saveDimension(view, dimension)}
        />
      ))}
    </Menu>
  );
}
