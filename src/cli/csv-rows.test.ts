import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { csvLine } from '../rules/csv.ts';
import { csvRows } from './csv-rows.ts';

async function* inChunks(text: string, size: number) {
  for (let start = 0; start < text.length; start += size) yield text.slice(start, start + size);
}
const read = async (text: string, size = text.length || 1) =>
  (await Array.fromAsync(csvRows(inChunks(text, size)))).map(({ cells }) => cells);

test('cells are separated by commas and lines, with and without quotes', async () => {
  expect(await read('a,b\r\n1,"two, ""2"""\n\n"line\nbreak",\r\nlast')).toEqual([
    ['a', 'b'],
    ['1', 'two, "2"'],
    ['line\nbreak', ''],
    ['last'],
  ]);
});

test('a byte order mark is not part of the first name', async () => {
  expect(await read('\ufeffurl,name\n')).toEqual([['url', 'name']]);
});

test('a row knows the line on which it begins', async () => {
  const rows = await Array.fromAsync(csvRows(inChunks('a\n"b\nb"\nc\n', 2)));
  expect(rows.map(({ line }) => line)).toEqual([1, 2, 4]);
});

test('lines may end with CR alone, as in files of old spreadsheets', async () => {
  const rows = await Array.fromAsync(csvRows(inChunks('a,b\r1,"x\ry"\r\r2,z\r\n3,\r', 1)));
  expect(rows).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['1', 'x\ry'] },
    { line: 5, cells: ['2', 'z'] },
    { line: 6, cells: ['3', ''] },
  ]);
});

test('an unclosed quote is reported', async () => {
  const cause = await read('a\n"b').catch((thrown) => thrown);
  expect(cause).toBeInstanceOf(SyntaxError);
  expect(cause.message).toContain('line 2');
});

test('an export is read back, however it is split into chunks', async () => {
  const cell = fc
    .string({ unit: 'binary', maxLength: 12 })
    .filter((text) => !/^[=+\-@\t\r\n\ufeff＝＋－＠]/.test(text));
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(table, fc.integer({ min: 1, max: 9 }), async (rows, size) => {
      expect(await read(rows.map(csvLine).join(''), size)).toEqual(rows);
    }),
  );
});
