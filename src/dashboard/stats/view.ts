import type { Stats } from '../api-types.ts';
import { navigate } from '../router.ts';
import { instantOf, timezone } from '../words.ts';
import type { Dimension } from './dimensions.ts';
import { type Filters, filtersIn, isAside, queryWith, toggled } from './filters.ts';
import { planOf, type RangePlan, rangeIn } from './range.ts';
import { ask, keyOf, type Question, type Scope } from './scope.ts';

/** What a board shows, all of it from the page's address. */
export interface View {
  readonly scope: Scope;
  readonly plan: RangePlan;
  readonly filters: Filters;
}

export const viewOf = (scope: Scope, search: string): View => ({
  scope,
  plan: planOf(rangeIn(search), Date.now()),
  filters: filtersIn(search),
});

export const questionOf = ({ plan }: View, filters: Filters, dimension?: Dimension): Question => ({
  ...plan.span,
  timezone,
  ...filters,
  ...(dimension && { group_by: dimension }),
});

export const keyFor = ({ scope }: View, question: Question): string =>
  `stats ${keyOf(scope)} ${JSON.stringify(question)}`;

/** The numbers of a view, shown until those of the next one have loaded. */
export interface Numbers {
  readonly view: View;
  readonly stats: Stats;
  /** What is counted: clicks, or hits where the filter asks for what are none. */
  readonly counted: number;
  readonly before: number | null;
}

const countedIn = (view: View, { totals }: Stats): number =>
  totals.clicks +
  (isAside(view.filters) ? Object.values(totals.not_counted ?? {}).reduce((sum, hits) => sum + hits, 0) : 0);

/** A link that wasn't there then has nothing to be compared with. */
const isOlder = ({ scope, plan }: View): boolean =>
  scope.kind === 'all' || instantOf(scope.link.created_at) < instantOf(plan.span.from);

export async function askNumbers(view: View): Promise<Numbers> {
  const question = questionOf(view, view.filters);
  const [stats, before] = await Promise.all([
    ask(view.scope, question),
    isOlder(view)
      ? ask(view.scope, { ...question, ...view.plan.before, interval: 'month' }).catch(() => null)
      : null,
  ]);
  return {
    view,
    stats,
    counted: countedIn(view, stats),
    before: before && !before.from_raw ? countedIn(view, before) : null,
  };
}

/** Changes the address in place: what is looked at changes, the page doesn't. */
export function look(changes: Readonly<Record<string, string | null>>): void {
  navigate(location.pathname + queryWith(location.search, changes), { replace: true, anyway: true });
}

export const toggleFilter = (dimension: Dimension, value: string | null): void =>
  look(toggled(filtersIn(location.search), dimension, value ?? ''));
