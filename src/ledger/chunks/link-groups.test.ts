import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { LinkRows } from './hit-chunk.ts';
import { groupsOf, linksInGroup, rowsIn } from './link-groups.ts';

/** Links of a chunk, from the steps between their ids and their numbers of rows. */
function linksOf(steps: readonly (readonly [step: number, rows: number])[]): LinkRows[] {
  let [link, first] = [0, 0];
  return steps.map(([step, rows]) => {
    link += step;
    const one = { link, first, end: first + rows };
    first = one.end;
    return one;
  });
}

const anySteps = fc.array(
  fc.tuple(
    fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 2 ** 45 })),
    fc.integer({ min: 1, max: 20_000 }),
  ),
  { minLength: 1, maxLength: linksInGroup * 3 + 1 },
);

test('each link of a chunk is found in its group, with its rows, and no other link is', () => {
  fc.assert(
    fc.property(anySteps, (steps) => {
      const links = linksOf(steps);
      const groups = groupsOf(links);
      const find = (link: number) => {
        const group = groups.find(({ lastLink }) => lastLink >= link);
        return group === undefined ? null : rowsIn(group.cells, link);
      };
      const ids = new Set(links.map(({ link }) => link));
      for (const { link, first, end } of links) {
        expect(find(link)).toEqual({ first, end });
        if (!ids.has(link + 1)) expect(find(link + 1)).toBeNull();
        if (!ids.has(link - 1)) expect(find(link - 1)).toBeNull();
      }
    }),
    { numRuns: 200 },
  );
});

test('a link of a chunk takes few bytes', () => {
  const groups = groupsOf(linksOf(Array.from({ length: 10_000 }, () => [20, 1])));
  const bytes = groups.reduce((sum, { cells }) => sum + cells.length, 0);
  expect(bytes).toBeLessThan(10_000 * 2.2);
  expect(groups.length).toBe(Math.ceil(10_000 / linksInGroup));
});
