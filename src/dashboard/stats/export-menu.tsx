import { Icon } from '../parts/icons.tsx';
import { Menu, MenuItem } from '../parts/menu.tsx';
import { setup } from '../session.ts';
import { addressCard, breakdownCards, type Dimension, dimensionTexts, ruleCard } from './dimensions.ts';
import { hitsAddress, saveDimension, saveSeries } from './export.ts';
import type { Scope } from './scope.ts';
import type { Numbers, View } from './view.ts';

/** The dimensions of the cards that a board has now. */
function exportedOf(scope: Scope): readonly Dimension[] {
  const link = scope.kind === 'link' ? scope.link : null;
  const cards = [
    ...(link !== null && link.aliases.length > 0 ? [addressCard] : []),
    ...breakdownCards,
    ...(link !== null && link.rules.length > 0 ? [ruleCard] : []),
  ];
  return [
    'country',
    ...(setup.value?.regions_known ? (['region'] as const) : []),
    ...(setup.value?.cities_known ? (['city'] as const) : []),
    ...cards.flatMap(({ dimensions }) => dimensions),
    'reason',
  ];
}

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
