import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, pollUntil } from './support/eventually.ts';
import { storeFolder } from './support/migrated-store.ts';
import { type Program, problemsOf, runServer, temporaryFolder } from './support/program.ts';

const root = join(import.meta.dir, '..');
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let checkout: string;

/** A checkout whose packages can be removed, as `npm ci` does while it installs. */
beforeAll(async () => {
  folder = await temporaryFolder();
  checkout = join(folder.path, 'checkout');
  await cp(join(root, 'src'), join(checkout, 'src'), { recursive: true });
  await cp(join(root, 'package.json'), join(checkout, 'package.json'));
  await cp(join(root, 'scripts'), join(checkout, 'scripts'), { recursive: true });
  await mkdir(join(checkout, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules')))
    await symlink(join(root, 'node_modules', name), join(checkout, 'node_modules', name));
});
afterAll(() => folder[Symbol.asyncDispose]());

const preactFolder = () => join(checkout, 'node_modules', 'preact');
const removePreact = () => rename(preactFolder(), join(folder.path, 'preact'));
const restorePreact = () => rename(join(folder.path, 'preact'), preactFolder());

/** The user CPU time of a process's ended children, in clock ticks. */
function cpuTimeOfChildren(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return Number(fields[13]);
}

/** Undefined while it doesn't run. */
function bundlerOf(pid: number): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children
    .map(Number)
    .find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('bundle-program'));
}

async function withServer(work: (url: string, program: Program) => Promise<void>): Promise<void> {
  await using data = await storeFolder();
  const program = runServer({ PORT: '0', DATA_DIR: data.path }, checkout);
  try {
    await work(await program.address(), program);
  } finally {
    program.kill('SIGKILL');
    await program.exited;
  }
}

async function statusesOf(url: string): Promise<string> {
  const response = await fetch(`${url}/app`);
  const text = await response.text();
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(text)?.[1];
  return `${response.status} ${script === undefined ? 'no script' : (await fetch(url + script)).status}`;
}

test(
  'the dashboard is bundled before the first request, and remains available when its packages are removed',
  () =>
    withServer(async (url, { pid }) => {
      await eventually(() => cpuTimeOfChildren(pid) > 0, 'the bundler to have ended');
      await removePreact();
      const statuses = await statusesOf(url);
      await restorePreact();
      expect(statuses).toBe('200 200');
    }),
  240_000,
);

test("the dashboard is bundled once its packages are back, and the log has the bundler's message", async () => {
  await removePreact();
  await withServer(async (url, program) => {
    expect(await statusesOf(url)).toBe('503 no script');
    expect(program.output().err).toContain('Could not resolve: \\"preact');
    await restorePreact();
    await eventually(async () => (await statusesOf(url)) === '200 200', 'the page');
  });
}, 240_000);

test(
  'signals to the bundler, as at a stop while the dashboard is bundled, are not reported',
  () =>
    withServer(async (url, program) => {
      const nextBundler = (last?: number) =>
        pollUntil(
          () => {
            // A request starts a bundler again, and waits for it.
            if (last !== undefined) fetch(`${url}/app`).catch(() => {});
            return bundlerOf(program.pid);
          },
          (pid) => pid !== undefined && pid !== last,
          'the bundler',
        );
      const first = await nextBundler();
      process.kill(Number(first), 'SIGTERM');
      process.kill(Number(await nextBundler(first)), 'SIGINT');
      program.kill('SIGINT');
      expect(await program.exited).toBe(0);
      expect(problemsOf(program)).toEqual([]);
    }),
  240_000,
);
