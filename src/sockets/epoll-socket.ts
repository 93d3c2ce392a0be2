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
    let taken = 0;
    while (taken < what.length) {
      const length = this.#prepare(what, taken);
      const { calls, sending } = this.#shared;
      const sent = calls.send(this.file, sending.at, length, noSignal);
      if (sent > 0) taken += sent;
      if (sent < length) {
        // Also where the other side is gone: that comes as an event.
        this.#isFull = true;
        this.#watch();
        break;
      }
    }
    return taken;
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

  /** Puts as much as there is room for where it is sent from. */
  #prepare(what: Uint8Array | string, from: number): number {
    const { bytes } = this.#shared.sending;
    const length = Math.min(bytes.length, what.length - from);
    if (typeof what !== 'string') bytes.set(what.subarray(from, from + length));
    else bytes.write(length === what.length ? what : what.slice(from, from + length), 0, length, 'latin1');
    return length;
  }

  #watch(): void {
    const interest = (this.isReading ? readable : 0) | (this.#isFull ? writable : 0);
    if (!this.#isOpen || interest === this.#interest) return;
    this.#interest = interest;
    this.#shared.epoll.change(this.file, interest);
  }
}
