import type { Figure } from './figures.ts';

/** The results of one part of the bench, for printing and for storing. */
export interface Report {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Sentences below the table: how to read it, and which promises are not kept. */
  readonly notes: readonly string[];
  readonly figures: object;
}

/** Three digits: a noisy machine gives no more precision. */
export const formatNumber = (value: number): string =>
  value.toLocaleString('en-US', { maximumSignificantDigits: 3 });

export const formatRange = ({ least, most }: Figure): string =>
  `${formatNumber(least)} to ${formatNumber(most)}`;

export function formatReport({ title, columns, rows, notes }: Report): string {
  const lines = [[title, ...columns], ...rows];
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  const printed = lines.map((line) =>
    line
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('   ')
      .trimEnd(),
  );
  const rule = '-'.repeat(printed[0]?.length ?? 0);
  return [printed[0], rule, ...printed.slice(1), ...notes.map((note) => `  ${note}`), ''].join('\n');
}
