import type { Pointer } from 'bun:ffi';
import { type Epoll, readable, writable } from './epoll.ts';
import type { VisitorSocket } from './port.ts';
import type { Memory, SystemCalls } from './system-calls.ts';

/** What all sockets of a port share. */
export interface Sockets {
  readonly calls: SystemCalls;
  readonly epoll: Epoll;
  /** What is to be sent stands here while it is. */
  readonly sending: Memory;
  readonly forget: (file: number) => void;
}

const noSignal = 0x4000;
const itsWriting = 1;

export class EpollSocket<Connection> implements VisitorSocket {
  readonly file: number;
  readonly remoteAddress: string;
  readonly connection: Connection;
  readonly #shared: Sockets;
  #interest = readable;
  #isOpen = true;
  #isPaused = false;
  #isFull = false;
  /** Whether the other side has said that it sends no more, and whether we have. */
  #isHeardOut = false;
  #isSaidOut = false;

  constructor(
    file: number,
    remoteAddress: string,
    shared: Sockets,
    connect: (socket: VisitorSocket) => Connection,
  ) {
    this.file = file;
    this.remoteAddress = remoteAddress;
    this.#shared = shared;
    this.connection = connect(this);
  }

  get isReading(): boolean {
    return this.#isOpen && !this.#isPaused && !this.#isHeardOut;
  }

  write(what: Uint8Array | string): number {
    if (!this.#isOpen) return -1;
    return typeof what === 'string' ? this.#writeText(what) : this.#send(what, what.length);
  }

  end(): void {
    if (!this.#isOpen || this.#isSaidOut) return;
    this.#isSaidOut = true;
    if (this.#isHeardOut) this.terminate();
    else this.#shared.calls.shutdown(this.file, itsWriting);
  }

  pause(): void {
    this.#isPaused = true;
    this.#watch();
  }

  resume(): void {
    this.#isPaused = false;
    this.#watch();
  }

  terminate(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#shared.calls.close(this.file);
    this.#shared.forget(this.file);
  }

  /** There is room again. False where nobody waits for that. */
  noteRoom(): boolean {
    if (!this.#isOpen || !this.#isFull) return false;
    this.#isFull = false;
    this.#watch();
    return true;
  }

  /** The other side sends no more. False where we don't, either: then it is over. */
  noteEnd(): boolean {
    this.#isHeardOut = true;
    if (this.#isSaidOut) return false;
    this.#watch();
    return true;
  }

  /** By way of where there is room for a part of it. */
  #writeText(text: string): number {
    const { bytes, at } = this.#shared.sending;
    let taken = 0;
    while (taken < text.length) {
      const length = Math.min(bytes.length, text.length - taken);
      const part = length === text.length ? text : text.slice(taken, taken + length);
      bytes.write(part, 0, length, 'latin1');
      const sent = this.#send(at, length);
      taken += sent;
      if (sent < length) break;
    }
    return taken;
  }

  /** Bytes are sent from where they are: nothing moves them during the call. */
  #send(from: Pointer | Uint8Array, length: number): number {
    const sent = this.#shared.calls.send(this.file, from, length, noSignal);
    if (sent < length) {
      // Also where the other side is gone: that comes as an event.
      this.#isFull = true;
      this.#watch();
    }
    return Math.max(0, sent);
  }

  #watch(): void {
    const interest = (this.isReading ? readable : 0) | (this.#isFull ? writable : 0);
    if (!this.#isOpen || interest === this.#interest) return;
    this.#interest = interest;
    this.#shared.epoll.change(this.file, interest);
  }
}
