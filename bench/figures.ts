/** The results of several rounds. */
export interface Figure {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export function figure(values: readonly number[]): Figure {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  const median = sorted.length % 2 === 0 ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
  return { median, least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN };
}

/** `sorted` is in ascending order. */
export const percentile = (sorted: readonly number[], percent: number): number =>
  sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;

/** The ratios of each round's two values: a disturbance of the machine affects both. */
export const ratio = (above: readonly number[], below: readonly number[]): Figure =>
  figure(above.map((value, round) => value / (below[round] ?? Number.NaN)));
