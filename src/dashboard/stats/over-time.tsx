import { useMemo } from 'preact/hooks';
import type { Stats } from '../api-types.ts';
import { day, number } from '../format.ts';
import { CopyButton } from '../parts/copy.tsx';
import { Empty } from '../parts/empty.tsx';
import { Switch } from '../parts/field.tsx';
import { queryWith } from '../query-string.ts';
import { search, setQuery } from '../router.ts';
import { readableUrl } from '../short-links.ts';
import { useShortcuts } from '../shortcuts.ts';
import { Chart } from './chart.tsx';
import { hasSelection } from './chosen.ts';
import type { ChartData } from './draw-chart.ts';
import { isFiltered, selectsOtherHits } from './filters.ts';
import { titleFor } from './numbers-head.tsx';
import { marksOf, pointsOf } from './points.ts';
import type { Numbers } from './view.ts';

const isTableRequested = (): boolean => new URLSearchParams(search.value).get('table') === '1';
const showTable = (isOn: boolean): void => setQuery({ table: isOn ? '1' : null });

/** The chart and its numbers as a table, which is only for screen readers unless it is switched on. */
export function OverTime({ numbers }: { numbers: Numbers }) {
  const { view, stats } = numbers;
  const countsOtherHits = selectsOtherHits(view.filters);
  const name = countsOtherHits ? 'Hits' : 'Clicks';
  const data = useMemo(
    (): ChartData => ({
      points: pointsOf(stats, countsOtherHits),
      name,
      visitorsName: stats.visitors_are === 'unique' ? 'Visitors' : 'Daily visitors',
      isOngoing: view.plan.isOngoing,
      marks: marksOf(stats),
    }),
    [stats, countsOtherHits],
  );
  useShortcuts([
    { key: 't', description: 'Show the chart as a table', act: () => showTable(!isTableRequested()) },
  ]);
  const title = titleFor(numbers);
  const table = <SeriesTable data={data} caption={title} />;
  const isTable = isTableRequested();
  return (
    <section class="over-time" aria-label={`${name} over time`}>
      {numbers.counted === 0 ? (
        <NoClicks numbers={numbers} />
      ) : (
        <>
          <div class="over-time-bar soft small">
            <Switch label="Show as table" isOn={isTable} onToggle={showTable} />
          </div>
          {!isTable && <Chart data={data} title={title} />}
          <RuleChanges stats={stats} />
          {isTable ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must be able to focus it
            <div class="table-frame" role="region" aria-label={`${name} over time as a table`} tabIndex={0}>
              {table}
            </div>
          ) : (
            <div class="unseen">{table}</div>
          )}
        </>
      )}
    </section>
  );
}

/** The chart's marks, in words. */
function RuleChanges({ stats }: { stats: Stats }) {
  if (stats.rule_changes.length === 0) return null;
  return (
    <ul class="rule-changes soft small">
      {stats.rule_changes.map(({ at, rule, sentence }) => (
        <li key={rule}>
          <time dateTime={at}>{day(at)}</time>: {sentence}
        </li>
      ))}
    </ul>
  );
}

function NoClicks({ numbers: { view } }: { numbers: Numbers }) {
  const { scope, filters } = view;
  if (isFiltered(filters))
    return (
      <Empty title="Nothing matches these filters">
        <p>Remove a filter above, or choose a longer period.</p>
      </Empty>
    );
  if (scope.kind === 'all' && hasSelection(scope.chosen ?? {}))
    return (
      <Empty title="These links had no clicks in this period">
        <p>Choose other links above, or a longer period.</p>
      </Empty>
    );
  if (scope.kind === 'link' && scope.link.clicks === 0)
    return (
      <Empty title="No clicks yet">
        <p>Share the short link. Every click shows up here, and under Visits as it happens.</p>
        <CopyButton text={readableUrl(scope.link)} what="link" />
      </Empty>
    );
  if (scope.kind === 'link' && scope.link.last_clicked_at === null)
    return (
      <Empty title="No clicks that are known by time">
        <p>All clicks of this link came while its statistics were turned off. Only their number is known.</p>
      </Empty>
    );
  return (
    <Empty title="No clicks in this period">
      {scope.kind === 'all' ? (
        <>
          <p>Share a short link, and watch: the live view shows a click within a second.</p>
          <a class="button" href={`/app/stats${queryWith(search.value, { view: 'live' })}`}>
            Show the live view
          </a>
        </>
      ) : (
        <p>Choose a longer period to see earlier clicks.</p>
      )}
    </Empty>
  );
}

/** The numbers that the chart draws. */
function SeriesTable({ data, caption }: { data: ChartData; caption: string }) {
  const { points, name, visitorsName } = data;
  const hasVisitors = points.some(({ visitors }) => visitors !== null);
  const hasOthers = points.some(({ notCounted }) => notCounted !== null);
  return (
    <table class="table series">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {[name, hasVisitors && visitorsName, hasOthers && 'Not counted'].map(
            (column) =>
              column && (
                <th key={column} scope="col" class="number">
                  {column}
                </th>
              ),
          )}
        </tr>
      </thead>
      <tbody>
        {points.toReversed().map((point) => (
          <tr key={point.name}>
            <th scope="row">{point.name}</th>
            <td class="number">{number(point.hits)}</td>
            {hasVisitors && <td class="number">{point.visitors === null ? '' : number(point.visitors)}</td>}
            {hasOthers && <td class="number">{point.notCounted === null ? '' : number(point.notCounted)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
