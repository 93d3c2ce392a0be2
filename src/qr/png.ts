import { crc32, deflateSync } from 'node:zlib';
import { isDark, type QrSymbol, qrSymbol, quietZone } from './symbol.ts';

const minWidth = 512;
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A PNG of two colours, one bit a pixel, at least 512 pixels wide: a kilobyte or two. */
export function qrPng(text: string, foreground: string, background: string): Buffer {
  const symbol = qrSymbol(text);
  const modules = symbol.size + 2 * quietZone;
  const scale = Math.ceil(minWidth / modules);
  const width = modules * scale;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(width, 4);
  header.set([1, 3], 8); // one bit a pixel, colours from the palette
  const palette = Buffer.from(background.slice(1) + foreground.slice(1), 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(pixels(symbol, scale), { level: 6 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function pixels(symbol: QrSymbol, scale: number): Buffer {
  const modules = symbol.size + 2 * quietZone;
  const rows = Array.from({ length: modules }, (_, y) => {
    const row = Buffer.alloc(1 + Math.ceil((modules * scale) / 8)); // a leading 0: no filter
    for (let x = 0; x < modules * scale; x++) {
      if (!isDark(symbol, Math.floor(x / scale) - quietZone, y - quietZone)) continue;
      row[1 + (x >> 3)] = (row[1 + (x >> 3)] ?? 0) | (0x80 >> (x & 7));
    }
    return row;
  });
  return Buffer.concat(rows.flatMap((row) => Array<Buffer>(scale).fill(row)));
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
