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

/** Writes the tally of each column of a chunk. */
export function tallyWriter(classColumn: Uint8Array, hits: number): (column: Uint8Array) => Uint8Array {
  const classes = readCoded(classColumn, hits);
  const classCodes = classes.codes ?? new Uint8Array(hits);
  const classCount = classes.values.length;
  const ofClasses = new Float64Array(classCount);
  for (let row = 0; row < hits; row++) {
    const code = classCodes[row] ?? 0;
    ofClasses[code] = (ofClasses[code] ?? 0) + 1;
  }
  return (column) => {
    const { values, codes } = readCoded(column, hits);
    const cells = new Float64Array(2 + values.length + classCount + values.length * classCount);
    cells[0] = values.length;
    cells[1] = classCount;
    cells.set(values, 2);
    cells.set(classes.values, 2 + values.length);
    const counts = cells.subarray(2 + values.length + classCount);
    // One value in all hits, as in many columns.
    if (codes === null) counts.set(ofClasses);
    else
      for (let row = 0; row < hits; row++) {
        const index = (codes[row] ?? 0) * classCount + (classCodes[row] ?? 0);
        counts[index] = (counts[index] ?? 0) + 1;
      }
    return new Uint8Array(cells.buffer);
  };
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
