const firstLength = 1_024;

/** A set of integers from 0 on, with a bit each. */
export class BitSet {
  #bits = new Uint8Array(firstLength);

  add(value: number): void {
    const at = value >>> 3;
    if (at >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(at + 1, this.#bits.length * 2));
      grown.set(this.#bits);
      this.#bits = grown;
    }
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (value & 7));
  }

  has(value: number): boolean {
    return ((this.#bits[value >>> 3] ?? 0) & (1 << (value & 7))) !== 0;
  }
}
