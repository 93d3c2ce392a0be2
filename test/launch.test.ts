import { expect, test } from 'bun:test';
import { copyFile, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './support/program.ts';

const root = join(import.meta.dir, '..');

/** As much of a fresh clone as the launcher reads. */
async function cloneIn(folder: string): Promise<void> {
  await mkdir(join(folder, 'scripts'));
  const files = ['package.json', 'package-lock.json', 'scripts/launch.mjs', 'scripts/start-environment.json'];
  for (const file of files) await copyFile(join(root, file), join(folder, file));
}

async function start(cwd: string, env: Record<string, string>) {
  const child = Bun.spawn(['node', 'scripts/launch.mjs', 'start'], {
    cwd,
    env: { HOME: cwd, PATH: process.env.PATH ?? '', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [code, said] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  return { code, said };
}

test('a first start without a network says so, and does not try for minutes', async () => {
  await using clone = await temporaryFolder();
  await cloneIn(clone.path);
  const began = performance.now();
  const { code, said } = await start(clone.path, { npm_config_registry: 'http://127.0.0.1:9/' });
  expect(code).toBe(1);
  expect(said.trim().split('\n')).toEqual([
    'Installing what is missing; this happens once.',
    expect.stringMatching(
      /^npm can not reach http:\/\/127\.0\.0\.1:9\/? \(ECONNREFUSED\), .* run the same command again\.$/,
    ),
  ]);
  // With npm's default retries it takes well over a minute on an idle machine.
  expect(performance.now() - began).toBeLessThan(60_000);
}, 240_000);

test('a first start without npm says that it is missing', async () => {
  await using clone = await temporaryFolder();
  await cloneIn(clone.path);
  const bin = join(clone.path, 'bin');
  await mkdir(bin);
  await symlink(Bun.which('node') ?? '', join(bin, 'node'));
  const { code, said } = await start(clone.path, { PATH: bin });
  expect(code).toBe(1);
  expect(said).toContain('npm was not found. It comes with Node');
  expect(await readdir(clone.path)).not.toContain('node_modules');
});
