import { type BundledFile, type EmbeddedFile, mapContents, type PrintedFile } from './bundled-file.ts';
import { type BundleName, contents } from './contents.ts';

const program = Bun.fileURLToPath(new URL('./bundle-program.ts', import.meta.url));
const deadline = 60_000;
/** Milliseconds after a failure before the bundler is started again. */
const retryAfter = 1_000;

/**
 * The bundle of an entry file, built once and cached as `prepare` returns it, so that packages removed later, as during an
 * installation, are not missed. A failure is reported once and not cached: a request a second later tries again. The single-file
 * program contains its bundles.
 */
export class CachedBundle<Prepared> {
  readonly #name: BundleName;
  readonly #entry: string;
  readonly #prepare: (files: readonly BundledFile[]) => Prepared;
  #bundled: Promise<Prepared> | undefined;

  constructor(name: BundleName, entry: URL, prepare: (files: readonly BundledFile[]) => Prepared) {
    this.#name = name;
    this.#entry = Bun.fileURLToPath(entry);
    this.#prepare = prepare;
  }

  get(onFailure: (cause: unknown) => void): Promise<Prepared> {
    this.#bundled ??= this.#bundle().catch((cause) => {
      setTimeout(() => {
        this.#bundled = undefined;
      }, retryAfter).unref();
      if (!(cause instanceof BundlerStopped)) onFailure(cause);
      throw cause;
    });
    return this.#bundled;
  }

  async #bundle(): Promise<Prepared> {
    const files =
      contents === null
        ? (await bundleInOwnProcess(this.#entry)).map((file) => mapContents(file, bytesOf))
        : await Promise.all(contents.bundles[this.#name].map(read));
    return this.#prepare(files);
  }
}

/** Ctrl-C, and a service manager that stops Linnet, signal the bundler as well: that isn't a failure. */
class BundlerStopped extends Error {
  override readonly name = 'BundlerStopped';
}

async function bundleInOwnProcess(entry: string): Promise<PrintedFile[]> {
  const bundler = Bun.spawn([process.execPath, program, entry], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: deadline,
    killSignal: 'SIGKILL',
  });
  bundler.unref();
  const [printed, errors, code] = await Promise.all([
    new Response(bundler.stdout).text(),
    new Response(bundler.stderr).text(),
    bundler.exited,
  ]);
  const signal = bundler.signalCode;
  if (signal === 'SIGINT' || signal === 'SIGTERM')
    throw new BundlerStopped(`the bundler ended with ${signal}`);
  if (code !== 0) throw new Error(errors.trim() || `the bundler ended with ${signal ?? code}`);
  return JSON.parse(printed);
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(base64, 'base64'));

async function read({ name, type, plain, gzip, brotli }: EmbeddedFile): Promise<BundledFile> {
  const bytesAt = (path: string) => Bun.file(path).bytes();
  return {
    name,
    type,
    plain: await bytesAt(plain),
    gzip: gzip === null ? null : await bytesAt(gzip),
    brotli: brotli === null ? null : await bytesAt(brotli),
  };
}
