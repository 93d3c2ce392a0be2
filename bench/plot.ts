import { escapeHtml } from '../src/http/html.ts';

export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  /** Drawn in the colour that says: this is the one. */
  readonly isOurs?: boolean;
}

export interface Plot {
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
  /** A value to hold the bars against, and what it is. */
  readonly line?: { readonly value: number; readonly name: string };
}

const width = 720;
const nameWidth = 210;
const rowHeight = 34;
const top = 56;
const style = `
text{font:13px system-ui,sans-serif;fill:#1f1a17}.title{font-weight:600;font-size:15px}.soft{fill:#6b625b}
.bar{fill:#c9c2ba}.ours{fill:#b3203a}.range{stroke:#1f1a17;stroke-width:1.5}.line{stroke:#6b625b;stroke-dasharray:3 3}
@media(prefers-color-scheme:dark){text{fill:#efe9e3}.soft{fill:#a89e95}.bar{fill:#5a524b}.ours{fill:#f0718a}.range{stroke:#efe9e3}.line{stroke:#a89e95}}`;

const digits = (value: number): string => value.toLocaleString('en-US', { maximumSignificantDigits: 3 });

/** Bars with their ranges, as SVG that reads well on light and dark ground. */
export function barPlot({ title, unit, bars, line }: Plot): string {
  const most = Math.max(...bars.map((bar) => bar.most), line?.value ?? 0) * 1.02;
  const room = width - nameWidth - 84;
  const x = (value: number) => Math.round((nameWidth + (value / most) * room) * 10) / 10;
  const height = top + bars.length * rowHeight + 12;
  const rows = bars.map(({ name, value, least, most: highest, isOurs }, index) => {
    const y = top + index * rowHeight;
    const middle = y + 10;
    return [
      `<text x="${nameWidth - 12}" y="${middle + 4.5}" text-anchor="end">${escapeHtml(name)}</text>`,
      `<rect class="${isOurs ? 'ours' : 'bar'}" x="${nameWidth}" y="${y}" width="${x(value) - nameWidth}" height="20" rx="2"/>`,
      `<path class="range" d="M${x(least)} ${middle}H${x(highest)}M${x(least)} ${middle - 4}v8M${x(highest)} ${middle - 4}v8"/>`,
      `<text class="soft" x="${x(highest) + 10}" y="${middle + 4.5}">${digits(value)}</text>`,
    ].join('');
  });
  const mark =
    line === undefined
      ? ''
      : `<path class="line" d="M${x(line.value)} ${top - 8}V${height - 8}"/><text class="soft" x="${x(line.value) + 5}" y="${top - 8}">${escapeHtml(line.name)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeHtml(`${title}, ${unit}`)}"><style>${style.replaceAll('\n', '')}</style><text class="title" x="0" y="20">${escapeHtml(title)}</text><text class="soft" x="0" y="38">${escapeHtml(unit)}</text>${rows.join('')}${mark}</svg>\n`;
}
