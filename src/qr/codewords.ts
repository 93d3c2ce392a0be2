import type { Version } from './versions.ts';

const byteMode = 0b0100;
const padding = [0xec, 0x11] as const;

/** A text's bytes and their error correction, in the order of a symbol. */
export const codewordsOf = (text: Uint8Array, version: Version): Uint8Array =>
  interleaved(dataOf(text, version), version);

function dataOf(text: Uint8Array, { dataBytes, lengthBits }: Version): Uint8Array {
  const data = new Uint8Array(dataBytes);
  let at = 0;
  // Mode and length end in the middle of a byte, so everything after them is shifted by four bits.
  let carried = byteMode;
  const push = (byte: number) => {
    data[at++] = (carried << 4) | (byte >>> 4);
    carried = byte & 15;
  };
  if (lengthBits === 16) push(text.length >>> 8);
  push(text.length & 255);
  for (let index = 0; index < text.length; index++) push(text[index] ?? 0);
  data[at++] = carried << 4;
  for (let count = 0; at < dataBytes; count++) data[at++] = padding[count & 1] ?? 0;
  return data;
}

function interleaved(data: Uint8Array, { blocks, correctionPerBlock }: Version): Uint8Array {
  const shorter = Math.floor(data.length / blocks);
  const shortBlocks = blocks - (data.length % blocks);
  const all = new Uint8Array(data.length + blocks * correctionPerBlock);
  const correction = new Uint8Array(correctionPerBlock);
  for (let block = 0, start = 0; block < blocks; block++) {
    const isLong = block >= shortBlocks;
    const end = start + shorter + (isLong ? 1 : 0);
    for (let index = 0; index < shorter; index++) all[index * blocks + block] = data[start + index] ?? 0;
    if (isLong) all[shorter * blocks + block - shortBlocks] = data[end - 1] ?? 0;
    correct(data, start, end, correction);
    for (let index = 0; index < correctionPerBlock; index++)
      all[data.length + index * blocks + block] = correction[index] ?? 0;
    start = end;
  }
  return all;
}

/** Reed-Solomon: the remainder of a block of the data, as a polynomial, divided by the generator of that length. */
function correct(data: Uint8Array, start: number, end: number, remainder: Uint8Array): void {
  const length = remainder.length;
  const products = productsFor(length);
  remainder.fill(0);
  for (let at = start; at < end; at++) {
    const row = ((data[at] ?? 0) ^ (remainder[0] ?? 0)) * length;
    for (let index = 1; index < length; index++)
      remainder[index - 1] = (remainder[index] ?? 0) ^ (products[row + index - 1] ?? 0);
    remainder[length - 1] = products[row + length - 1] ?? 0;
  }
}

/** Powers of 2 in the field of 256 elements whose polynomial is x⁸ + x⁴ + x³ + x² + 1, twice in a row; and their exponents. */
const powers = new Uint8Array(510);
const exponents = new Uint8Array(256);
for (let exponent = 0, power = 1; exponent < 255; exponent++) {
  powers[exponent] = power;
  powers[exponent + 255] = power;
  exponents[power] = exponent;
  power = power < 128 ? power << 1 : (power << 1) ^ 0x11d;
}

const product = (one: number, other: number): number =>
  one === 0 || other === 0 ? 0 : (powers[(exponents[one] ?? 0) + (exponents[other] ?? 0)] ?? 0);

/** The generator of each length, times each element of the field. */
const productTables = new Map<number, Uint8Array>();

function productsFor(length: number): Uint8Array {
  const known = productTables.get(length);
  if (known) return known;
  const generator = generatorOf(length);
  const products = new Uint8Array(256 * length);
  for (let factor = 0; factor < 256; factor++)
    products.set(
      generator.map((coefficient) => product(coefficient, factor)),
      factor * length,
    );
  productTables.set(length, products);
  return products;
}

/** Without its leading coefficient, which is 1. */
function generatorOf(length: number): Uint8Array {
  const generator = new Uint8Array(length);
  generator[length - 1] = 1;
  for (let root = 0; root < length; root++) {
    for (let index = 0; index < length; index++)
      generator[index] = product(generator[index] ?? 0, powers[root] ?? 0) ^ (generator[index + 1] ?? 0);
  }
  return generator;
}
