import { maxKeyLength } from './memoize.ts';

/**
 * The maximum number of probes. A key that needs more isn't stored, so keys made up to have equal hashes can't slow down the
 * others.
 */
const maxProbes = 32;
const slotCells = 4;
const minSlots = 256;
const minBytes = 16_384;

/**
 * Values by ranges of bytes, in two generations, each with a limit of keys and bytes. A key that is found in the older one is
 * copied to the younger. Keys are never strings, and all of them are copied to one buffer: ten thousands of strings are scattered
 * in memory, and the garbage collector has to visit them (130 bytes, with their hash: 200 ns; 330 with a string and a `Map`).
 */
export class ByteCache<T> {
  readonly #maxPerGeneration: number;
  #young = new Generation<T>();
  #old = new Generation<T>();

  constructor(max: number) {
    this.#maxPerGeneration = max / 2;
  }

  get(view: DataView, from: number, to: number, hash: number): T | undefined {
    const young = this.#young.get(view, from, to, hash);
    if (young !== undefined) return young;
    const older = this.#old.get(view, from, to, hash);
    if (older !== undefined) this.set(view, from, to, hash, older);
    return older;
  }

  set(view: DataView, from: number, to: number, hash: number, value: T): void {
    if (to - from > maxKeyLength) return;
    if (this.#young.count >= this.#maxPerGeneration || this.#young.bytes >= this.#maxPerGeneration * 192) {
      this.#old = this.#young;
      this.#young = new Generation();
    }
    this.#young.set(view, from, to, hash, value);
  }

  clear(): void {
    this.#young = new Generation();
    this.#old = new Generation();
  }
}

/** A flat table: where a key is in the buffer, and the index of its value. */
class Generation<T> {
  /** Hash, offset in the buffer, length, index of the value; the length is 0 in a free slot. */
  #slots = new Int32Array(minSlots * slotCells);
  #bytes = Buffer.allocUnsafeSlow(minBytes);
  #view = new DataView(this.#bytes.buffer);
  #end = 0;
  readonly #values: T[] = [];

  get count(): number {
    return this.#values.length;
  }

  get bytes(): number {
    return this.#end;
  }

  get(view: DataView, from: number, to: number, hash: number): T | undefined {
    const at = this.#find(view, from, to - from, hash);
    return at < 0 ? undefined : this.#values[this.#slots[at + 3] ?? 0];
  }

  set(view: DataView, from: number, to: number, hash: number, value: T): void {
    const length = to - from;
    const slot = this.#find(view, from, length, hash);
    if (slot >= 0) {
      this.#values[this.#slots[slot + 3] ?? 0] = value;
      return;
    }
    if (this.#end + length > this.#bytes.length) this.#makeRoom(length);
    this.#bytes.set(new Uint8Array(view.buffer, view.byteOffset + from, length), this.#end);
    this.#put(hash, this.#end, length, this.#values.push(value) - 1);
    this.#end += length;
    if (this.#values.length * 2 * slotCells > this.#slots.length) this.#grow();
  }

  /** -1 if it doesn't exist. */
  #find(view: DataView, from: number, length: number, hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = homeOf(hash) & mask;
    for (let step = 0; step < maxProbes; step++) {
      const found = slots[at + 2];
      if (found === 0) return -1;
      if (
        found === length &&
        slots[at] === hash &&
        isSame(this.#view, slots[at + 1] ?? 0, view, from, length)
      )
        return at;
      at = (at + slotCells) & mask;
    }
    return -1;
  }

  #put(hash: number, start: number, length: number, number: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const home = homeOf(hash) & mask;
    let at = home;
    for (let step = 1; step < maxProbes && slots[at + 2] !== 0; step++) at = (at + slotCells) & mask;
    if (slots[at + 2] !== 0) at = home;
    slots[at] = hash;
    slots[at + 1] = start;
    slots[at + 2] = length;
    slots[at + 3] = number;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(before.length * 2);
    for (let at = 0; at < before.length; at += slotCells) {
      const length = before[at + 2] ?? 0;
      if (length > 0) this.#put(before[at] ?? 0, before[at + 1] ?? 0, length, before[at + 3] ?? 0);
    }
  }

  #makeRoom(length: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#end + length, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

const homeOf = (hash: number): number => Math.imul(hash ^ (hash >>> 15), slotCells);

const wordLength = 8;

/**
 * Whether two ranges of a journal's bytes are equal, compared as doubles, eight bytes at a time. Doubles compare wrongly for
 * -0 and NaN, but these don't occur in UTF-8: a byte from 0xf0 on isn't followed by 0x7f or 0xff, nor a zero by 0x80.
 */
export function isSame(one: DataView, at: number, other: DataView, otherAt: number, length: number): boolean {
  if (length < wordLength) return isSameByByte(one, at, other, otherAt, length);
  const last = length - wordLength;
  for (let done = 0; done < last; done += wordLength)
    if (one.getFloat64(at + done, true) !== other.getFloat64(otherAt + done, true)) return false;
  return one.getFloat64(at + last, true) === other.getFloat64(otherAt + last, true);
}

function isSameByByte(one: DataView, at: number, other: DataView, otherAt: number, length: number): boolean {
  for (let done = 0; done < length; done++)
    if (one.getUint8(at + done) !== other.getUint8(otherAt + done)) return false;
  return true;
}
