import { type CodedColumn, readCoded } from './chunk-column.ts';

/**
 * How many hits of a chunk have each value of a column, by their classes: what a question without a filter needs to know of a
 * chunk that lies in its range as a whole. Doubles: the number of values, the number of classes, the values, the classes, and
 * the counts of each value.
 */
export interface ChunkTally {
  readonly values: Float64Array;
  readonly classes: Float64Array;
  /** `counts[value * classes + class]`. */
  readonly counts: Float64Array;
}

export function writeTally(column: Uint8Array, classColumn: Uint8Array, hits: number): Uint8Array {
  const [by, classes] = [readCoded(column, hits), readCoded(classColumn, hits)];
  const ofClass = classes.values.length;
  const counts = new Float64Array(by.values.length * ofClass);
  const [valueCodes, classCodes] = [codesOf(by, hits), codesOf(classes, hits)];
  for (let row = 0; row < hits; row++) {
    const index = (valueCodes[row] ?? 0) * ofClass + (classCodes[row] ?? 0);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  const cells = [by.values.length, ofClass, ...by.values, ...classes.values, ...counts];
  return new Uint8Array(Float64Array.from(cells).buffer);
}

export function readTally(bytes: Uint8Array): ChunkTally {
  const cells = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  const all = new Float64Array(cells.buffer, cells.byteOffset, cells.byteLength / 8);
  const [values = 0, classes = 0] = all;
  return {
    values: all.subarray(2, 2 + values),
    classes: all.subarray(2 + values, 2 + values + classes),
    counts: all.subarray(2 + values + classes),
  };
}

const codesOf = ({ codes }: CodedColumn, hits: number): Uint16Array =>
  codes === null ? new Uint16Array(hits) : Uint16Array.from(codes);
