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

/** Looks at the modes of all files in a folder, again and again, until it is told to stop; then prints those it has seen. */
const modesSeen = `
  const { readdirSync, statSync } = require('node:fs');
  const modes = new Set();
  let isOver = false;
  process.stdin.on('end', () => { isOver = true; }).resume();
  console.log('looking');
  const look = () => {
    for (const name of readdirSync('.')) {
      const file = statSync(name, { throwIfNoEntry: false });
      if (file) modes.add((file.mode & 0o777).toString(8));
    }
    if (isOver) console.log([...modes].join());
    else setImmediate(look);
  };
  look();
`;

test('a file that is created to be locked can not be read by other users at any moment', async () => {
  await using folder = await temporaryFolder();
  const watcher = Bun.spawn([process.execPath, '-e', modesSeen], { cwd: folder.path, stdin: 'pipe' });
  const output = watcher.stdout.getReader();
  await output.read();
  for (let count = 0; count < 300; count++) lockFile(join(folder.path, `lock ${count}`))?.release();
  await watcher.stdin.end();
  expect(new TextDecoder().decode((await output.read()).value).trim()).toBe('600');
});
