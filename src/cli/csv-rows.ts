/** A line of a table, cell by cell, and the line of the file that it begins in. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

const quote = '"';

/** The rows of a CSV as RFC 4180 has it, however it comes in pieces. Lines may end with LF alone. */
export async function* csvRows(pieces: AsyncIterable<string>): AsyncGenerator<CsvRow, void, undefined> {
  let cells: string[] = [];
  let cell = '';
  let state: 'plain' | 'quoted' | 'quote in quoted' = 'plain';
  let [line, begun] = [1, 1];
  let isFirst = true;
  for await (const piece of pieces) {
    const text = isFirst ? piece.replace(/^\ufeff/, '') : piece;
    isFirst = false;
    for (const sign of text) {
      if (sign === '\n') line++;
      if (state === 'quoted') {
        if (sign === quote) state = 'quote in quoted';
        else cell += sign;
        continue;
      }
      if (sign === quote && (state === 'quote in quoted' || cell === '')) {
        if (state === 'quote in quoted') cell += quote;
        state = 'quoted';
        continue;
      }
      state = 'plain';
      if (sign === ',') {
        cells.push(cell);
        cell = '';
      } else if (sign === '\n') {
        cells.push(cell.endsWith('\r') ? cell.slice(0, -1) : cell);
        if (cells.length > 1 || cells[0] !== '') yield { line: begun, cells };
        [cells, cell, begun] = [[], '', line];
      } else cell += sign;
    }
  }
  if (state === 'quoted') throw new SyntaxError(`the text that begins in line ${begun} has no closing quote`);
  cells.push(cell);
  if (cells.length > 1 || cells[0] !== '') yield { line: begun, cells };
}
