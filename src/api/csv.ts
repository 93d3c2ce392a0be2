export type Cell = string | number | null;

const quoted = /[",\r\n]/;
/**
 * What a spreadsheet may take for the beginning of a formula: also after a tab or the end of a line, and in the full-width
 * forms, which those for East Asian scripts take for the plain ones.
 */
export const formulaStart = /[=+\-@\t\r\n＝＋－＠]/;
const formula = new RegExp(`^${formulaStart.source}`);

/** A cell as RFC 4180 has it. What a spreadsheet would take for a formula gets a quote in front, and stays text. */
export function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  return quoted.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvLine = (values: readonly Cell[]): string => `${values.map(csvCell).join(',')}\r\n`;
