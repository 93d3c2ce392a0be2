interface FileWith<Content> {
  /** Without a folder. */
  readonly name: string;
  readonly type: string;
  readonly plain: Content;
  /** Null if compression doesn't make it smaller. */
  readonly gzip: Content | null;
  readonly brotli: Content | null;
}

/** A file for browsers, made by the bundler. */
export type BundledFile = FileWith<Uint8Array<ArrayBuffer>>;

/** The same, embedded in the single-file program: paths instead of bytes. */
export type EmbeddedFile = FileWith<string>;

/** The same, as the bundler's process prints it: base64 instead of bytes. */
export type PrintedFile = FileWith<string>;

export const mapContents = <From, To>(
  { name, type, plain, gzip, brotli }: FileWith<From>,
  map: (content: From) => To,
): FileWith<To> => ({
  name,
  type,
  plain: map(plain),
  gzip: gzip === null ? null : map(gzip),
  brotli: brotli === null ? null : map(brotli),
});
