import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { number } from '../format.ts';
import { setTo, storeIn } from '../handlers.ts';
import type { ChartData, Drawn, Hover, PlacedMark } from './draw-chart.ts';

/** The line over time. Screen readers read only its title, as the table has the same numbers. */
export function Chart({ data, title }: { data: ChartData; title: string }) {
  const host = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn>(null);
  const latest = useRef(data);
  const hover = useSignal<Hover | null>(null);
  const marks = useSignal<readonly PlacedMark[]>([]);
  const hasFailed = useSignal(false);
  latest.current = data;
  useEffect(() => {
    let isUnmounted = false;
    import('./draw-chart.ts').then(
      ({ draw }) => {
        if (isUnmounted || !host.current) return;
        drawn.current = draw(host.current, latest.current, storeIn(hover), storeIn(marks));
      },
      setTo(hasFailed, true),
    );
    return () => {
      isUnmounted = true;
      drawn.current?.destroy();
      drawn.current = null;
    };
  }, []);
  useEffect(() => drawn.current?.show(data), [data]);
  if (hasFailed.value)
    return <p class="chart soft">The chart could not be loaded. The same numbers are in the table.</p>;
  return (
    <div class="chart-frame">
      <div class="chart" ref={host} role="img" aria-label={`Chart: ${title}`} />
      {marks.value.map(({ x, top, height, sentence }) => (
        <span
          key={sentence}
          class="chart-mark"
          style={{ left: `${x}px`, top: `${top}px`, height: `${height}px` }}
          title={sentence}
          aria-hidden="true"
        />
      ))}
      {hover.value && <Tip data={data} hover={hover.value} />}
    </div>
  );
}

/** The name of a line, after a number. */
const nounFor = (count: number, name: string): string =>
  count === 1 ? name.toLowerCase().replace(/s$/, '') : name.toLowerCase();

function Tip({ data, hover }: { data: ChartData; hover: Hover }) {
  const { points, name, visitorsName, isOngoing } = data;
  const point = points[hover.index];
  if (!point) return null;
  const isRight = hover.x > hover.width / 2;
  const isLast = hover.index === points.length - 1;
  return (
    <div
      class={isRight ? 'chart-tip right' : 'chart-tip'}
      style={{ left: `${hover.x}px`, top: `${Math.max(0, hover.y - 24)}px` }}
      aria-hidden="true"
    >
      <p class="soft">
        {point.name}
        {isLast && isOngoing ? ', so far' : ''}
      </p>
      <p class="strong">
        {number(point.hits)} {nounFor(point.hits, name)}
      </p>
      {point.visitors !== null && (
        <p>
          {number(point.visitors)} {nounFor(point.visitors, visitorsName)}
        </p>
      )}
      {point.notCounted !== null && point.notCounted > 0 && (
        <p class="soft">{number(point.notCounted)} not counted</p>
      )}
    </div>
  );
}
