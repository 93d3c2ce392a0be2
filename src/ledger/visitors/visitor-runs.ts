import { FloatList } from '../../structures/float-list.ts';

/**
 * A run contains the visitors whom a batch was the first to count on a day. For each owner (a link, or an organization as a
 * negative number): the number of visitors, the owner's difference from the previous one, and the visitors, seven bytes each. A
 * zero ends it: concatenated runs are a run.
 */
const visitorBytes = 7;
const maxVarint = 10;
const end = 0;

/** Writes a run, in memory that is reused. */
export class VisitorRun {
  #bytes = Buffer.allocUnsafeSlow(4_096);
  #length = 0;
  #owner = 0;

  begin(): void {
    this.#length = 0;
    this.#owner = 0;
  }

  add(owner: number, visitors: FloatList): void {
    const count = visitors.length;
    if (count === 0) return;
    this.#makeRoom(2 * maxVarint + count * visitorBytes + 1);
    const step = owner - this.#owner;
    this.#writeNumber(count);
    this.#writeNumber(step < 0 ? -2 * step - 1 : 2 * step);
    this.#owner = owner;
    for (let index = 0; index < count; index++) this.#writeVisitor(visitors.at(index));
  }

  /** Null if it has no visitors. */
  finish(): Buffer | null {
    if (this.#length === 0) return null;
    this.#bytes[this.#length++] = end;
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  #writeVisitor(visitor: number): void {
    const upper = Math.floor(visitor / 2 ** 32);
    this.#bytes[this.#length] = upper >>> 16;
    this.#bytes[this.#length + 1] = upper >>> 8;
    this.#bytes[this.#length + 2] = upper;
    this.#bytes.writeInt32BE(visitor | 0, this.#length + 3);
    this.#length += visitorBytes;
  }

  #writeNumber(number: number): void {
    let rest = number;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[this.#length++] = (rest % 128) + 128;
    this.#bytes[this.#length++] = rest;
  }

  #makeRoom(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#length + more, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

const visitors = new FloatList();

/** Calls back for each owner with some of its visitors; the list is reused. */
export function readRun(bytes: Buffer, each: (owner: number, visitors: FloatList) => void): void {
  let at = 0;
  const readNumber = (): number => {
    for (let number = 0, unit = 1; ; unit *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('a run of visitors is cut off');
      number += (byte & 127) * unit;
      if (byte < 128) return number;
    }
  };
  let owner = 0;
  while (at < bytes.length) {
    const count = readNumber();
    if (count === end) {
      owner = 0;
      continue;
    }
    const step = readNumber();
    owner += step % 2 === 1 ? -(step + 1) / 2 : step / 2;
    visitors.clear();
    for (let index = 0; index < count; index++, at += visitorBytes)
      visitors.push(bytes.readUIntBE(at, 3) * 2 ** 32 + bytes.readUInt32BE(at + 3));
    each(owner, visitors);
  }
}

/** The run with only some of its visitors (null if none is left), and how many were removed. */
export function filteredRun(
  bytes: Buffer,
  isKept: (owner: number, visitor: number) => boolean,
): { readonly run: Buffer | null; readonly removed: number } {
  const run = new VisitorRun();
  const kept = new FloatList();
  let removed = 0;
  run.begin();
  readRun(bytes, (owner, ofOwner) => {
    kept.clear();
    for (const visitor of ofOwner.all) {
      if (isKept(owner, visitor)) kept.push(visitor);
      else removed += 1;
    }
    run.add(owner, kept);
  });
  return { run: run.finish(), removed };
}
