import { readCoded } from './chunk-column.ts';

/**
 * The number of hits of a chunk for each value of a column and each class: enough for a query without a filter whose range covers
 * the whole chunk. Doubles: the number of values, the number of classes, the values, the classes, and the counts of each value.
 */
export interface ChunkTally {
  readonly values: Float64Array;
  readonly classes: Float64Array;
  /** `counts[value * classes + class]`. */
  readonly counts: Float64Array;
}

export function writeTally(column: Uint8Array, classColumn: Uint8Array, hits: number): Uint8Array {
  const [by, classes] = [readCoded(column, hits), readCoded(classColumn, hits)];
  const classCount = classes.values.length;
  const counts = new Float64Array(by.values.length * classCount);
  const [valueCodes, classCodes] = [by.codes ?? new Uint8Array(hits), classes.codes ?? new Uint8Array(hits)];
  for (let row = 0; row < hits; row++) {
    const index = (valueCodes[row] ?? 0) * classCount + (classCodes[row] ?? 0);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  const cells = new Float64Array(2 + by.values.length + classCount + counts.length);
  cells[0] = by.values.length;
  cells[1] = classCount;
  cells.set(by.values, 2);
  cells.set(classes.values, 2 + by.values.length);
  cells.set(counts, 2 + by.values.length + classCount);
  return new Uint8Array(cells.buffer);
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
