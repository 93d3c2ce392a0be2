import { expect, test } from 'bun:test';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captchaScript } from './captcha-script.ts';

test('the script is bundled once, stands alone, and is small', async () => {
  const [script, again] = await Promise.all([captchaScript(), captchaScript()]);
  expect(again).toBe(script);
  expect(script).toContain('deriveBits');
  expect(script).not.toMatch(/\bimport\b|\brequire\(|https?:\/\//);
  expect(script.length).toBeLessThan(20_000);
});

test('it is bundled also where Linnet is installed in a folder with a name like any other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'my links % ü '));
  await cp(import.meta.dir, folder, { recursive: true });
  await symlink(join(import.meta.dir, '../../../node_modules'), join(folder, 'node_modules'));
  const moved = await import(join(folder, 'captcha-script.ts'));
  expect(await moved.captchaScript()).toBe(await captchaScript());
  await rm(folder, { recursive: true });
});
