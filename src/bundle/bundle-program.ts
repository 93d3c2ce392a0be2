/**
 * Bundles the entry file given as its argument and prints the files, or the errors on standard error. It is a process
 * of its own because the runtime remembers missing packages until the process ends, and frees little of a bundler's memory.
 */
import type { PrintedFile } from './kept-bundle.ts';

interface BundlerMessage {
  readonly message: string;
  readonly position?: { readonly file: string; readonly line: number } | null;
}

const textOf = ({ message, position }: BundlerMessage): string =>
  position ? `${position.file}:${position.line}: ${message}` : message;

try {
  const built = await Bun.build({
    entrypoints: [process.argv[2] ?? ''],
    target: 'browser',
    minify: true,
    splitting: true,
    publicPath: '/assets/',
    env: 'disable',
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
  });
  const files = built.outputs.map(async (output): Promise<PrintedFile> => {
    const base64 = Buffer.from(await output.arrayBuffer()).toString('base64');
    return { path: output.path, type: output.type, base64 };
  });
  await Bun.write(Bun.stdout, JSON.stringify(await Promise.all(files)));
} catch (cause) {
  const { errors = [], message } = cause as { errors?: BundlerMessage[]; message: string };
  process.stderr.write(`${[message, ...errors.map(textOf)].join('\n')}\n`);
  process.exit(1);
}
