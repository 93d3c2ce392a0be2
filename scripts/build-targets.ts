import { createHash } from 'node:crypto';
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { packages } from '../package-lock.json' with { type: 'json' };

/** A platform that Linnet is built for: the suffix of the file's name, and the npm package with the runtime. */
export interface Target {
  readonly name: string;
  readonly runtime: string;
  readonly compile: Bun.Build.CompileTarget;
}

const target = (name: string, compile: string, runtime = `bun-${compile}`): Target => ({
  name,
  runtime: `@oven/${runtime}`,
  compile: `bun-${compile}` as Bun.Build.CompileTarget,
});

export const targets: readonly Target[] = [
  target('linux-x64', 'linux-x64'),
  target('linux-arm64', 'linux-arm64', 'bun-linux-aarch64'),
  target('linux-x64-musl', 'linux-x64-musl'),
  target('linux-arm64-musl', 'linux-arm64-musl', 'bun-linux-aarch64-musl'),
  target('darwin-x64', 'darwin-x64'),
  target('darwin-arm64', 'darwin-arm64', 'bun-darwin-aarch64'),
  target('windows-x64.exe', 'windows-x64'),
  target('windows-arm64.exe', 'windows-arm64', 'bun-windows-aarch64'),
];

/** The target of this machine. */
export function hostTarget(): Target {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const isMusl = process.platform === 'linux' && header.glibcVersionRuntime === undefined;
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `${system}-${process.arch}${isMusl ? '-musl' : ''}${system === 'windows' ? '.exe' : ''}`;
  const found = targets.find((target) => target.name === name);
  if (!found) throw new Error(`There is no runtime for this kind of machine (${name}).`);
  return found;
}

/** Downloads the runtime of a target from npm (version and checksum from package-lock.json) and caches it in `folder`. */
export async function runtimeFor({ runtime }: Target, folder: string): Promise<string> {
  const locked = (packages as Record<string, { version?: string; integrity?: string }>)[
    `node_modules/${runtime}`
  ];
  if (!locked?.version || !locked.integrity) throw new Error(`package-lock.json doesn't have ${runtime}.`);
  const cached = join(folder, `${runtime.replace('/', '-')}-${locked.version}`);
  const file = join(cached, 'package', 'bin', runtime.includes('windows') ? 'bun.exe' : 'bun');
  if (await Bun.file(file).exists()) return file;
  const unpackFolder = `${cached}.${process.pid}`;
  await rm(unpackFolder, { recursive: true, force: true });
  await mkdir(unpackFolder, { recursive: true });
  await run(['npm', 'pack', '--silent', `${runtime}@${locked.version}`], unpackFolder);
  const [archive = ''] = await Array.fromAsync(
    new Bun.Glob('*.tgz').scan({ cwd: unpackFolder, absolute: true }),
  );
  const [algorithm = '', expected] = locked.integrity.split(/-(.*)/s);
  const checksum = createHash(algorithm)
    .update(await Bun.file(archive).bytes())
    .digest('base64');
  if (checksum !== expected)
    throw new Error(`${runtime} is not what package-lock.json says: ${algorithm} ${checksum}.`);
  await run(['tar', '-xzf', archive], unpackFolder);
  await rm(archive);
  await chmod(join(unpackFolder, 'package', 'bin', runtime.includes('windows') ? 'bun.exe' : 'bun'), 0o755);
  await rm(cached, { recursive: true, force: true });
  await rename(unpackFolder, cached);
  return file;
}

async function run(command: string[], cwd: string): Promise<void> {
  const child = Bun.spawn(command, { cwd, stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' });
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed.`);
}
