export type Cell = string | number | null;

const needsQuotes = /[",\r\n]/;
/**
 * What a spreadsheet may take for the beginning of a formula: also after a tab or a line break, and the full-width forms, which
 * spreadsheets for East Asian scripts treat like the plain ones.
 */
export const formulaStart = /[=+\-@\t\r\n＝＋－＠]/;
const formula = new RegExp(`^${formulaStart.source}`);

/** A cell in RFC 4180. A text that a spreadsheet would take for a formula is prefixed with a quote. */
export function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvLine = (values: readonly Cell[]): string => `${values.map(csvCell).join(',')}\r\n`;
