import { expect, test } from 'bun:test';
import { utimesSync, writeFileSync } from 'node:fs';
import { temporaryFolder } from '../../test/support/program.ts';
import { segmentFile, segmentsIn } from './files.ts';
import { FoldedSegments } from './folded-segments.ts';

test('folded segments are kept for a while after they were folded, and the newest of them up to a size', async () => {
  await using folder = await temporaryFolder();
  const setOld = (segment: number) => utimesSync(segmentFile(folder.path, segment), 1, 1);
  for (const segment of [1, 2, 3, 4, 5]) {
    writeFileSync(segmentFile(folder.path, segment), Buffer.alloc(100));
    setOld(segment);
  }
  const keep = { milliseconds: 60_000, bytes: 250 };
  const folded = new FoldedSegments(folder.path, keep, 1);
  folded.passed(3);
  expect(segmentsIn(folder.path)).toEqual([1, 2, 3, 4, 5]);
  folded.passed(5);
  expect(segmentsIn(folder.path)).toEqual([3, 4, 5]);
  expect(folded.isEmpty).toBe(false);

  // As after a restart.
  setOld(3);
  new FoldedSegments(folder.path, keep, 5).trim();
  expect(segmentsIn(folder.path)).toEqual([4, 5]);
  const keepingNone = new FoldedSegments(folder.path, { milliseconds: 0, bytes: 0 }, 5);
  keepingNone.finish(true);
  expect(segmentsIn(folder.path)).toEqual([]);
  expect(keepingNone.isEmpty).toBe(true);
});
