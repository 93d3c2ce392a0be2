import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { EqualClicks, type EqualGroup } from './equal-clicks.ts';

const textOf = (width: number) => (cells: Int32Array, from: number) =>
  cells.subarray(from, from + width).join(' ');

test('any number of different clicks are distinguished, and each is counted once', () => {
  const click = fc.record({
    organization: fc.nat({ max: 2 }),
    hour: fc.nat({ max: 1 }),
    cells: fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 3_000 })),
  });
  fc.assert(
    fc.property(fc.array(click, { maxLength: 5_000, size: 'max' }), (clicks) => {
      const counts = new Map<string, number>();
      const spill = ({ organizationId, hour, hits }: EqualGroup, cells: Int32Array, from: number) => {
        const key = `${organizationId} ${hour} ${textOf(2)(cells, from)}`;
        counts.set(key, (counts.get(key) ?? 0) + hits);
      };
      const equalClicks = new EqualClicks(spill, textOf(2));
      const columns = [0, 1].map((index) => Int32Array.from(clicks, ({ cells }) => cells[index] ?? 0));
      const expected = new Map<string, number>();
      equalClicks.begin([0, 1]);
      for (const [row, { organization, hour, cells }] of clicks.entries()) {
        expect(equalClicks.add(columns, row, organization, hour)).toBe(cells.join(' '));
        const key = `${organization} ${hour} ${cells.join(' ')}`;
        expected.set(key, (expected.get(key) ?? 0) + 1);
      }
      equalClicks.end();
      expect(counts).toEqual(expected);
    }),
    { numRuns: 20 },
  );
});

test('clicks with very many columns are distinguished by the last one', () => {
  const width = 19;
  const spilled: string[] = [];
  const equalClicks = new EqualClicks(
    ({ hits }, cells, from) => spilled.push(`${hits}x ${textOf(width)(cells, from)}`),
    (cells, from) => textOf(width)(cells, from),
  );
  equalClicks.begin([0, 1]);
  equalClicks.add([Int32Array.of(1), Int32Array.of(2)], 0, 1, 0);
  equalClicks.end();
  spilled.length = 0;
  equalClicks.begin(Array.from({ length: width }, (_, index) => index));
  const columns = Array.from({ length: width }, (_, index) =>
    Int32Array.from({ length: 5_000 }, (_, row) => (index === width - 1 ? row : index)),
  );
  for (let row = 0; row < 5_000; row++) {
    const text = columns.map((column) => column[row]).join(' ');
    expect(equalClicks.add(columns, row, 1, 0)).toBe(text);
  }
  equalClicks.end();
  expect(new Set(spilled).size).toBe(5_000);
  expect(spilled.every((text) => text.startsWith('1x 0 1 2 '))).toBe(true);
});

test('clicks with fewer columns are not confused with those with more', () => {
  let width = 2;
  const equalClicks = new EqualClicks(
    () => {},
    (cells, from) => textOf(width)(cells, from),
  );
  const many = Int32Array.from({ length: 20_000 }, (_, row) => row + 1);
  equalClicks.begin([0, 1]);
  const fives = new Int32Array(many.length).fill(5);
  for (let row = 0; row < many.length; row++) equalClicks.add([fives, many], row, 1, 0);
  equalClicks.end();
  width = 1;
  equalClicks.begin([0]);
  expect(equalClicks.add([Int32Array.of(5)], 0, 1, 0)).toBe('5');
});

test('clicks in other columns, but as many, are not confused', () => {
  let dimensions: readonly number[] = [];
  const equalClicks = new EqualClicks(
    () => {},
    (cells, from) => dimensions.map((dimension, index) => `${dimension}=${cells[from + index]}`).join(),
  );
  const textIn = (next: readonly number[]) => {
    dimensions = next;
    equalClicks.begin(dimensions);
    const text = equalClicks.add([Int32Array.of(7), Int32Array.of(5)], 0, 1, 0);
    equalClicks.end();
    return text;
  };
  expect([textIn([1, 12]), textIn([1, 13]), textIn([1, 12])]).toEqual(['1=7,12=5', '1=7,13=5', '1=7,12=5']);
});
