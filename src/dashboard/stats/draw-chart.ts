import uPlot from 'uplot';
import { compact } from '../format.ts';
import { labelIndexes, type Mark, type Point, scaleFor } from './points.ts';

export interface ChartData {
  readonly points: readonly Point[];
  /** The name of the strong line. */
  readonly name: string;
  /** That of the quiet line: a person who comes on several days counts as several daily visitors. */
  readonly visitorsName: 'Visitors' | 'Daily visitors';
  /** Whether the last point is still growing. */
  readonly isGoingOn: boolean;
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
  end(): void;
}

/** The point under the pointer, and its position in the chart. */
export interface Hover {
  readonly index: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

const inks = ['accent', 'wash', 'quiet', 'line', 'zero', 'words', 'ground'] as const;
type Inks = Readonly<Record<(typeof inks)[number], string>>;

/** A canvas has no CSS variables and no light-dark(), so the colours are read from elements that the stylesheet colours. */
function inksOf(host: HTMLElement): Inks {
  const read = (ink: string) => {
    const probe = document.createElement('i');
    probe.className = `chart-ink ${ink}`;
    host.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  return Object.fromEntries(inks.map((ink) => [ink, read(ink)])) as Record<(typeof inks)[number], string>;
}

const roomForNames = 92;

export function draw(
  host: HTMLElement,
  first: ChartData,
  onHover: (hover: Hover | null) => void,
  onMarks: (marks: readonly PlacedMark[]) => void,
): Drawn {
  let data = first;
  let ink = inksOf(host);
  const font = `12px ${getComputedStyle(host).fontFamily}`;
  const highest = () =>
    Math.max(0, ...data.points.map(({ hits, visitors }) => Math.max(hits, visitors ?? 0)));
  const scale = () => scaleFor(highest());
  const plot = new uPlot(
    {
      width: Math.max(1, host.clientWidth),
      height: Math.max(1, host.clientHeight),
      padding: [12, roomForNames, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        drag: { x: false, y: false, setScale: false },
        points: { size: 8, width: 2, stroke: (u, series) => strokeAt(u, series), fill: () => ink.ground },
      },
      scales: {
        x: { time: false, range: () => [0, Math.max(1, data.points.length - 1)] },
        y: { range: () => [0, scale().at(-1) ?? 1] },
      },
      axes: [
        {
          font,
          stroke: () => ink.words,
          size: 30,
          gap: 8,
          grid: { show: false },
          ticks: { show: false },
          splits: (u) => [...labelIndexes(data.points, Math.min(8, u.width / 84))],
          values: (_, splits) => splits.map((index) => data.points[index]?.tick ?? ''),
        },
        {
          font,
          stroke: () => ink.words,
          size: (_, values) => 14 + Math.max(...(values ?? ['0']).map((text) => text.length)) * 7,
          gap: 8,
          grid: { stroke: () => ink.line, width: 1 },
          ticks: { show: false },
          splits: () => [...scale()],
          values: (_, splits) => splits.map(compact),
        },
      ],
      series: [
        {},
        { stroke: () => ink.quiet, width: 1.5, points: { show: false } },
        { stroke: () => ink.accent, fill: () => ink.wash, width: 2, points: { show: isAlone } },
        { stroke: () => ink.accent, fill: () => ink.wash, width: 2, dash: [4, 4], points: { show: false } },
      ],
      hooks: {
        drawAxes: [zeroLine],
        draw: [nameLines, placeMarks],
        setCursor: [reportHover],
      },
    },
    columns(),
    host,
  );

  function columns(): uPlot.AlignedData {
    const { points, isGoingOn } = data;
    const last = points.length - 1;
    const isDashed = isGoingOn && last > 0;
    return [
      points.map((_, index) => index),
      points.map(({ visitors }) => visitors),
      points.map(({ hits }, index) => (isDashed && index === last ? null : hits)),
      points.map(({ hits }, index) => (isDashed && index >= last - 1 ? hits : null)),
    ];
  }

  function strokeAt(_: uPlot, series: number): string {
    return series === 1 ? ink.quiet : ink.accent;
  }

  function isAlone(): boolean {
    return data.points.length === 1;
  }

  function zeroLine(u: uPlot): void {
    const { ctx, bbox } = u;
    const y = Math.round(u.valToPos(0, 'y', true)) + 0.5;
    ctx.save();
    ctx.strokeStyle = ink.zero;
    ctx.lineWidth = uPlot.pxRatio;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  }

  /** Writes the names beside the ends of the lines, apart from each other. */
  function nameLines(u: uPlot): void {
    const last = data.points.at(-1);
    if (!last) return;
    const { ctx, bbox } = u;
    const apart = 15 * uPlot.pxRatio;
    const at = (value: number) => u.valToPos(value, 'y', true);
    const names = [{ text: data.name, y: at(last.hits), colour: ink.accent }];
    if (last.visitors !== null)
      names.push({ text: data.visitorsName, y: at(last.visitors), colour: ink.words });
    const [main, quiet] = names;
    if (main && quiet && quiet.y - main.y < apart) {
      const middle = (main.y + quiet.y) / 2;
      main.y = Math.min(middle - apart / 2, bbox.top + bbox.height - apart);
      quiet.y = main.y + apart;
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
    const index = u.cursor.idx;
    const point = index === null || index === undefined ? undefined : data.points[index];
    if (index === null || index === undefined || !point || (u.cursor.left ?? -1) < 0) {
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
    ink = inksOf(host);
    plot.redraw(false);
  };
  const resizing = new ResizeObserver(() => {
    if (host.clientWidth > 0) plot.setSize({ width: host.clientWidth, height: host.clientHeight });
  });
  resizing.observe(host);
  const darkness = matchMedia('(prefers-color-scheme: dark)');
  darkness.addEventListener('change', recolour);
  const choosing = new MutationObserver(recolour);
  choosing.observe(document.documentElement, { attributeFilter: ['data-theme'] });

  return {
    show(next) {
      data = next;
      plot.setData(columns());
    },
    end() {
      resizing.disconnect();
      choosing.disconnect();
      darkness.removeEventListener('change', recolour);
      plot.destroy();
    },
  };
}
