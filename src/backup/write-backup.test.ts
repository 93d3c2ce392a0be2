import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackupStream } from './backup-stream.ts';
import { writeToFile } from './write-backup.ts';

test('a backup whose source fails reports why, and leaves no file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'linnet-test-'));
  const file = join(folder, 'linnet.backup');
  const backup: BackupStream = {
    header: { kind: 'sqlite', migration: 1, madeAt: '2026-11-25T00:00:00.000Z', keyMark: null },
    parts: (async function* () {
      yield { part: 'table', name: 'links', columns: ['id'], bytes: [] } as const;
      throw new Error('the source has failed');
    })(),
    close: async () => {},
  };
  await expect(writeToFile(backup, file)).rejects.toThrow('the source has failed');
  expect([existsSync(file), readdirSync(folder)]).toEqual([false, []]);
  rmSync(folder, { recursive: true });
});
