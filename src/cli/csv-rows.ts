/** A record of a table, cell by cell, and the line of the file where it begins. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

const quote = '"';

/** The rows of a CSV file (RFC 4180) that comes in chunks. Lines may end with LF or CR alone. */
export async function* csvRows(chunks: AsyncIterable<string>): AsyncGenerator<CsvRow, void, undefined> {
  let cells: string[] = [];
  let cell = '';
  let state: 'plain' | 'quoted' | 'quote in quoted' = 'plain';
  let [line, rowStart] = [1, 1];
  let previous = '';
  let isFirst = true;
  for await (const chunk of chunks) {
    const text = isFirst ? chunk.replace(/^\ufeff/, '') : chunk;
    isFirst = false;
    for (const character of text) {
      if (character === '\r' || (character === '\n' && previous !== '\r')) line++;
      previous = character;
      if (state === 'quoted') {
        if (character === quote) state = 'quote in quoted';
        else cell += character;
        continue;
      }
      if (character === quote && (state === 'quote in quoted' || cell === '')) {
        if (state === 'quote in quoted') cell += quote;
        state = 'quoted';
        continue;
      }
      state = 'plain';
      if (character === ',') {
        cells.push(cell);
        cell = '';
      } else if (character === '\n' || character === '\r') {
        // Between CR and LF there is an empty row, which is none.
        cells.push(cell);
        if (cells.length > 1 || cells[0] !== '') yield { line: rowStart, cells };
        [cells, cell, rowStart] = [[], '', line];
      } else cell += character;
    }
  }
  if (state === 'quoted')
    throw new SyntaxError(`the text that begins in line ${rowStart} has no closing quote`);
  cells.push(cell);
  if (cells.length > 1 || cells[0] !== '') yield { line: rowStart, cells };
}
