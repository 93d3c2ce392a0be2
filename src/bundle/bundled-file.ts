/** A file for browsers, made by the bundler. */
export interface BundledFile {
  /** Without a folder. */
  readonly name: string;
  readonly type: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  /** Null if compression doesn't make it smaller. */
  readonly gzip: Uint8Array<ArrayBuffer> | null;
  readonly brotli: Uint8Array<ArrayBuffer> | null;
}

/** The same, embedded in the single-file program: paths instead of bytes. */
export interface EmbeddedFile {
  readonly name: string;
  readonly type: string;
  readonly plain: string;
  readonly gzip: string | null;
  readonly brotli: string | null;
}

/** The same, as the bundler's process prints it: base64 instead of bytes. */
export type PrintedFile = EmbeddedFile;
