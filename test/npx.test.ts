import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dependencies, version } from '../package.json' with { type: 'json' };
import { toolOutput } from './support/one-file.ts';
import { problemsOf, runFile, stop, temporaryFolder } from './support/program.ts';

const root = join(import.meta.dir, '..');
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let archive: string;

/** The package that `npm pack` creates, as it would be published. */
beforeAll(async () => {
  folder = await temporaryFolder();
  const packed = toolOutput(['npm', 'pack', root, '--silent', '--pack-destination', folder.path]);
  expect(packed?.code).toBe(0);
  archive = join(folder.path, `linnet-${version}.tgz`);
});
afterAll(() => folder[Symbol.asyncDispose]());

/**
 * npm installs the package alone, with an empty package for each of its dependencies: to unpack them all takes 5 s of CPU. They are
 * replaced by those of this checkout, which npm has installed too. Development dependencies are not there.
 */
async function install(home: string): Promise<void> {
  const overrides: Record<string, string> = {};
  for (const [name, ofDependency] of Object.entries(dependencies)) {
    const path = join(folder.path, 'empty', name);
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'package.json'), JSON.stringify({ name, version: ofDependency }));
    overrides[name] = `file:${path}`;
  }
  await mkdir(home);
  await writeFile(join(home, 'package.json'), JSON.stringify({ overrides }));
  const options = ['--prefix', home, '--offline', '--no-audit', '--no-fund'];
  expect(toolOutput(['npm', 'install', ...options, archive])).toMatchObject({ code: 0 });
  for (const name of Object.keys(dependencies)) {
    const installed = join(home, 'node_modules', name);
    await rm(installed);
    await symlink(join(root, 'node_modules', name), installed);
  }
}

async function expectToServe(linnet: string[], home: string): Promise<void> {
  const settings = { PORT: '0', LOG_LEVEL: 'warn' };
  // Another program's settings, which must have no effect.
  await Bun.write(join(home, '.env'), 'PORT=nonsense\nDATABASE_URL=postgres://127.0.0.1:1/other\n');
  const program = runFile([...linnet, 'serve'], settings, home);
  const url = await program.address();
  expect(program.output().out).toContain('This shows the setup token: npx linnet setup token');
  const page = await (await fetch(`${url}/app`)).text();
  const [script = ''] = /\/assets\/[^"]+\.js/.exec(page) ?? [];
  expect((await fetch(url + script)).status).toBe(200);
  await stop(program);
  expect(problemsOf(program)).toEqual([]);
  expect(await readdir(join(home, 'data'))).toContain('linnet.sqlite');
}

test('npm installs the package into an empty folder: it has everything needed to serve, and no tests, and npx runs it', async () => {
  const home = join(folder.path, 'installed');
  await install(home);
  const tests = new Bun.Glob('**/*.test.ts').scan({ cwd: join(home, 'node_modules', 'linnet') });
  expect(await Array.fromAsync(tests)).toEqual([]);
  expect(toolOutput(['npx', '--no', '--prefix', home, 'linnet', 'version'])?.output).toContain(
    `Linnet ${version}\n`,
  );
  // Without npx, which doesn't forward signals.
  await expectToServe([join(home, 'node_modules', '.bin', 'linnet')], home);
}, 240_000);
