import { type Cell, csvLine } from '../../rules/csv.ts';
import { dayOf } from '../format.ts';
import { notifyError } from '../notices.ts';
import { saveFile } from '../save-file.ts';
import { type Breakdown, breakdownOf } from './breakdown.ts';
import type { Dimension } from './dimensions.ts';
import { selectsOtherHits } from './filters.ts';
import { instantsOf, type Period } from './range.ts';
import { keyOf, loadStats, type Scope } from './scope.ts';
import type { ShownClass } from './shown-class.ts';
import { type Numbers, statsQueryOf, type View } from './view.ts';

function saveCsv(what: string, names: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const file = new Blob([[names, ...rows].map(csvLine).join('')], { type: 'text/csv;charset=utf-8' });
  saveFile(file, `linnet-${what}-${dayOf(new Date())}.csv`);
}

export function saveSeries({ stats, view }: Numbers): void {
  const visitors = stats.visitors_are === 'unique' ? 'visitors' : 'daily_visitors';
  const rows = stats.series.map((point) => [point.start, point.clicks, point.visitors, point.not_counted]);
  const columns = ['start', 'clicks', visitors, 'not_counted'];
  saveCsv(`clicks-over-time-${keyOf(view.scope).replace(' ', '-')}`, columns, rows);
}

export function saveBreakdown({ dimension, values, other }: Breakdown): void {
  const rows = values.map(({ value, name, hits }) => [value, name, hits]);
  const withOther = other > 0 ? [...rows, [null, 'Other values', other]] : rows;
  saveCsv(dimension, [dimension, 'name', 'count'], withOther);
}

/** Saves a dimension's values with every filter that is set, including that of the dimension itself. */
export const saveDimension = (view: View, dimension: Dimension): Promise<void> =>
  loadStats(view.scope, statsQueryOf(view, view.filters, dimension))
    .then((stats) => saveBreakdown(breakdownOf(dimension, selectsOtherHits(view.filters), stats)))
    .catch((cause) => notifyError(cause));

/** The address of the API's export of raw hits. */
export function hitsAddress(scope: Scope, shown: ShownClass, span?: Period): string {
  const query = { class: shown, ...(span && instantsOf(span)) };
  return scope.kind === 'link'
    ? `/api/v1/link/${scope.link.id}/clicks.csv?${new URLSearchParams(query)}`
    : `/api/v1/clicks.csv?${new URLSearchParams({ ...query, ...scope.chosen })}`;
}
