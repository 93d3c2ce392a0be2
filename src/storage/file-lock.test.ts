import { expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/program.ts';
import { lockFile } from './file-lock.ts';

const garbage: Record<string, string | Uint8Array> = {
  nothing: '',
  'a few letters': '4711\n',
  'a long text': 'this is not a database'.repeat(1_000),
  zeroes: new Uint8Array(8_192),
  'garbage after the header of a database': `SQLite format 3\0${'x'.repeat(8_000)}`,
};

async function lockInAnotherProcess(path: string): Promise<string> {
  const module = JSON.stringify(join(import.meta.dir, 'file-lock.ts'));
  const script = `const { lockFile } = await import(${module}); process.stdout.write(lockFile(${JSON.stringify(path)}) ? 'held' : 'refused');`;
  return new Response(Bun.spawn([process.execPath, '-e', script]).stdout).text();
}

test.each(Object.keys(garbage))(
  'a file with %s in it can be locked, by one holder at a time',
  async (description) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'lock');
    await writeFile(path, garbage[description] ?? '');
    const lock = lockFile(path);
    expect(lock).not.toBeNull();
    expect(lockFile(path)).toBeNull();
    // Refused to another process too: the failed attempt closes the file, which must not release this process's lock on it.
    expect(await lockInAnotherProcess(path)).toBe('refused');
    lock?.release();
    const next = lockFile(path);
    expect(next).not.toBeNull();
    next?.release();
  },
);

test("a file that can't be opened is not reported as a held lock", async () => {
  await using folder = await temporaryFolder();
  expect(() => lockFile(folder.path)).toThrow();
});
