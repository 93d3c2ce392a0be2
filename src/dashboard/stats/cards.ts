import type { Link } from '../api-types.ts';
import { setup } from '../session.ts';
import type { Dimension } from './dimensions.ts';
import type { Scope } from './scope.ts';

interface Card {
  readonly title: string;
  readonly dimensions: readonly [Dimension, ...Dimension[]];
  /** No new hit can have a value: shown only if an earlier one has. */
  readonly onlyWithValues?: boolean;
}

/** The cards of a board and their dimensions. Countries have a card of their own, with the map. */
export function cardsOf(scope: Scope): readonly Card[] {
  const link = scope.kind === 'link' ? scope.link : null;
  return [
    placeCard(),
    ...(link ? [addressCard(link)] : []),
    { title: 'Where from', dimensions: ['referrer', 'source'] },
    {
      title: 'Campaigns',
      dimensions: ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'],
    },
    { title: 'Devices', dimensions: ['device', 'os', 'browser'] },
    { title: 'Languages and destinations', dimensions: ['language', 'destination'] },
    ...(link ? [ruleCard(link)] : []),
  ];
}

/** By what the country file contains. */
function placeCard(): Card {
  const title = 'Regions and cities';
  const hasCities = setup.value?.cities_known ?? false;
  const hasRegions = setup.value?.regions_known ?? false;
  if (hasCities === hasRegions) return { title, dimensions: ['city', 'region'], onlyWithValues: !hasCities };
  return { title, dimensions: [hasCities ? 'city' : 'region'] };
}

const addressCard = ({ aliases }: Link): Card => ({
  title: 'Addresses',
  dimensions: ['address'],
  onlyWithValues: aliases.length === 0,
});

const ruleCard = ({ rules }: Link): Card => ({
  title: 'Rules',
  dimensions: ['rule', 'variant'],
  onlyWithValues: rules.length === 0,
});
