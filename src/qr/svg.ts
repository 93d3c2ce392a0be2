import { qrMatrix } from './matrix.ts';

/** The colours are `#RRGGBB`, checked where they were set. Dark modules are drawn as runs of one thick line. */
export function qrSvg(text: string, foreground: string, background: string): string {
  const matrix = qrMatrix(text);
  const size = matrix.length;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<path fill="${background}" d="M0 0h${size}v${size}H0z"/>` +
    `<path stroke="${foreground}" d="${pathOf(matrix)}"/></svg>`
  );
}

const sign = (text: string): number => text.charCodeAt(0);
const [moveTo, moveBy, line, space, point, zero, five] = [...'Mmh .05'].map(sign) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];

/** The longest run is `m123 0h123`; between two runs there is a light module. */
const roomFor = (size: number): number => size * (size / 2 + 1) * 10;
let room = new Uint8Array(0);
const decoder = new TextDecoder();

/** Byte by byte, into one buffer: putting a path together from hundreds of small texts cost twice as much as its code. */
function pathOf(matrix: readonly (readonly boolean[])[]): string {
  const size = matrix.length;
  if (room.length < roomFor(size)) room = new Uint8Array(roomFor(size));
  let at = 0;
  for (const [y, row] of matrix.entries()) {
    let drawnTo = -1;
    for (let x = 0; x < size; x++) {
      if (!row[x]) continue;
      const start = x;
      while (row[x + 1]) x++;
      if (drawnTo < 0) {
        room[at++] = moveTo;
        at = write(start, at);
        room[at++] = space;
        at = write(y, at);
        room[at++] = point;
        room[at++] = five;
      } else {
        room[at++] = moveBy;
        at = write(start - drawnTo, at);
        room[at++] = space;
        room[at++] = zero;
      }
      drawnTo = x + 1;
      room[at++] = line;
      at = write(drawnTo - start, at);
    }
  }
  return decoder.decode(room.subarray(0, at));
}

/** A number below a thousand, in digits; returns where it ends. */
function write(number: number, at: number): number {
  let end = at;
  if (number >= 100) room[end++] = zero + Math.floor(number / 100);
  if (number >= 10) room[end++] = zero + (Math.floor(number / 10) % 10);
  room[end++] = zero + (number % 10);
  return end;
}
