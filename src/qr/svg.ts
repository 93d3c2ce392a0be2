import { qrMatrix } from './matrix.ts';

/** The colours are `#RRGGBB`, checked where they were set. Dark modules are drawn as runs of one thick line. */
export function qrSvg(text: string, foreground: string, background: string): string {
  const matrix = qrMatrix(text);
  const size = matrix.length;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<path fill="${background}" d="M0 0h${size}v${size}H0z"/>` +
    `<path stroke="${foreground}" d="${matrix.map(rowPath).join('')}"/></svg>`
  );
}

function rowPath(row: readonly boolean[], y: number): string {
  let path = '';
  let drawnTo = -1;
  for (let x = 0; x < row.length; x++) {
    if (!row[x]) continue;
    const start = x;
    while (row[x + 1]) x++;
    path += drawnTo < 0 ? `M${start} ${y}.5` : `m${start - drawnTo} 0`;
    drawnTo = x + 1;
    path += `h${drawnTo - start}`;
  }
  return path;
}
