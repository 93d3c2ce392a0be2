export type Cell = string | number | null;

const needsQuotes = /[",\r\n]/;
/**
 * What a spreadsheet may take for the beginning of a formula: also after a tab or a line break, and the full-width forms, which
 * spreadsheets for East Asian scripts treat like the plain ones. Or such a text after quotes, so that a quote that was added
 * can be told from one of the text.
 */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** The text of a cell, without the quote that was added to it. */
export const unguarded = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;

/** A cell in RFC 4180. A text that a spreadsheet would take for a formula is prefixed with a quote. */
export function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvLine = (values: readonly Cell[]): string => `${values.map(csvCell).join(',')}\r\n`;
