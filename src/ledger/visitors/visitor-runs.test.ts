import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { FloatList } from '../../structures/float-list.ts';
import { filteredRun, readRun, VisitorRun } from './visitor-runs.ts';

type Group = readonly [owner: number, visitors: readonly number[]];

const group = fc.tuple(
  fc.oneof(fc.integer({ min: -300, max: 300 }), fc.integer({ min: -(2 ** 40), max: 2 ** 40 })),
  fc.array(fc.oneof(fc.nat({ max: 300 }), fc.integer({ min: 0, max: 2 ** 52 - 1 })), {
    minLength: 1,
    maxLength: 300,
  }),
);

function runOf(groups: readonly Group[]): Buffer {
  const run = new VisitorRun();
  run.begin();
  for (const [owner, visitors] of groups) {
    const list = new FloatList();
    for (const visitor of visitors) list.push(visitor);
    run.add(owner, list);
  }
  return run.finish() ?? Buffer.alloc(0);
}

function read(bytes: Buffer): Group[] {
  const groups: Group[] = [];
  readRun(bytes, (owner, visitors) => groups.push([owner, [...visitors.all]]));
  return groups;
}

test('concatenated runs are read as they were written, without removed visitors', () => {
  fc.assert(
    fc.property(fc.array(group), fc.array(group), (one, other) => {
      const both = Buffer.concat([runOf(one), runOf(other)]);
      expect(read(both)).toEqual([...one, ...other]);
      const removed = new Set(one.slice(0, 2).map(([owner]) => owner));
      const expected = [...one, ...other].filter(([owner]) => !removed.has(owner));
      const { run } = filteredRun(both, (owner) => !removed.has(owner));
      expect(read(run ?? Buffer.alloc(0))).toEqual(expected);
    }),
  );
  const ofTwo = runOf([[5, [1, 2]]]);
  expect(filteredRun(ofTwo, (_, visitor) => visitor === 2)).toEqual({ run: runOf([[5, [2]]]), removed: 1 });
  expect(filteredRun(ofTwo, () => false)).toEqual({ run: null, removed: 2 });
  expect(() => read(runOf([[5, [1]]]).subarray(0, 3))).toThrow();
});
