/**
 * Bundles the entry file given as its argument and prints the files, or the errors on standard error. It is a process of its own
 * because the runtime remembers missing packages until the process ends, and frees little of a bundler's memory.
 */
import { bundle } from './bundle.ts';
import { mapContents, type PrintedFile } from './bundled-file.ts';
import { commandPrefix } from './shell-command.ts';

interface BundlerMessage {
  readonly message: string;
  readonly position?: { readonly file: string; readonly line: number } | null;
}

const textOf = ({ message, position }: BundlerMessage): string =>
  position ? `${position.file}:${position.line}: ${message}` : message;

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

try {
  const files = await bundle(process.argv[2] ?? '', commandPrefix);
  await Bun.write(Bun.stdout, JSON.stringify(files.map((file): PrintedFile => mapContents(file, base64))));
} catch (cause) {
  const { errors = [], message } = cause as { errors?: BundlerMessage[]; message: string };
  process.stderr.write(`${[message, ...errors.map(textOf)].join('\n')}\n`);
  process.exit(1);
}
