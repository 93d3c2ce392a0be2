/**
 * `npm run build`: builds the one file, `dist/linnet-<system>-<arch>`, for this machine, for the targets named after `--`, or for
 * `all`. `--deb` also builds a Debian package. Runtimes of other platforms come from npm.
 */
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../src/bundle/bundle.ts';
import type { BundledFile } from '../src/bundle/bundled-file.ts';
import type { BundleName } from '../src/bundle/contents.ts';
import { bundledCountryFile, threadSources } from '../src/bundle/module-urls.ts';
import { hostTarget, runtimeFor, type Target, targets } from './build-targets.ts';
import { buildDeb } from './deb.ts';

const root = join(import.meta.dir, '..');
const dist = process.env.LINNET_DIST ?? join(root, 'dist');
const source = (...path: string[]): string => join(root, 'src', ...path);

const entries: Readonly<Record<BundleName, string>> = {
  dashboard: source('dashboard', 'index.html'),
  captcha: source('visit', 'gates', 'captcha-client.ts'),
};

const withDeb = process.argv.includes('--deb');
const names = process.argv.slice(2).filter((word) => word !== '--deb');
const unknown = names.find((name) => name !== 'all' && !targets.some((target) => target.name === name));
if (unknown !== undefined) {
  process.stderr.write(
    `There is no target ${unknown}: ${targets.map(({ name }) => name).join(', ')}, all.\n`,
  );
  process.exit(2);
}
const host = hostTarget();
const chosen =
  names.length === 0 ? [host] : targets.filter(({ name }) => names.includes(name) || names.includes('all'));

const workFolder = await mkdtemp(join(tmpdir(), 'linnet-build-'));
try {
  const contents = await contentsModule();
  await mkdir(dist, { recursive: true });
  for (const target of chosen) await compile(target, contents);
} finally {
  await rm(workFolder, { recursive: true });
}

async function compile(target: Target, contents: string): Promise<void> {
  // The same name for every build, because the file contains it.
  const outfile = join(workFolder, target.name.endsWith('.exe') ? 'linnet.exe' : 'linnet');
  await Bun.build({
    entrypoints: [source('main.ts'), ...Object.values(threadSources).map((path) => source('bundle', path))],
    naming: { entry: '[name].[ext]' },
    target: 'bun',
    format: 'esm',
    minify: true,
    bytecode: true,
    env: 'disable',
    plugins: [
      {
        name: 'contents',
        setup(build) {
          build.onLoad({ filter: /[\\/]src[\\/]bundle[\\/]contents\.ts$/ }, () => ({
            contents,
            loader: 'ts',
          }));
        },
      },
    ],
    compile: {
      outfile,
      target: target.compile,
      ...(target === host ? {} : { executablePath: await runtimeFor(target, join(dist, '.runtimes')) }),
      // An .env file in the working folder may belong to another program.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  });
  const file = join(dist, `linnet-${target.name}`);
  await rename(outfile, file).catch(async () => {
    await Bun.write(file, Bun.file(outfile));
    await rm(outfile);
  });
  const deb = withDeb ? await buildDeb(target.name, file, dist) : null;
  for (const path of [file, ...(deb === null ? [] : [deb])])
    process.stdout.write(`${path}  ${Math.round(Bun.file(path).size / 1e6)} MB\n`);
}

/** The source that replaces `src/bundle/contents.ts`. */
async function contentsModule(): Promise<string> {
  const imports: string[] = [];
  const embed = (path: string): string => {
    imports.push(`import file${imports.length} from ${JSON.stringify(path)} with { type: 'file' };`);
    return `file${imports.length - 1}`;
  };
  const writeAndEmbed = async (name: string, bytes: Uint8Array | null): Promise<string> => {
    if (bytes === null) return 'null';
    const path = join(workFolder, 'bundles', name);
    await Bun.write(path, bytes);
    return embed(path);
  };
  const bundles: string[] = [];
  for (const [bundleName, entry] of Object.entries(entries)) {
    const files: string[] = [];
    for (const { name, type, ...bytes } of await bundled(entry)) {
      const plain = await writeAndEmbed(name, bytes.plain);
      const gzip = await writeAndEmbed(`${name}.gz`, bytes.gzip);
      const brotli = await writeAndEmbed(`${name}.br`, bytes.brotli);
      files.push(
        `{ name: ${JSON.stringify(name)}, type: ${JSON.stringify(type)}, plain: ${plain}, gzip: ${gzip}, brotli: ${brotli} }`,
      );
    }
    bundles.push(`${bundleName}: [${files.join(', ')}]`);
  }
  const countryFile = embed(bundledCountryFile());
  return `${imports.join('\n')}
export const contents = {
  commit: ${JSON.stringify(commit())},
  countryFile: ${countryFile},
  bundles: { ${bundles.join(', ')} },
};`;
}

async function bundled(entry: string): Promise<BundledFile[]> {
  const files = await bundle(entry, 'linnet');
  return files.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The commit, marked if files were changed since. LINNET_COMMIT overrides it where there is no repository, as when an image is built. */
function commit(): string {
  const given = process.env.LINNET_COMMIT;
  if (given !== undefined) return given;
  const git = (...words: string[]) => Bun.spawnSync(['git', ...words], { cwd: root, stderr: 'ignore' });
  const head = git('rev-parse', '--short=12', 'HEAD');
  if (head.exitCode !== 0) return '';
  const changes = git('status', '--porcelain', '--untracked-files=no').stdout.toString();
  return `${head.stdout.toString().trim()}${changes === '' ? '' : ', changed'}`;
}
