import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { ChunkedReader } from './chunked-reader.ts';

function read(parts: readonly string[]) {
  const reader = new ChunkedReader();
  let body = '';
  let consumed = 0;
  for (const part of parts)
    consumed += reader.read(Buffer.from(part, 'latin1'), (from, to) => {
      body += part.slice(from, to);
    });
  return { body, consumed, isOver: reader.isOver, isMalformed: reader.isMalformed };
}

test('a body is what its chunks contain, with any extensions and wherever it is cut', () => {
  const extension = fc.constantFrom('', ';a', ';a=b', ' ; a="x y"');
  const chunk = fc.tuple(fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 40 }), extension);
  const trailers = fc.array(fc.constantFrom('X: y', 'Checksum:0', 'A:'), { maxLength: 3 });
  fc.assert(
    fc.property(
      fc.array(chunk, { maxLength: 5 }),
      trailers,
      fc.array(fc.nat(400), { maxLength: 6 }),
      (chunks, lines, cuts) => {
        const sent = `${chunks
          .map(([data, extension]) => `${data.length.toString(16).toUpperCase()}${extension}\r\n${data}\r\n`)
          .join('')}00\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
        const all = `${sent}GET /next`;
        const edges = [0, ...cuts.filter((cut) => cut < all.length).sort((a, b) => a - b), all.length];
        const parts = edges.slice(1).map((end, index) => all.slice(edges[index], end));
        expect(read(parts)).toEqual({
          body: chunks.map(([data]) => data).join(''),
          consumed: sent.length,
          isOver: true,
          isMalformed: false,
        });
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a body ends only after the trailers that follow the last chunk', () => {
  const sent = '1\r\na\r\n0\r\nX: y\r\n\r\n';
  for (let length = 0; length < sent.length; length++)
    expect(read([sent.slice(0, length)])).toMatchObject({
      isOver: false,
      isMalformed: false,
      consumed: length,
    });
});

describe('malformed:', () => {
  test.each([
    'g\r\n',
    '\r\n',
    '-1\r\n',
    '0x1\r\na\r\n',
    '1\na\r\n',
    '1\r\nab\r\n',
    '1\r\na\n',
    '1\ra\r\n',
    ' 1\r\na\r\n',
    '123456789\r\n',
    '1 x\r\n',
    '1;\0\r\n',
    '0\r\nX\r\n',
    '0\r\n: x\r\n',
    '0\r\nX : y\r\n',
    '0\r\n folded\r\n',
    '0\r\nX: \0\r\n',
    '0\r\nX: y\n',
    `1;${'x'.repeat(5_000)}`,
    `0\r\n${'X: y\r\n'.repeat(3_000)}`,
  ])('%j', (sent) => {
    expect(read([sent])).toMatchObject({ isOver: false, isMalformed: true });
    expect(read([...sent])).toMatchObject({ isOver: false, isMalformed: true });
  });
});
