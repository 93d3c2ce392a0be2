import type pg from 'pg';

/** A field in the server's binary form; null for a null. Valid until the next row is read. */
type CopiedField = Uint8Array | null;

/** "PGCOPY", line breaks, flags, and the length of the extension. */
const headLength = 19;
/** In place of a row's number of fields. */
const trailer = -1;

/**
 * Reads the results of a `select` by COPY in binary form: the driver reads rows of a query as text, with bytes written in
 * hexadecimal. The server and this thread each need half the time.
 */
export class CopyOut implements pg.Submittable {
  readonly done: Promise<void>;
  /** The client replaces it if it has a timeout. */
  callback: (cause?: Error | null) => void;
  readonly #text: string;
  readonly #take: (fields: readonly CopiedField[]) => void;
  /** The beginning of a row that continues in the next message. */
  #rest = new Uint8Array();
  #hasBegun = false;
  #cause: Error | null = null;

  constructor(select: string, take: (fields: readonly CopiedField[]) => void) {
    this.#text = `copy (${select}) to stdout (format binary)`;
    this.#take = take;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.done = promise;
    this.callback = (cause) => (cause ? reject(cause) : resolve());
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#text);
  }

  handleCopyData({ chunk }: { readonly chunk: Uint8Array }): void {
    if (this.#cause !== null) return;
    try {
      this.#read(this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]));
    } catch (cause) {
      this.#cause = cause as Error;
    }
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback(this.#cause);
  }

  handleError(cause: Error): void {
    this.callback(cause);
  }

  #read(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    if (!this.#hasBegun) {
      const begin = bytes.length < headLength ? headLength : headLength + view.getInt32(headLength - 4);
      this.#hasBegun = bytes.length >= begin;
      if (this.#hasBegun) at = begin;
    }
    for (let end = at; this.#hasBegun; at = end) {
      const fields: CopiedField[] = [];
      end = readRow(view, at, fields);
      if (end < 0) break;
      if (fields.length > 0) this.#take(fields);
    }
    // The driver overwrites the message with the next one.
    this.#rest = new Uint8Array(bytes.subarray(at));
  }
}

/** Returns where the row ends; -1 if it is incomplete. */
function readRow(view: DataView, begin: number, fields: CopiedField[]): number {
  if (begin + 2 > view.byteLength) return -1;
  const count = view.getInt16(begin);
  let at = begin + 2;
  if (count === trailer) return at;
  for (let index = 0; index < count; index++) {
    if (at + 4 > view.byteLength) return -1;
    const length = view.getInt32(at);
    at += 4;
    if (length >= 0 && at + length > view.byteLength) return -1;
    fields.push(length < 0 ? null : new Uint8Array(view.buffer, view.byteOffset + at, length));
    at += Math.max(0, length);
  }
  return at;
}
