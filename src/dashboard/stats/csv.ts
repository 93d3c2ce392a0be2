const quoted = /[",\r\n]/;
const formula = /^[=+\-@\t\r]/;

/** A text that a spreadsheet would take for a formula is prefixed with a quote, as in the API's exports. */
function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  return quoted.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export type Row = readonly (string | number | null)[];

export const csvOf = (names: readonly string[], rows: readonly Row[]): string =>
  [names, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
