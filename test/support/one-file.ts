import { join } from 'node:path';

const root = join(import.meta.dir, '..', '..');

/** Builds the one file for this machine into a folder, and returns its path. `checkout` is the folder of its sources. */
export async function buildFile(
  dist: string,
  commandArguments: string[] = [],
  checkout = root,
): Promise<string> {
  const child = Bun.spawn([process.execPath, 'scripts/build.ts', ...commandArguments], {
    cwd: checkout,
    // The compression level of a release takes 18 s of CPU for a Debian package, and the fastest one 2 s.
    env: { ...process.env, LINNET_DIST: dist, DPKG_DEB_COMPRESSOR_LEVEL: '0' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [code, out, err] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if (code !== 0) throw new Error(`the build failed: ${err}`);
  return out.split(/ {2}/)[0] ?? '';
}

/** The file that `npm test` has built for the whole suite; without `npm test`, one that is built into a folder. */
export const builtFile = async (dist: string): Promise<string> =>
  process.env.LINNET_BUILT ?? (await buildFile(dist));

/** The exit code and the output of a tool; null if it isn't installed. */
export function toolOutput(command: string[]): { code: number; output: string } | null {
  if (Bun.which(command[0] ?? '') === null) return null;
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { stdout: 'pipe', stderr: 'pipe' });
  return { code: exitCode, output: `${stdout}${stderr}` };
}

/** For tests that can't run on this machine: prints why, and the test passes. */
export const reportSkipped = (missing: string): void => {
  process.stderr.write(`Not tried, as this machine doesn't have or doesn't allow ${missing}.\n`);
};

const script = join(import.meta.dir, 'in-empty-root.sh');

/** The command that runs a file in an empty root folder; null if this machine doesn't permit creating one. */
export function inEmptyRoot(file: string): string[] | null {
  const result = Bun.spawnSync([script, file, 'version'], { stdout: 'pipe', stderr: 'pipe' });
  return result.exitCode === 0 ? [script, file] : null;
}
