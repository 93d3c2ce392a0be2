import {
  aliasFields,
  type HitColumn,
  hitColumns,
  placeFields,
  ruleFields,
} from '../../rules/click-fields.ts';

/**
 * Hits of one organization as one value, column by column: for each column its minimum, and for each hit the difference from it,
 * in as few bytes as the largest difference needs; none if all hits have the same value. A version and the widths come first,
 * then the minimums, then the cells of the columns, each aligned to eight bytes.
 */
export const maxInPack = 512;
/** An organization with fewer hits in a batch has them as rows: a pack has a fixed cost. */
export const minInPack = 32;
export const version = 2;
/** Columns of the first part. Others follow it, in packs that have such hits: earlier versions don't read there. */
export const firstColumns = hitColumns.indexOf(ruleFields[0]);
/** Version 1 had a column of visitors after the others. It is skipped. */
export const columnsIn: Readonly<Record<number, number>> = { 1: firstColumns + 1, 2: firstColumns };
export const widthsLength = 24;
export const cellsAt = widthsLength + firstColumns * 8;

/**
 * Columns that most packs don't have: their widths (if they don't fit into the head of the pack), their minimums, their cells.
 */
export interface FurtherPart {
  /** Its columns: from `first` up to `end`. */
  readonly first: number;
  readonly end: number;
  /** The byte that is 1 if a pack has this part. */
  readonly flagAt: number;
  /** How many bytes of the part its widths take. */
  readonly widths: number;
}
const partOf = (fields: readonly HitColumn[], flagAt: number, widths: number): FurtherPart => {
  const first = hitColumns.indexOf(fields[0] ?? 'link_id');
  return { first, end: first + fields.length, flagAt, widths };
};
/**
 * The head has no unused byte left for the flag of another part. The widths of the last part have: three of their eight bytes are
 * used, and nodes that don't know the flag ignore the others. A pack with the new part must then have the last one too.
 */
export const furtherParts = [
  partOf(ruleFields, widthsLength - 1, 0),
  partOf([...placeFields, ...aliasFields], widthsLength - 2, 8),
];
const furtherHeads = furtherParts.reduce(
  (sum, { first, end, widths }) => sum + widths + (end - first) * 8,
  0,
);
export const maxPackLength = cellsAt + furtherHeads + hitColumns.length * maxInPack * 8;
/** Cells that are the number itself instead of a difference, for a range that doesn't fit into four bytes. */
export const wholeNumber = 8;

export const roomFor = (count: number, width: number): number => Math.ceil((count * width) / 8) * 8;

export function cellsOf(bytes: Uint8Array, at: number, width: number, count: number) {
  const start = bytes.byteOffset + at;
  if (width === 1) return new Uint8Array(bytes.buffer, start, count);
  if (width === 2) return new Uint16Array(bytes.buffer, start, count);
  if (width === 4) return new Uint32Array(bytes.buffer, start, count);
  return new Float64Array(bytes.buffer, start, count);
}
