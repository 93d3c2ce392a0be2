const ports = 65_536;
/** Longer than any address with the name of an IPv6 zone. */
const slotLength = 64;

/**
 * The client behind each local port from which the listener connects to the app server. The memory is shared by two threads: the
 * listener's thread writes it before it sends, and the app server's thread reads it at each request.
 */
export class ClientByPort {
  readonly memory: SharedArrayBuffer;
  readonly #bytes: Buffer;
  readonly #lengths: Uint8Array;

  constructor(memory = new SharedArrayBuffer(ports * slotLength)) {
    this.memory = memory;
    this.#bytes = Buffer.from(memory);
    this.#lengths = new Uint8Array(memory);
  }

  set(port: number, address: string): void {
    const at = port * slotLength;
    const length = this.#bytes.write(address, at + 1, slotLength - 1, 'latin1');
    Atomics.store(this.#lengths, at, length);
  }

  get(port: number): string | undefined {
    const at = port * slotLength;
    const length = Atomics.load(this.#lengths, at);
    return length === 0 ? undefined : this.#bytes.toString('latin1', at + 1, at + 1 + length);
  }

  delete(port: number): void {
    Atomics.store(this.#lengths, port * slotLength, 0);
  }
}
