import uPlot from 'uplot';
import { eachField } from '../../rules/click-fields.ts';
import { compact } from '../format.ts';
import { labelIndexes, type Mark, type Point, scaleFor } from './points.ts';

export interface ChartData {
  readonly points: readonly Point[];
  /** The name of the line of hits. */
  readonly name: string;
  /** The name of the line of visitors: a person who comes on several days counts as several daily visitors. */
  readonly visitorsName: 'Visitors' | 'Daily visitors';
  /** Whether the last point is still growing. */
  readonly isOngoing: boolean;
  readonly marks: readonly Mark[];
}

/** A mark, and where it is in the chart. */
export interface PlacedMark extends Mark {
  readonly x: number;
  readonly top: number;
  readonly height: number;
}

export interface Drawn {
  show(data: ChartData): void;
  destroy(): void;
}

/** The point under the pointer, and its position in the chart. */
export interface Hover {
  readonly index: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

const colourNames = ['accent', 'wash', 'quiet', 'line', 'words', 'ground'] as const;

/** A canvas has no CSS variables and no light-dark(), so the colours are read from elements that have them. */
const coloursOf = (host: HTMLElement) =>
  eachField(colourNames, (colourName) => {
    const probe = document.createElement('i');
    probe.className = 'chart-ink';
    probe.style.color = `var(--chart-${colourName})`;
    host.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  });

const roomForNames = 92;

export function draw(
  host: HTMLElement,
  first: ChartData,
  onHover: (hover: Hover | null) => void,
  onMarks: (marks: readonly PlacedMark[]) => void,
): Drawn {
  let data = first;
  let colours = coloursOf(host);
  const font = `12px ${getComputedStyle(host).fontFamily}`;
  const highest = () =>
    Math.max(0, ...data.points.map(({ hits, visitors }) => Math.max(hits, visitors ?? 0)));
  const scale = () => scaleFor(highest());
  const hitsLine = { stroke: () => colours.accent, fill: () => colours.wash, width: 2 };
  const plot = new uPlot(
    {
      width: Math.max(1, host.clientWidth),
      height: Math.max(1, host.clientHeight),
      padding: [12, roomForNames, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        drag: { x: false, y: false, setScale: false },
        points: {
          size: 8,
          width: 2,
          stroke: (_, series) => (series === 1 ? colours.quiet : colours.accent),
          fill: () => colours.ground,
        },
      },
      scales: {
        x: { time: false, range: () => [0, Math.max(1, data.points.length - 1)] },
        y: { range: () => [0, scale().at(-1) ?? 1] },
      },
      axes: [
        {
          font,
          stroke: () => colours.words,
          size: 30,
          gap: 8,
          grid: { show: false },
          ticks: { show: false },
          border: { show: true, stroke: () => colours.quiet, width: 1 },
          splits: (u) => [...labelIndexes(data.points, Math.min(8, u.width / 84))],
          values: (_, splits) => splits.map((index) => data.points[index]?.tick ?? ''),
        },
        {
          font,
          stroke: () => colours.words,
          size: (_, values) => 14 + Math.max(...(values ?? ['0']).map((text) => text.length)) * 7,
          gap: 8,
          grid: {
            stroke: () => colours.line,
            width: 1,
            // At zero is the border of the other axis.
            filter: (_, splits) => splits.map((value) => (value === 0 ? null : value)),
          },
          ticks: { show: false },
          splits: () => [...scale()],
          values: (_, splits) => splits.map(compact),
        },
      ],
      series: [
        {},
        { stroke: () => colours.quiet, width: 1.5, points: { show: false } },
        { ...hitsLine, points: { show: () => data.points.length === 1 } },
        { ...hitsLine, dash: [4, 4], points: { show: false } },
      ],
      hooks: {
        draw: [nameLines, placeMarks],
        setCursor: [reportHover],
      },
    },
    columns(),
    host,
  );

  function columns(): uPlot.AlignedData {
    const { points, isOngoing } = data;
    const last = points.length - 1;
    const isDashed = isOngoing && last > 0;
    return [
      points.map((_, index) => index),
      points.map(({ visitors }) => visitors),
      points.map(({ hits }, index) => (isDashed && index === last ? null : hits)),
      points.map(({ hits }, index) => (isDashed && index >= last - 1 ? hits : null)),
    ];
  }

  /** Writes the names beside the ends of the lines, apart from each other. */
  function nameLines(u: uPlot): void {
    const last = data.points.at(-1);
    if (!last) return;
    const { ctx, bbox } = u;
    const minDistance = 15 * uPlot.pxRatio;
    const at = (value: number) => u.valToPos(value, 'y', true);
    const names = [{ text: data.name, y: at(last.hits), colour: colours.accent }];
    if (last.visitors !== null)
      names.push({ text: data.visitorsName, y: at(last.visitors), colour: colours.words });
    const [main, quiet] = names;
    if (main && quiet && quiet.y - main.y < minDistance) {
      const middle = (main.y + quiet.y) / 2;
      main.y = Math.min(middle - minDistance / 2, bbox.top + bbox.height - minDistance);
      quiet.y = main.y + minDistance;
    }
    ctx.save();
    ctx.font = font.replace('12px', `${12 * uPlot.pxRatio}px`);
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'left';
    for (const { text, y, colour } of names) {
      ctx.fillStyle = colour;
      ctx.fillText(text, bbox.left + bbox.width + 8 * uPlot.pxRatio, y);
    }
    ctx.restore();
  }

  function placeMarks(u: uPlot): void {
    const { top, height, left } = u.bbox;
    onMarks(
      data.marks.map((mark) => ({
        ...mark,
        x: u.valToPos(mark.index, 'x') + left / uPlot.pxRatio,
        top: top / uPlot.pxRatio,
        height: height / uPlot.pxRatio,
      })),
    );
  }

  function reportHover(u: uPlot): void {
    const index = u.cursor.idx ?? -1;
    const point = data.points[index];
    if (!point || (u.cursor.left ?? -1) < 0) {
      onHover(null);
      return;
    }
    onHover({
      index,
      x: u.valToPos(index, 'x') + u.bbox.left / uPlot.pxRatio,
      y: u.valToPos(point.hits, 'y') + u.bbox.top / uPlot.pxRatio,
      width: u.width,
    });
  }

  const recolour = () => {
    colours = coloursOf(host);
    plot.redraw(false);
  };
  const resizeObserver = new ResizeObserver(() => {
    if (host.clientWidth > 0) plot.setSize({ width: host.clientWidth, height: host.clientHeight });
  });
  resizeObserver.observe(host);
  // Paper is light, whatever the theme.
  const schemes = ['(prefers-color-scheme: dark)', 'print'].map((query) => matchMedia(query));
  for (const scheme of schemes) scheme.addEventListener('change', recolour);
  const themeObserver = new MutationObserver(recolour);
  themeObserver.observe(document.documentElement, { attributeFilter: ['data-theme'] });

  return {
    show(next) {
      data = next;
      plot.setData(columns());
    },
    destroy() {
      resizeObserver.disconnect();
      themeObserver.disconnect();
      for (const scheme of schemes) scheme.removeEventListener('change', recolour);
      plot.destroy();
    },
  };
}
