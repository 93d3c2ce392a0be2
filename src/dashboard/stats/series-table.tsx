import { number } from '../words.ts';
import type { Point } from './points.ts';

/** The numbers that the chart draws. */
export function SeriesTable({
  points,
  name,
  caption,
}: {
  points: readonly Point[];
  name: string;
  caption: string;
}) {
  const hasVisitors = points.some(({ visitors }) => visitors !== null);
  const hasOthers = points.some(({ notCounted }) => notCounted !== null);
  return (
    <table class="table series">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col" class="number">
            {name}
          </th>
          {hasVisitors && (
            <th scope="col" class="number">
              Visitors
            </th>
          )}
          {hasOthers && (
            <th scope="col" class="number">
              Not counted
            </th>
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
