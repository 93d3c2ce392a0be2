import { describe, expect, test } from 'bun:test';
import encodeQR from 'qr';
import { qrSvg } from './svg.ts';
import { isDark, qrSymbol } from './symbol.ts';

const modulesOf = (text: string): string[] => {
  const symbol = qrSymbol(text);
  const indexes = Array.from({ length: symbol.size }, (_, index) => index);
  return indexes.map((y) => indexes.map((x) => (isDark(symbol, x, y) ? '#' : ' ')).join(''));
};

/** The same symbol by an independent library, without the border that it always adds. */
const expected = (text: string): string[] =>
  encodeQR(text, 'raw', { ecc: 'medium', encoding: 'byte', border: 1 })
    .slice(1, -1)
    .map((row) =>
      row
        .slice(1, -1)
        .map((dark) => (dark ? '#' : ' '))
        .join(''),
    );

const lengthsOf = (max: number) => Array.from({ length: max + 1 }, (_, length) => length);

/** The most bytes that symbols of each size have: the longest text of one, and the shortest of the next. */
const capacities = [
  ...[14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666],
  ...[711, 779, 857, 911, 997, 1059, 1125, 1190, 1264, 1370, 1452, 1538, 1628, 1722, 1809, 1911, 1989],
  ...[2099, 2213, 2331],
];

/** Differs from position to position, and is the same in every run. */
const textOf = (length: number, seed = 1) =>
  Array.from({ length }, (_, index) =>
    String.fromCharCode(33 + ((index * 7919 + seed * 104_729 + index ** 3) % 90)),
  ).join('');

describe('a QR symbol', () => {
  test('of any length up to the maximum is identical to that of an independent encoder', () => {
    const lengths = [...lengthsOf(42), ...capacities.flatMap((max) => [max, max + 1])].slice(0, -1);
    for (const length of lengths) expect(modulesOf(textOf(length))).toEqual(expected(textOf(length)));
  });

  test('has the same mask as that of an independent encoder, whatever the text', () => {
    const masks = new Set<string>();
    for (let seed = 0; seed < 300; seed++) {
      const text = `https://links.example.com/${textOf(7, seed)}?qr`;
      expect(modulesOf(text)).toEqual(expected(text));
      // The three bits of the mask, in the first row of the format information.
      masks.add(modulesOf(text)[8]?.slice(2, 5) ?? '');
    }
    expect(masks.size).toBe(8);
  });

  test('encodes text of other scripts as UTF-8', () => {
    for (const text of ['Frühling', 'https://例え.テスト/🦊', 'مرحبا'])
      expect(modulesOf(text)).toEqual(expected(text));
  });

  test('beyond the maximum size is refused', () => {
    expect(() => qrSymbol('x'.repeat(2332))).toThrow(RangeError);
  });

  test('drawn after another contains nothing of it', () => {
    const first = modulesOf('https://example.com/first');
    qrSymbol('https://example.com/other');
    qrSymbol('x'.repeat(500));
    expect(modulesOf('https://example.com/first')).toEqual(first);
  });
});

describe('its SVG', () => {
  /** Paints the runs of a path, as a browser would. */
  const painted = (svg: string): string[] => {
    const size = Number(/viewBox='0 0 (\d+)/.exec(svg)?.[1]);
    const rows = Array.from({ length: size }, () => Array<string>(size).fill(' '));
    const path = /stroke='#123456' d='([^']*)'/.exec(svg)?.[1] ?? '';
    let [x, y] = [0, 0];
    for (const [, command, first, second] of path.matchAll(/([Mmh])(\d+)(?: ([\d.]+))?/g)) {
      if (command === 'M') [x, y] = [Number(first), Math.floor(Number(second))];
      else if (command === 'm') x += Number(first);
      else for (const end = x + Number(first); x < end; x++) rows[y]?.splice(x, 1, '#');
    }
    return rows.map((row) => row.join(''));
  };

  test('has all dark modules, no others, and a quiet zone of four', () => {
    for (const length of [10, 60, 200, 700, 2331]) {
      const text = textOf(length);
      const rows = painted(qrSvg(text, '#123456', '#ffffff'));
      expect(rows.slice(4, -4).map((row) => row.slice(4, -4))).toEqual(modulesOf(text));
      const border = [
        ...rows.slice(0, 4),
        ...rows.slice(-4),
        ...rows.map((row) => row.slice(0, 4) + row.slice(-4)),
      ];
      expect(border.join('').trim()).toBe('');
    }
  });

  test('drawn after another has its own colours, size and modules', () => {
    const calls = [
      ['https://example.com/a', '#000000', '#ffffff'],
      ['https://example.com/b', '#000000', '#ffffff'],
      ['https://example.com/a', '#123456', '#ffffff'],
      ['https://example.com/a', '#123456', '#fedcba'],
      [textOf(700), '#123456', '#fedcba'],
      ['https://example.com/a', '#123456', '#fedcba'],
      ['https://example.com/a', '#000000', '#ffffff'],
    ] as const;
    for (const [text, foreground, background] of calls) {
      const svg = qrSvg(text, foreground, background);
      expect(svg).toStartWith("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 ");
      expect(svg).toContain(`<path fill='${background}' d='`);
      expect(svg).toContain(`<path stroke='${foreground}' d='`);
      expect(svg).toEndWith("'/></svg>");
      const rows = painted(svg.replace(foreground, '#123456'));
      expect(rows.slice(4, -4).map((row) => row.slice(4, -4))).toEqual(modulesOf(text));
    }
  });

  test('needs no escaping in JSON', () => {
    const svg = qrSvg('https://example.com', '#000000', '#FFFFFF');
    expect(JSON.stringify(svg)).toBe(`"${svg}"`);
  });
});
