/**
 * The cells of a chunk as they are sent over a connection: half as long, which saves the server and the reading thread more than
 * decompressing costs. Cells that aren't needed in the end aren't decompressed.
 *
 * Codes of a column with up to sixteen values are stored in four bits each, or two: that is decompressed in a third of the time of
 * compressed ones. Such cells begin with one of these bytes, which compressed ones never do.
 */
const markers = { two: 0xb2, four: 0xb4 } as const;
/** The first byte of cells with codes of one byte: see `chunk-column.ts`. */
const byteCodes = 1;
const headLength = 8;

export function compressCells(cells: Uint8Array): Buffer {
  const bits = bitsFor(cells);
  return bits === 8 ? Bun.zstdCompressSync(cells, { level: 1 }) : narrowed(cells, bits);
}

export function decompressCells(cells: Uint8Array): Uint8Array {
  if (cells[0] === markers.two) return widened(cells, 2);
  if (cells[0] === markers.four) return widened(cells, 4);
  return Bun.zstdDecompressSync(cells);
}

function bitsFor(cells: Uint8Array): 2 | 4 | 8 {
  if (cells[0] !== byteCodes || cells.length - codesAt(cells) >= 2 ** 16) return 8;
  const values = valuesIn(cells);
  if (values <= 4) return 2;
  return values <= 16 ? 4 : 8;
}

function narrowed(cells: Uint8Array, bits: 2 | 4): Buffer {
  const begin = codesAt(cells);
  const codes = cells.subarray(begin);
  const perByte = 8 / bits;
  const packed = Buffer.alloc(begin + Math.ceil(codes.length / perByte));
  packed.set(cells.subarray(0, begin));
  packed[0] = bits === 2 ? markers.two : markers.four;
  packed.writeUInt16LE(codes.length, 2);
  for (let row = 0; row < codes.length; row++) {
    const at = begin + Math.floor(row / perByte);
    packed[at] = (packed[at] ?? 0) | ((codes[row] ?? 0) << ((row % perByte) * bits));
  }
  return packed;
}

function widened(packed: Uint8Array, bits: 2 | 4): Uint8Array {
  const begin = codesAt(packed);
  const rows = (packed[2] ?? 0) | ((packed[3] ?? 0) << 8);
  const cells = new Uint8Array(begin + (packed.length - begin) * (8 / bits));
  cells.set(packed.subarray(0, begin));
  cells[0] = byteCodes;
  cells[2] = 0;
  cells[3] = 0;
  if (bits === 2) widenTwo(packed, cells, begin);
  else widenFour(packed, cells, begin);
  return cells.subarray(0, begin + rows);
}

function widenTwo(packed: Uint8Array, cells: Uint8Array, begin: number): void {
  for (let at = begin, row = begin; at < packed.length; at++, row += 4) {
    const byte = packed[at] ?? 0;
    cells[row] = byte & 3;
    cells[row + 1] = (byte >> 2) & 3;
    cells[row + 2] = (byte >> 4) & 3;
    cells[row + 3] = byte >> 6;
  }
}

function widenFour(packed: Uint8Array, cells: Uint8Array, begin: number): void {
  for (let at = begin, row = begin; at < packed.length; at++, row += 2) {
    const byte = packed[at] ?? 0;
    cells[row] = byte & 15;
    cells[row + 1] = byte >> 4;
  }
}

const valuesIn = (cells: Uint8Array): number =>
  new DataView(cells.buffer, cells.byteOffset, cells.byteLength).getUint32(4, true);

/** The codes follow the values, each of which takes the number of bytes in the second byte. */
const codesAt = (cells: Uint8Array): number =>
  headLength + Math.ceil((valuesIn(cells) * (cells[1] ?? 0)) / 8) * 8;
