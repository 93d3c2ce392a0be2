import { type QrSymbol, qrSymbol, quietZone } from './symbol.ts';

/**
 * The colours are `#RRGGBB`, validated when they were set. Dark modules are drawn as runs of one thick line. Single quotes,
 * because the picture is embedded in JSON.
 */
export function qrSvg(text: string, foreground: string, background: string): string {
  const symbol = qrSymbol(text);
  const size = symbol.size + 2 * quietZone;
  if (buffer.length < capacityFor(size)) {
    buffer = new Uint8Array(capacityFor(size));
    beginning.size = 0;
  }
  if (beginning.size !== size || beginning.foreground !== foreground || beginning.background !== background)
    writeBeginning(size, foreground, background);
  return decoder.decode(buffer.subarray(0, writeEnd(drawPath(symbol, beginning.end))));
}

/** The beginning of the picture in `buffer`, mostly the same for the next code. */
const beginning = { size: 0, foreground: '', background: '', end: 0 };

function writeBeginning(size: number, foreground: string, background: string): void {
  const { written } = encoder.encodeInto(
    `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 ${size} ${size}' shape-rendering='crispEdges'>` +
      `<path fill='${background}' d='M0 0h${size}v${size}H0z'/><path stroke='${foreground}' d='`,
    buffer,
  );
  Object.assign(beginning, { size, foreground, background, end: written });
}

/** Writes the end of the picture, and returns where it ends. */
function writeEnd(at: number): number {
  buffer.set(end, at);
  return at + end.length;
}

const code = (text: string): number => text.charCodeAt(0);
const moveTo = code('M');
const moveBy = code('m');
const line = code('h');
const space = code(' ');
const point = code('.');
const zero = code('0');
const five = code('5');

/** The longest run is `m123 0h123`; between two runs there is a light module. The rest is under 300 characters. */
const capacityFor = (size: number): number => size * (size / 2 + 1) * 10 + 300;
let buffer = new Uint8Array(0);
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const end = encoder.encode(`'/></svg>`);

/** Byte by byte, into one buffer: concatenating hundreds of short strings took twice as long as computing the code. */
function drawPath({ size, bits }: QrSymbol, begin: number): number {
  let at = begin;
  for (let y = 0; y < size; y++) {
    let drawnTo = -1;
    let start = -1;
    let last = 0;
    for (let word = y, left = quietZone; word < bits.length; word += size, left += 32) {
      const current = bits[word] ?? 0;
      // Modules that differ from their left neighbour; the size is never a multiple of 32, so the last run ends too.
      for (let edges = current ^ ((current << 1) | last); edges !== 0; edges &= edges - 1) {
        const x = left + 31 - Math.clz32(edges & -edges);
        if (start < 0) {
          start = x;
          continue;
        }
        at = drawnTo < 0 ? startRow(start, y + quietZone, at) : moveRight(start - drawnTo, at);
        buffer[at++] = line;
        at = write(x - start, at);
        drawnTo = x;
        start = -1;
      }
      last = current >>> 31;
    }
  }
  return at;
}

function startRow(x: number, y: number, begin: number): number {
  let at = begin;
  buffer[at++] = moveTo;
  at = write(x, at);
  buffer[at++] = space;
  at = write(y, at);
  buffer[at++] = point;
  buffer[at++] = five;
  return at;
}

function moveRight(modules: number, begin: number): number {
  let at = begin;
  buffer[at++] = moveBy;
  at = write(modules, at);
  buffer[at++] = space;
  buffer[at++] = zero;
  return at;
}

/** Writes a number below a thousand in decimal, and returns where it ends. */
function write(number: number, begin: number): number {
  let at = begin;
  if (number >= 100) buffer[at++] = zero + Math.floor(number / 100);
  if (number >= 10) buffer[at++] = zero + (Math.floor(number / 10) % 10);
  buffer[at++] = zero + (number % 10);
  return at;
}
