/** A file as the bundler's process prints it. */
export interface PrintedFile {
  readonly path: string;
  readonly type: string;
  readonly base64: string;
}

interface BundledFile {
  /** Without a folder. */
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const program = Bun.fileURLToPath(new URL('./bundle-program.ts', import.meta.url));
const deadline = 60_000;
/** How long after a failure the bundler isn't started again. */
const retryAfter = 1_000;

/**
 * The bundle of an entry file, built once and cached as `prepare` returns it, so that packages removed later, as during
 * an installation, are not missed. A failure is reported once and not cached: a request a second later tries again.
 */
export class KeptBundle<Prepared> {
  readonly #entry: string;
  readonly #prepare: (files: readonly BundledFile[]) => Prepared | Promise<Prepared>;
  #bundled: Promise<Prepared> | undefined;

  constructor(entry: URL, prepare: (files: readonly BundledFile[]) => Prepared | Promise<Prepared>) {
    this.#entry = Bun.fileURLToPath(entry);
    this.#prepare = prepare;
  }

  get(onFailure: (cause: unknown) => void): Promise<Prepared> {
    this.#bundled ??= this.#bundle().catch((cause) => {
      setTimeout(() => {
        this.#bundled = undefined;
      }, retryAfter).unref();
      onFailure(cause);
      throw cause;
    });
    return this.#bundled;
  }

  async #bundle(): Promise<Prepared> {
    const bundler = Bun.spawn([process.execPath, program, this.#entry], {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: deadline,
    });
    bundler.unref();
    const [printed, errors, code] = await Promise.all([
      new Response(bundler.stdout).text(),
      new Response(bundler.stderr).text(),
      bundler.exited,
    ]);
    if (code !== 0) throw new Error(errors.trim() || `the bundler ended with ${bundler.signalCode ?? code}`);
    return this.#prepare((JSON.parse(printed) as PrintedFile[]).map(fileOf));
  }
}

const fileOf = ({ path, type, base64 }: PrintedFile): BundledFile => ({
  name: path.replace(/^\.\//, ''),
  type,
  bytes: new Uint8Array(Buffer.from(base64, 'base64')),
});
