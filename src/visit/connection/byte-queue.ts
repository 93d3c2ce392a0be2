const none = Buffer.alloc(0);

/** Bytes that wait to be processed. The buffer doubles as it grows, because bytes may come one by one. */
export class ByteQueue {
  #bytes: Buffer = none;
  #start = 0;
  #end = 0;

  get length(): number {
    return this.#end - this.#start;
  }

  /** Many small parts of `bytes` are pushed without a view of each. */
  push(bytes: Buffer, from = 0, to = bytes.length): void {
    if (this.#end + to - from > this.#bytes.length) this.#makeRoom(to - from);
    bytes.copy(this.#bytes, this.#end, from, to);
    this.#end += to - from;
  }

  /** All bytes in the queue. Valid until the next `push`. */
  view(): Buffer {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  drop(count: number): void {
    this.#start += count;
    if (this.#start >= this.#end) this.clear();
  }

  clear(): void {
    this.#bytes = none;
    this.#start = 0;
    this.#end = 0;
  }

  #makeRoom(count: number): void {
    const { length } = this;
    const needed = length + count;
    const bytes = length === 0 ? Buffer.allocUnsafeSlow(needed) : Buffer.allocUnsafeSlow(2 * needed);
    bytes.set(this.view());
    this.#bytes = bytes;
    this.#start = 0;
    this.#end = length;
  }
}
