import { expect, test } from 'bun:test';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captchaScript } from './captcha-script.ts';

const fail = (cause: unknown) => {
  throw cause;
};

test('the script is bundled once, is self-contained, and is small', async () => {
  const [bytes, again] = await Promise.all([captchaScript.get(fail), captchaScript.get(fail)]);
  expect(again).toBe(bytes);
  const script = new TextDecoder().decode(bytes);
  expect(script).toContain('deriveBits');
  expect(script).not.toMatch(/\bimport\b|\brequire\(|https?:\/\//);
  expect(script.length).toBeLessThan(20_000);
});

test('the script is bundled even if Linnet is installed in a folder with an unusual name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'my links % ü '));
  const source = join(import.meta.dir, '../..');
  for (const part of ['bundle', 'visit/gates'])
    await cp(join(source, part), join(folder, part), { recursive: true });
  await symlink(join(source, '../node_modules'), join(folder, 'node_modules'));
  const moved = await import(join(folder, 'visit/gates/captcha-script.ts'));
  expect(await moved.captchaScript.get(fail)).toEqual(await captchaScript.get(fail));
  await rm(folder, { recursive: true });
});
