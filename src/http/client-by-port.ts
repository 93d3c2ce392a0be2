const ports = 65_536;
/** Longer than any address, the name of an IPv6 zone with it. */
const room = 64;

/**
 * Whose requests come to the server behind from which of our own ports. In memory that two threads share: the one with
 * the visitors' port writes it before it sends, and the one with the server reads it at each request.
 */
export class ClientByPort {
  readonly memory: SharedArrayBuffer;
  readonly #bytes: Buffer;
  readonly #lengths: Uint8Array;

  constructor(memory = new SharedArrayBuffer(ports * room)) {
    this.memory = memory;
    this.#bytes = Buffer.from(memory);
    this.#lengths = new Uint8Array(memory);
  }

  set(port: number, address: string): void {
    const at = port * room;
    const length = this.#bytes.write(address, at + 1, room - 1, 'latin1');
    Atomics.store(this.#lengths, at, length);
  }

  get(port: number): string | undefined {
    const at = port * room;
    const length = Atomics.load(this.#lengths, at);
    return length === 0 ? undefined : this.#bytes.toString('latin1', at + 1, at + 1 + length);
  }

  delete(port: number): void {
    Atomics.store(this.#lengths, port * room, 0);
  }
}
