import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { csvCell, csvLine, unguarded } from './csv.ts';

test.each([
  ['plain', 'plain'],
  ['', ''],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['=1+1', "'=1+1"],
  ['+49', "'+49"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['\n=1', '"\'\n=1"'],
  ['\n', '"\'\n"'],
  ['＝1+1', "'＝1+1"],
  ['＋49', "'＋49"],
  ['－1', "'－1"],
  ['＠SUM(A1)', "'＠SUM(A1)"],
  ['=HYPERLINK("https://evil.example","x")', '"\'=HYPERLINK(""https://evil.example"",""x"")"'],
  [' =1', ' =1'],
  ["'=1", "''=1"],
  ["''＝1", "'''＝1"],
  ["'tis", "'tis"],
])('the cell %j is written %j', (value, written) => {
  expect(csvCell(value)).toBe(written);
});

test('numbers are written unquoted, and null as an empty cell', () => {
  expect(csvLine([1, -2, null, 'x'])).toBe('1,-2,,x\r\n');
});

test('any text is read back unchanged, without the quote that was added, and no cell begins a formula', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom("'", '=', '＋', '\n', 'a') }),
  );
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (values) => {
      const cells = parsedRecord(csvLine(values));
      expect(cells).toHaveLength(values.length);
      for (const [index, cell] of cells.entries()) {
        expect(unguarded(cell)).toBe(values[index] ?? '');
        expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
      }
    }),
  );
});

/** A parser of RFC 4180, for one record. */
function parsedRecord(line: string): string[] {
  const cells: string[] = [];
  let rest = line.slice(0, -2);
  for (;;) {
    const match = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|$)/.exec(rest);
    if (!match) throw new Error(`no cell at ${JSON.stringify(rest)}`);
    cells.push(match[1] === undefined ? (match[2] ?? '') : match[1].replaceAll('""', '"'));
    if (match[3] === '') return cells;
    rest = rest.slice(match[0].length);
  }
}
