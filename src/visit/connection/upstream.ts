import type { Socket } from 'bun';
import type { ClientByPort } from '../../http/client-by-port.ts';
import type { Slot, SlotHolder, UpstreamSlots } from './upstream-slots.ts';
import { WriteQueue } from './write-queue.ts';

/** The server behind, and the way there. */
export interface UpstreamServer {
  readonly innerPort: number;
  readonly peers: ClientByPort;
  readonly slots: UpstreamSlots;
}

export interface InnerListener {
  readonly received: (bytes: Buffer) => void;
  readonly drained: () => void;
  readonly closed: () => void;
  /** Runs what is done when something happens: a throw is the visitor's connection's, not the thread's. */
  readonly guarded: (step: () => void) => void;
  /** Too much is under way: it was never reached. */
  readonly refused: () => void;
  /** The visitor has left its request half sent, and others wait. */
  readonly stalled: () => void;
  readonly isHalfSent: () => boolean;
}

const endingPause = 1_000;
/** The sender isn't stopped for less: a socket that is, and then ends, counts as closed. */
const maxEarly = 64 * 1024;
/** Milliseconds in which the server behind has closed what has been closed here. */
const closingPatience = 1_000;

/** A visitor's connection to the server behind the express lane, for one request at a time. */
export class Upstream implements SlotHolder {
  readonly #listener: InnerListener;
  readonly #peers: ClientByPort;
  readonly #peer: string;
  readonly #serverPort: number;
  readonly #slots: UpstreamSlots;
  readonly #slot: Slot;
  /** What came before the server behind was reached. */
  #early: Buffer[] = [];
  #earlyLength = 0;
  #socket: Socket | null = null;
  #outlet: WriteQueue | null = null;
  #port = 0;
  #isEnding = false;
  #isClosed = false;
  #forgetLate = () => {};
  /** When something went over it last. */
  usedAt = performance.now();

  constructor({ innerPort, peers, slots }: UpstreamServer, peer: string, listener: InnerListener) {
    this.#listener = listener;
    this.#peers = peers;
    this.#peer = peer;
    this.#serverPort = innerPort;
    this.#slots = slots;
    this.#slot = slots.take(peer, this);
  }

  start(): void {
    this.#listener.guarded(() => this.#connect());
  }

  refuse(): void {
    if (this.#isClosed) return;
    this.close();
    this.#listener.guarded(this.#listener.refused);
  }

  endIfStalled(milliseconds: number): void {
    if (performance.now() - this.usedAt < milliseconds || !this.#listener.isHalfSent()) return;
    this.close();
    this.#listener.guarded(this.#listener.stalled);
  }

  /** Nothing is under way. */
  rest(): void {
    this.#slots.rest(this.#slot);
  }

  #connect(): void {
    const { guarded } = this.#listener;
    const ended = () => guarded(() => this.#ended());
    // So that who has said everything still hears the answer.
    const place = { hostname: '127.0.0.1', port: this.#serverPort, allowHalfOpen: true };
    Bun.connect({
      ...place,
      socket: {
        open: (socket) => guarded(() => this.#opened(socket)),
        data: (_, bytes) => guarded(() => this.#received(bytes)),
        drain: () => guarded(() => this.#drained()),
        end: ended,
        close: ended,
        error: ended,
        connectError: ended,
      },
    }).catch(ended);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isFull(): boolean {
    return this.#outlet === null ? this.#earlyLength >= maxEarly : this.#outlet.isFull;
  }

  /** The bytes are lent. */
  send(bytes: Buffer): void {
    this.usedAt = performance.now();
    this.#slots.use(this.#slot);
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
      if (this.#socket !== null) this.#endSocket(this.#socket);
      else if (!this.#slot.hasStarted) this.#slots.release(this.#slot);
    }
  }

  /** The server's end takes a descriptor as well, until it has noticed: so it is heard out. */
  #endSocket(socket: Socket): void {
    socket.resume();
    socket.shutdown();
    const late = setTimeout(() => this.#listener.guarded(() => socket.terminate()), closingPatience);
    this.#forgetLate = () => clearTimeout(late);
  }

  /** Closed at the server's end. */
  #ended(): void {
    this.#forgetLate();
    const socket = this.#socket;
    this.#socket = null;
    // Its end alone doesn't close this one.
    socket?.terminate();
    this.#slots.release(this.#slot);
    if (this.#outlet === null) this.refuse();
    else this.#closed();
  }

  #opened(socket: Socket): void {
    this.#socket = socket;
    if (this.#isClosed) {
      this.#endSocket(socket);
      return;
    }
    this.#port = socket.localPort;
    // Before the first byte: the server asks as soon as it has read a request.
    this.#peers.set(this.#port, this.#peer);
    const outlet = new WriteQueue(socket);
    this.#outlet = outlet;
    for (const bytes of this.#early) outlet.bytes(bytes);
    this.#early = [];
    if (this.#isEnding) this.#endSoon(outlet);
    if (!this.isFull) this.#listener.drained();
  }

  /** A server that reads a request and the end behind it at once hangs up on it: it is given time to answer first. */
  #endSoon(outlet: WriteQueue): void {
    setTimeout(() => this.#listener.guarded(() => outlet.end()), endingPause);
  }

  #drained(): void {
    this.#outlet?.drained();
    if (!this.isFull) this.#listener.drained();
  }

  #received(bytes: Buffer): void {
    if (this.#isClosed) return;
    this.usedAt = performance.now();
    this.#listener.received(bytes);
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.close();
    this.#listener.closed();
  }
}
