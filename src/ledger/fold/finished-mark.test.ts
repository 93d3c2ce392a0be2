import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watermarkRetention } from '../fold-store.ts';
import { isExpired, markFinished } from './finished-mark.ts';

test('a journal without a watermark counts as folded only with a whole mark from before watermarks expired', () => {
  const folder = mkdtempSync(join(tmpdir(), 'linnet-test-'));
  const finishedAt = 1_800_000_000_000;
  const later = finishedAt + watermarkRetention;
  try {
    expect(isExpired(folder, null, later)).toBe(false);
    markFinished(folder, finishedAt);
    expect(isExpired(folder, null, later)).toBe(true);
    expect(isExpired(folder, { segment: 1, offset: 0 }, later)).toBe(false);
    // The database may have gone back to an earlier state, without the watermark.
    expect(isExpired(folder, null, finishedAt)).toBe(false);
    // Written on a full disk.
    for (const text of ['', '1', String(finishedAt)]) {
      writeFileSync(join(folder, 'finished'), text);
      expect(isExpired(folder, null, later)).toBe(false);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
