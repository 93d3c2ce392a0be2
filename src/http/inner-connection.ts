import type { Socket } from 'bun';
import { Outlet } from './outlet.ts';
import type { Peers } from './peers.ts';

export interface InnerListener {
  readonly received: (bytes: Buffer) => void;
  readonly drained: () => void;
  readonly closed: () => void;
  /** Runs what is done when something happens: a throw is the visitor's connection's, not the thread's. */
  readonly guarded: (step: () => void) => void;
}

const endingPause = 1_000;
/** The sender isn't stopped for less: a socket that is, and then ends, counts as closed. */
const mostEarly = 64 * 1024;

/** A visitor's connection, carried on to the server behind the express lane. */
export class InnerConnection {
  readonly #listener: InnerListener;
  readonly #peers: Peers;
  readonly #peer: string;
  /** What came before the server behind was reached. */
  #early: Buffer[] = [];
  #earlyLength = 0;
  #socket: Socket | null = null;
  #outlet: Outlet | null = null;
  #port = 0;
  #isEnding = false;
  #isClosed = false;
  /** When something went over it last. */
  usedAt = performance.now();

  constructor(port: number, peer: string, peers: Peers, listener: InnerListener) {
    this.#listener = listener;
    this.#peers = peers;
    this.#peer = peer;
    const { guarded } = listener;
    const closed = () => guarded(() => this.#closed());
    // So that who has said everything still hears the answer.
    const place = { hostname: '127.0.0.1', port, allowHalfOpen: true };
    Bun.connect({
      ...place,
      socket: {
        open: (socket) => guarded(() => this.#opened(socket)),
        data: (_, bytes) => guarded(() => this.#received(bytes)),
        drain: () => guarded(() => this.#drained()),
        end: closed,
        close: closed,
        error: closed,
        connectError: closed,
      },
    }).catch(closed);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isFull(): boolean {
    return this.#outlet === null ? this.#earlyLength >= mostEarly : this.#outlet.isFull;
  }

  send(bytes: Buffer): void {
    this.usedAt = performance.now();
    if (this.#outlet !== null) {
      this.#outlet.bytes(bytes);
      return;
    }
    this.#early.push(Buffer.from(bytes));
    this.#earlyLength += bytes.length;
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  /** The visitor sends no more. */
  end(): void {
    this.#isEnding = true;
    if (this.#outlet !== null) this.#endSoon(this.#outlet);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.#peers.delete(this.#port);
    } finally {
      this.#socket?.terminate();
    }
  }

  #opened(socket: Socket): void {
    if (this.#isClosed) {
      socket.terminate();
      return;
    }
    this.#socket = socket;
    this.#port = socket.localPort;
    // Before the first byte: the server asks as soon as it has read a request.
    this.#peers.set(this.#port, this.#peer);
    const outlet = new Outlet(socket);
    this.#outlet = outlet;
    for (const bytes of this.#early) outlet.bytes(bytes);
    this.#early = [];
    if (this.#isEnding) this.#endSoon(outlet);
    if (!this.isFull) this.#listener.drained();
  }

  /** A server that reads a request and the end behind it at once hangs up on it: it is given time to answer first. */
  #endSoon(outlet: Outlet): void {
    setTimeout(() => this.#listener.guarded(() => outlet.end()), endingPause);
  }

  #drained(): void {
    this.#outlet?.drained();
    if (!this.isFull) this.#listener.drained();
  }

  #received(bytes: Buffer): void {
    this.usedAt = performance.now();
    this.#listener.received(bytes);
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.close();
    this.#listener.closed();
  }
}
