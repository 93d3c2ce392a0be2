import { number } from '../words.ts';
import type { Point } from './points.ts';

interface SeriesTableProps {
  readonly points: readonly Point[];
  readonly name: string;
  readonly caption: string;
}

/** The numbers that the chart draws. */
export function SeriesTable({ points, name, caption }: SeriesTableProps) {
  const hasVisitors = points.some(({ visitors }) => visitors !== null);
  const hasOthers = points.some(({ notCounted }) => notCounted !== null);
  return (
    <table class="table series">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {[name, hasVisitors && 'Visitors', hasOthers && 'Not counted'].map(
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
