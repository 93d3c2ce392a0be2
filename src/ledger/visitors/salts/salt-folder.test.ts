import { afterEach, beforeEach, expect, test } from 'bun:test';
import { linkSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/program.ts';
import { SaltFolder } from './salt-folder.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let path: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  path = join(folder.path, 'salts');
});
afterEach(() => folder[Symbol.asyncDispose]());

const salt = (byte: number) => new Uint8Array(32).fill(byte);

test('the first salt of a day is kept, for every worker and across restarts', () => {
  const salts = new SaltFolder(path);
  expect(salts.find(20_000)).toBeNull();
  expect([...salts.keep(20_000, salt(1))]).toEqual([...salt(1)]);
  expect([...new SaltFolder(path).keep(20_000, salt(2))]).toEqual([...salt(1)]);
  expect([...(new SaltFolder(path).find(20_000) ?? [])]).toEqual([...salt(1)]);
  expect(readdirSync(path)).toEqual(['20000']);
  expect((statSync(join(path, '20000')).mode & 0o777).toString(8)).toBe('600');
  expect((statSync(path).mode & 0o777).toString(8)).toBe('700');
});

test('a destroyed salt is overwritten under all of its names, and other days stay', () => {
  const salts = new SaltFolder(path);
  for (const day of [1, 2, 20_000]) salts.keep(day, salt(day % 256));
  salts.keepDraft(2, salt(9));
  // As if a process was killed between linking the file and unlinking its other name.
  linkSync(join(path, '1'), join(path, '1.0a1b2c0a1b2c'));
  const watched = join(folder.path, 'watched');
  linkSync(join(path, '2'), watched);
  expect(salts.hasBefore(3)).toBe(true);
  for (const name of ['1.txt', '2-of-another', 'x1']) writeFileSync(join(path, name), 'not ours');
  salts.destroyBefore(3);
  expect(readdirSync(path).sort()).toEqual(['1.txt', '2-of-another', '20000', 'x1']);
  expect(readFileSync(watched)).toHaveLength(32);
  expect(readFileSync(watched).includes(Buffer.from(salt(2)))).toBe(false);
  expect(salts.hasBefore(3)).toBe(false);
  salts.destroyBefore(3);
});

test('an invalid salt file is replaced', () => {
  const salts = new SaltFolder(path);
  salts.keep(5, salt(5));
  writeFileSync(join(path, '5'), 'cut');
  expect(salts.find(5)).toBeNull();
  expect([...salts.keep(5, salt(6))]).toEqual([...salt(6)]);
  expect([...salts.keep(5, salt(7))]).toEqual([...salt(6)]);
});

test('the first salt of a day is kept on a file system without hard links too', () => {
  const noLinks = () => {
    throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
  };
  const salts = new SaltFolder(path, noLinks);
  expect([...salts.keep(5, salt(5))]).toEqual([...salt(5)]);
  expect([...new SaltFolder(path, noLinks).keep(5, salt(6))]).toEqual([...salt(5)]);
  expect(readdirSync(path)).toEqual(['5']);
});
