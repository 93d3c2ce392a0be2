/**
 * Bundles what its argument names, and prints the files; or says on standard error why it can't. A process of its own:
 * the runtime remembers which packages it has not found until a process ends, and gives back little of a bundler's memory.
 */
import type { PrintedFile } from './kept-bundle.ts';

interface BundlerMessage {
  readonly message: string;
  readonly position?: { readonly file: string; readonly line: number } | null;
}

const wordsOf = ({ message, position }: BundlerMessage): string =>
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
  process.stderr.write(`${[message, ...errors.map(wordsOf)].join('\n')}\n`);
  process.exit(1);
}
