import { TimeSlice } from '../manage/time-slice.ts';

const quoted = /[",\r\n]/;
/**
 * What a spreadsheet may take for the beginning of a formula: also after a tab or the end of a line, and in the full-width
 * forms, which those for East Asian scripts take for the plain ones.
 */
export const formulaStart = /[=+\-@\t\r\n＝＋－＠]/;
const formula = new RegExp(`^${formulaStart.source}`);

/** A cell as RFC 4180 has it. What a spreadsheet would take for a formula gets a quote in front, and stays text. */
export function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  return quoted.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvLine = (values: readonly (string | number | null)[]): string =>
  `${values.map(csvCell).join(',')}\r\n`;

/** Lines of many things, others having their turns in between. */
export async function csvLines<Row>(
  rows: readonly Row[],
  cellsOf: (row: Row) => readonly (string | number | null)[],
): Promise<string> {
  const timeSlice = new TimeSlice();
  let lines = '';
  for (const row of rows) {
    if (timeSlice.isOver) await timeSlice.pause();
    lines += csvLine(cellsOf(row));
  }
  return lines;
}
