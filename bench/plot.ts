import { escapeHtml } from '../src/http/html.ts';

export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  /** Drawn in the highlight colour. */
  readonly isOurs?: boolean;
}

export interface Plot {
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
  /** A reference value, and its name. */
  readonly line?: { readonly value: number; readonly name: string };
}

const width = 720;
const nameWidth = 210;
const rowHeight = 34;
const top = 72;
const textColour = '#1f1a17';
const mutedColour = '#6b625b';
/** Colours for light backgrounds are attributes of the shapes, because not every viewer reads styles. */
const style =
  '@media(prefers-color-scheme:dark){text{fill:#efe9e3}.soft{fill:#a89e95}.bar{fill:#5a524b}.ours{fill:#f0718a}.range{stroke:#efe9e3}.line{stroke:#a89e95}}';

const digits = (value: number): string => value.toLocaleString('en-US', { maximumSignificantDigits: 3 });

/** Bars with their ranges, as SVG for light and dark backgrounds. */
export function barPlot({ title, unit, bars, line }: Plot): string {
  const maximum = Math.max(...bars.map((bar) => bar.most), line?.value ?? 0) * 1.02;
  const plotWidth = width - nameWidth - 84;
  const x = (value: number) => Math.round((nameWidth + (value / maximum) * plotWidth) * 10) / 10;
  const height = top + bars.length * rowHeight + 12;
  const rows = bars.map(({ name, value, least, most: highest, isOurs }, index) => {
    const y = top + index * rowHeight;
    const middle = y + 10;
    return [
      `<text x="${nameWidth - 12}" y="${middle + 4.5}" text-anchor="end" fill="${textColour}">${escapeHtml(name)}</text>`,
      `<rect class="${isOurs ? 'ours' : 'bar'}" fill="${isOurs ? '#b3203a' : '#c9c2ba'}" x="${nameWidth}" y="${y}" width="${x(value) - nameWidth}" height="20" rx="2"/>`,
      `<path class="range" stroke="${textColour}" stroke-width="1.5" fill="none" d="M${x(least)} ${middle}H${x(highest)}M${x(least)} ${middle - 4}v8M${x(highest)} ${middle - 4}v8"/>`,
      `<text class="soft" fill="${mutedColour}" x="${x(highest) + 10}" y="${middle + 4.5}">${digits(value)}</text>`,
    ].join('');
  });
  const referenceLine =
    line === undefined
      ? ''
      : `<path class="line" stroke="${mutedColour}" stroke-dasharray="3 3" d="M${x(line.value)} ${top - 8}V${height - 8}"/><text class="soft" fill="${mutedColour}" x="${x(line.value) + 5}" y="${top - 8}">${escapeHtml(line.name)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeHtml(`${title}, ${unit}`)}" font-family="system-ui, sans-serif" font-size="13"><style>${style}</style><text x="0" y="20" font-size="15" font-weight="600" fill="${textColour}">${escapeHtml(title)}</text><text class="soft" fill="${mutedColour}" x="0" y="40">${escapeHtml(unit)}</text>${rows.join('')}${referenceLine}</svg>\n`;
}
