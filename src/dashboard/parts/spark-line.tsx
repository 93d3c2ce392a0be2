import { counted } from '../format.ts';

const width = 112;
const height = 28;
const edge = 2;
/** The lowest value of the upper edge, so that a few clicks do not fill the full height. */
const lowestTop = 4;

/** Clicks of the last days as a line above zero. */
export function SparkLine({ days }: { days: readonly number[] }) {
  const top = Math.max(lowestTop, ...days);
  const step = (width - 2 * edge) / Math.max(1, days.length - 1);
  const points = days.map(
    (clicks, index) => [edge + index * step, height - edge - (clicks / top) * (height - 2 * edge)] as const,
  );
  const line = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  const total = days.reduce((sum, clicks) => sum + clicks, 0);
  const [lastX, lastY] = points.at(-1) ?? [edge, height - edge];
  return (
    <svg
      class="spark-line"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={`${counted(total, 'click')} in the last ${days.length} days`}
    >
      <line class="floor" x1={edge} x2={width - edge} y1={height - edge} y2={height - edge} />
      {total > 0 && (
        <>
          <polygon points={`${edge},${height - edge} ${line} ${width - edge},${height - edge}`} />
          <polyline points={line} />
          <circle cx={lastX} cy={lastY} r="2" />
        </>
      )}
    </svg>
  );
}
