import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { BundledFile } from './bundled-file.ts';

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);
const compressible = /^(text\/|application\/(javascript|json)|image\/svg)/;

/** Bundles an entry file with its imports for browsers. The commands that its pages show begin with `commandPrefix`. */
export async function bundle(entry: string, commandPrefix: string): Promise<BundledFile[]> {
  const built = await Bun.build({
    entrypoints: [entry],
    target: 'browser',
    minify: true,
    splitting: true,
    publicPath: '/assets/',
    env: 'disable',
    define: { COMMAND_PREFIX: JSON.stringify(commandPrefix) },
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
  });
  const files = built.outputs.map(async (output): Promise<BundledFile> => {
    const plain = new Uint8Array(await output.arrayBuffer());
    return { name: output.path.replace(/^\.\//, ''), ...(await compressed(output.type, plain)) };
  });
  return Promise.all(files);
}

async function compressed(type: string, plain: Uint8Array<ArrayBuffer>): Promise<Omit<BundledFile, 'name'>> {
  if (!compressible.test(type)) return { type, plain, gzip: null, brotli: null };
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  const [gzip, brotli] = await Promise.all([gzipped(plain), brotlied(plain, quality)]);
  return { type, plain, gzip: Uint8Array.from(gzip), brotli: Uint8Array.from(brotli) };
}
