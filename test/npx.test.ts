import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { version } from '../package.json' with { type: 'json' };
import { reportSkipped, toolOutput } from './support/one-file.ts';
import { problemsOf, runFile, temporaryFolder } from './support/program.ts';

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

async function expectToServe(linnet: string[], home: string): Promise<void> {
  const settings = { PORT: '0', LOG_LEVEL: 'warn' };
  const versionCommand = runFile([...linnet, 'version'], {}, home);
  expect([await versionCommand.exited, versionCommand.output().out]).toEqual([0, `Linnet ${version}\n`]);
  // Another program's settings, which must have no effect.
  await Bun.write(join(home, '.env'), 'PORT=nonsense\nDATABASE_URL=postgres://127.0.0.1:1/other\n');
  const program = runFile([...linnet, 'serve'], settings, home);
  const url = await program.address();
  expect(program.output().out).toContain('This shows the setup token: npx linnet setup token');
  const page = await (await fetch(`${url}/app`)).text();
  const [script = ''] = /\/assets\/[^"]+\.js/.exec(page) ?? [];
  expect((await fetch(url + script)).status).toBe(200);
  program.kill('SIGTERM');
  expect(await program.exited).toBe(0);
  expect(problemsOf(program)).toEqual([]);
  expect(await readdir(join(home, 'data'))).toContain('linnet.sqlite');
}

test('npm installs the package into an empty folder: it has everything needed to serve, and no tests, and npx runs it', async () => {
  const home = join(folder.path, 'installed');
  await mkdir(home);
  const networkOptions = ['--fetch-retries=0', '--fetch-timeout=20000', '--prefer-offline'];
  const installation = toolOutput([
    'npm',
    'install',
    '--prefix',
    home,
    '--no-audit',
    '--no-fund',
    ...networkOptions,
    archive,
  ]);
  if (
    /code E(NOTFOUND|CONNREFUSED|CONNRESET|TIMEDOUT|AI_AGAIN|NETUNREACH)/.test(installation?.output ?? '')
  ) {
    reportSkipped("npm's registry");
    return expectUnpackedToServe();
  }
  expect(installation).toMatchObject({ code: 0 });
  expect(await testsIn(join(home, 'node_modules', 'linnet'))).toEqual([]);
  expect(toolOutput(['npx', '--no', '--prefix', home, 'linnet', 'version'])?.output).toContain(
    `Linnet ${version}\n`,
  );
  // Without npx, which doesn't forward signals.
  await expectToServe([join(home, 'node_modules', '.bin', 'linnet')], home);
}, 240_000);

const testsIn = (installed: string): Promise<string[]> =>
  Array.fromAsync(new Bun.Glob('**/*.test.ts').scan({ cwd: installed }));

/** The same with the packages of this checkout, for machines where npm reaches no registry. */
async function expectUnpackedToServe(): Promise<void> {
  const home = join(folder.path, 'beside');
  const installed = join(home, 'node_modules');
  const linnet = join(installed, 'linnet');
  await mkdir(linnet, { recursive: true });
  const unpacked = toolOutput(['tar', '-xzf', archive, '--strip-components=1', '-C', linnet]);
  expect(unpacked).toEqual({ code: 0, output: '' });
  expect(await testsIn(linnet)).toEqual([]);
  for (const name of await readdir(join(root, 'node_modules')))
    await symlink(join(root, 'node_modules', name), join(installed, name));
  await expectToServe(['node', join(linnet, 'scripts', 'linnet.mjs')], home);
}
