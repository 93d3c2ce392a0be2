/** A file that browsers get, as the bundler made it. */
export interface BundledFile {
  /** Without a folder. */
  readonly name: string;
  readonly type: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  /** Null for what compression makes no smaller. */
  readonly gzip: Uint8Array<ArrayBuffer> | null;
  readonly brotli: Uint8Array<ArrayBuffer> | null;
}

/** The same inside the one file: paths in place of bytes. */
export interface EmbeddedFile {
  readonly name: string;
  readonly type: string;
  readonly plain: string;
  readonly gzip: string | null;
  readonly brotli: string | null;
}

/** The same as a process prints it: base64 in place of bytes. */
export type PrintedFile = EmbeddedFile;
