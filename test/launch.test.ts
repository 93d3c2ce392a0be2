import { expect, test } from 'bun:test';
import { copyFile, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './support/program.ts';

const root = join(import.meta.dir, '..');

/** Copies the files of a new clone that the launcher reads. */
async function copyCloneTo(folder: string): Promise<void> {
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
  const [code, stderr] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  return { code, stderr };
}

test('a first start without a network reports that, and does not retry for minutes', async () => {
  await using clone = await temporaryFolder();
  await copyCloneTo(clone.path);
  const startedAt = performance.now();
  const { code, stderr } = await start(clone.path, { npm_config_registry: 'http://127.0.0.1:9/' });
  expect(code).toBe(1);
  expect(stderr.trim().split('\n')).toEqual([
    'Installing what is missing; this happens once.',
    expect.stringMatching(
      /^npm can not reach http:\/\/127\.0\.0\.1:9\/? \(ECONNREFUSED\), .* run the same command again\.$/,
    ),
  ]);
  // With npm's default retries it takes well over a minute on an idle machine.
  expect(performance.now() - startedAt).toBeLessThan(60_000);
}, 240_000);

test('a first start without npm reports that it is missing', async () => {
  await using clone = await temporaryFolder();
  await copyCloneTo(clone.path);
  const bin = join(clone.path, 'bin');
  await mkdir(bin);
  await symlink(Bun.which('node') ?? '', join(bin, 'node'));
  const { code, stderr } = await start(clone.path, { PATH: bin });
  expect(code).toBe(1);
  expect(stderr).toContain('npm was not found. It comes with Node');
  expect(await readdir(clone.path)).not.toContain('node_modules');
});
