import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { temporaryFolder } from '../../test/support/program.ts';
import { StoreUnavailable } from '../rules/errors.ts';
import { compressor, linesOf } from './backup-file.ts';
import type { BackupPart, BackupStream, BackupTarget } from './backup-stream.ts';
import { openBackup, restore } from './restore.ts';

const rows: BackupPart = { part: 'rows', json: '[[1]]', count: 1 };

/** The error of a restore whose target refuses the first part with `cause`, and how many of five parts were read. */
async function restoreRefusedWith(cause: Error): Promise<readonly [string, number]> {
  let read = 0;
  async function* parts(): AsyncGenerator<BackupPart> {
    for (; read < 5; read++) yield rows;
    throw new Error('damaged');
  }
  const target: BackupTarget = {
    kind: 'sqlite',
    begin: async () => {},
    take: () => Promise.reject(cause),
    finish: async () => {},
    close: async () => {},
  };
  const header: BackupStream['header'] = { kind: 'sqlite', migration: 1, madeAt: '', keyMark: null };
  const message = await restore({ header, parts: parts(), close: async () => {} }, target).then(
    () => 'restored',
    (problem: Error) => problem.message,
  );
  return [message, read];
}

test('if rows are refused, the backup is still read to the end, so that damage is reported', async () => {
  expect(await restoreRefusedWith(new Error('no such column'))).toEqual(['damaged', 5]);
});

test('if the store is away or its disk is full, the rest of the backup is not read', async () => {
  expect(await restoreRefusedWith(new StoreUnavailable('The database is away.'))).toEqual([
    'The database is away.',
    0,
  ]);
  const full = Object.assign(new Error('disk full'), { code: 'SQLITE_FULL' });
  expect(await restoreRefusedWith(full)).toEqual(['disk full', 0]);
});

test('a backup is read from a pipe with a name, such as /dev/stdin', async () => {
  await using folder = await temporaryFolder();
  const header: BackupStream['header'] = { kind: 'sqlite', migration: 1, madeAt: 'now', keyMark: null };
  async function* parts(): AsyncGenerator<BackupPart> {
    yield rows;
  }
  const bytes = await buffer(Readable.from(linesOf({ header, parts: parts() })).pipe(compressor()));
  const file = join(folder.path, 'backup.linnet');
  await Bun.write(file, bytes);
  const pipe = join(folder.path, 'pipe');
  Bun.spawnSync(['mkfifo', pipe]);
  await using writer = Bun.spawn(['sh', '-c', 'cat "$1" > "$2"', 'sh', file, pipe]);
  for (const name of [pipe, file]) {
    const backup = await openBackup(name, new Date());
    expect(backup.header).toEqual(header);
    const read: BackupPart[] = [];
    for await (const part of backup.parts) read.push(part);
    expect(read).toHaveLength(1);
    await backup.close();
  }
  expect(await writer.exited).toBe(0);
});
