import { crc32, deflateSync } from 'node:zlib';
import { qrMatrix } from './matrix.ts';

const leastWidth = 512;
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A PNG of two colours, one bit a pixel, at least 512 pixels wide: a kilobyte or two. */
export function qrPng(text: string, foreground: string, background: string): Buffer {
  const matrix = qrMatrix(text);
  const scale = Math.ceil(leastWidth / matrix.length);
  const width = matrix.length * scale;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(width, 4);
  header.set([1, 3], 8); // one bit a pixel, colours from the palette
  const palette = Buffer.from(background.slice(1) + foreground.slice(1), 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(pixels(matrix, scale), { level: 6 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function pixels(matrix: readonly (readonly boolean[])[], scale: number): Buffer {
  const width = matrix.length * scale;
  const rows = matrix.map((modules) => {
    const row = Buffer.alloc(1 + Math.ceil(width / 8)); // a leading 0: no filter
    for (let x = 0; x < width; x++) {
      if (modules[Math.floor(x / scale)]) row[1 + (x >> 3)] = (row[1 + (x >> 3)] ?? 0) | (0x80 >> (x & 7));
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
