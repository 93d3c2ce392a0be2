import { join } from 'node:path';

const root = join(import.meta.dir, '..', '..');

/** Builds the one file for this machine into a folder, and returns its path. `checkout` is the folder of its sources. */
export async function buildFile(dist: string, words: string[] = [], checkout = root): Promise<string> {
  const child = Bun.spawn([process.execPath, 'scripts/build.ts', ...words], {
    cwd: checkout,
    // Packing a Debian package as tightly as for a release takes 18 s of CPU.
    env: { ...process.env, LINNET_DIST: dist, DPKG_DEB_COMPRESSOR_LEVEL: '1' },
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

/** The file that `npm test` has built for all of the suite; where it hasn't, one that is built into a folder. */
export const builtFile = async (dist: string): Promise<string> =>
  process.env.LINNET_BUILT ?? (await buildFile(dist));

/** What a tool said and how it ended; null where this machine doesn't have it. */
export function toolOutput(command: string[]): { code: number; said: string } | null {
  if (Bun.which(command[0] ?? '') === null) return null;
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { stdout: 'pipe', stderr: 'pipe' });
  return { code: exitCode, said: `${stdout}${stderr}` };
}

/** For what can't be tried on this machine: the test says so, and passes. */
export const notTried = (missing: string): void => {
  process.stderr.write(`Not tried, as this machine doesn't have or doesn't allow ${missing}.\n`);
};

const script = join(import.meta.dir, 'in-empty-root.sh');

/** The command that runs a file in an empty root; null where this machine doesn't let us make one. */
export function inEmptyRoot(file: string): string[] | null {
  const tried = Bun.spawnSync([script, file, 'version'], { stdout: 'pipe', stderr: 'pipe' });
  return tried.exitCode === 0 ? [script, file] : null;
}
