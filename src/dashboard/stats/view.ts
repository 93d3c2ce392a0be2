import type { Stats } from '../api-types.ts';
import { instantOf, timezone } from '../format.ts';
import { setQuery } from '../router.ts';
import { chosenIn } from './chosen.ts';
import type { Dimension } from './dimensions.ts';
import { type Filters, filtersIn, selectsOtherHits, toggled } from './filters.ts';
import { planOf, type RangePlan, rangeIn } from './range.ts';
import { keyOf, loadStats, type Scope, type StatsQuery } from './scope.ts';

/** What a board shows, according to the page's address. */
export interface View {
  readonly scope: Scope;
  readonly plan: RangePlan;
  readonly filters: Filters;
}

export const viewOf = (scope: Scope, search: string): View => ({
  scope: scope.kind === 'all' ? { ...scope, chosen: chosenIn(search) } : scope,
  plan: planOf(rangeIn(search), Date.now()),
  filters: filtersIn(search),
});

export const statsQueryOf = ({ plan }: View, filters: Filters, dimension?: Dimension): StatsQuery => ({
  ...plan.span,
  timezone,
  ...filters,
  ...(dimension && { group_by: dimension }),
});

export const keyFor = ({ scope }: View, statsQuery: StatsQuery): string =>
  `stats ${keyOf(scope)} ${JSON.stringify([statsQuery, scope.kind === 'all' && scope.chosen])}`;

/** The numbers of a view, shown until those of the next one have loaded. */
export interface Numbers {
  readonly view: View;
  readonly stats: Stats;
  /** The clicks, or the hits where the filters select hits that aren't clicks. */
  readonly counted: number;
  readonly before: number | null;
}

const countedIn = (view: View, { totals }: Stats): number =>
  totals.clicks +
  (selectsOtherHits(view.filters)
    ? Object.values(totals.not_counted ?? {}).reduce((sum, hits) => sum + hits, 0)
    : 0);

/** Whether there is an earlier range to compare with: a link may be younger. */
const hasEarlierRange = ({ scope, plan }: View): boolean =>
  scope.kind === 'all' || instantOf(scope.link.created_at) < instantOf(plan.span.from);

export async function loadNumbers(view: View): Promise<Numbers> {
  const statsQuery = statsQueryOf(view, view.filters);
  const [stats, before] = await Promise.all([
    loadStats(view.scope, statsQuery),
    hasEarlierRange(view)
      ? loadStats(view.scope, { ...statsQuery, ...view.plan.before, interval: 'month' }).catch(() => null)
      : null,
  ]);
  return {
    view,
    stats,
    counted: countedIn(view, stats),
    before: before && !before.from_raw ? countedIn(view, before) : null,
  };
}

export const toggleFilter = (dimension: Dimension, value: string | null): void =>
  setQuery(toggled(filtersIn(location.search), dimension, value ?? ''));
