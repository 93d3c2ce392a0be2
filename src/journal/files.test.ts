import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeIdIn } from './files.ts';

test('the id of a node is created once, also in the place of an empty file, and never as a part of one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'linnet-test-'));
  try {
    const file = join(folder, 'node.id');
    const first = nodeIdIn(folder);
    expect([nodeIdIn(folder), readFileSync(file, 'utf8')]).toEqual([first, `${first}\n`]);
    // What a full disk left of it in earlier versions.
    writeFileSync(file, '');
    const second = nodeIdIn(folder);
    expect(second).toMatch(/^\w{16}$/);
    expect([nodeIdIn(folder), readFileSync(file, 'utf8')]).toEqual([second, `${second}\n`]);
    expect(readdirSync(folder)).toEqual(['node.id']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
