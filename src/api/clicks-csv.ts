const quoted = /[",\r\n]/;
const formula = /^[=+\-@\t\r]/;

/** A cell as RFC 4180 has it. What a spreadsheet would take for a formula gets a quote in front, and stays text. */
export function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  return quoted.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvLine = (values: readonly (string | number | null)[]): string =>
  `${values.map(csvCell).join(',')}\r\n`;
