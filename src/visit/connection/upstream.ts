import type { Socket } from 'bun';
import type { ClientByPort } from '../../http/client-by-port.ts';
import { ByteQueue } from './byte-queue.ts';
import type { Slot, SlotHolder, UpstreamSlots } from './upstream-slots.ts';
import { WriteQueue } from './write-queue.ts';

/** How to reach the app server. */
interface AppServerAddress {
  readonly port: number;
  readonly clientByPort: ClientByPort;
  readonly slots: UpstreamSlots;
}

export interface UpstreamListener {
  readonly received: (bytes: Buffer) => void;
  readonly drained: () => void;
  /** By the app server, or while it was idle to make room for other requests. */
  readonly closed: () => void;
  /** Runs a callback so that an exception ends the client's connection, not the thread. */
  readonly guarded: (run: () => void) => void;
  /** The app server was never reached: too many requests are under way. */
  readonly refused: () => void;
  /** The client has left its request half sent, and other requests wait. */
  readonly stalled: () => void;
  readonly isHalfSent: () => boolean;
}

/** What a client's connection uses of its upstream connection. */
export type Upstream = Pick<
  UpstreamConnection,
  'usedAt' | 'isFull' | 'send' | 'pause' | 'resume' | 'markIdle' | 'end' | 'close'
>;

export type ConnectUpstream = (peer: string, listener: UpstreamListener) => Upstream;

const endingDelay = 1_000;
/** Bytes a second of a request; a slower one counts as stalled. */
const minRate = 2_048;
/** The client isn't paused below this: a socket that ends while paused counts as closed. */
const maxBeforeOpen = 64 * 1024;
/** Milliseconds for the app server to close its end after this end has closed. */
const closingTimeout = 1_000;

/** A client's connection to the app server, for one request at a time. */
export class UpstreamConnection implements SlotHolder {
  readonly #listener: UpstreamListener;
  readonly #clientByPort: ClientByPort;
  readonly #peer: string;
  readonly #serverPort: number;
  readonly #slots: UpstreamSlots;
  readonly #slot: Slot;
  /** Bytes that were sent before the connection was open. */
  readonly #beforeOpen = new ByteQueue();
  #socket: Socket | null = null;
  #output: WriteQueue | null = null;
  #port = 0;
  /** Bytes of the request that were sent, and since when. */
  #sent = 0;
  #sendingSince = 0;
  #isEnding = false;
  #isClosed = false;
  #cancelTermination = () => {};
  /** When bytes were last sent or received on it. */
  usedAt = performance.now();

  constructor({ port, clientByPort, slots }: AppServerAddress, peer: string, listener: UpstreamListener) {
    this.#listener = listener;
    this.#clientByPort = clientByPort;
    this.#peer = peer;
    this.#serverPort = port;
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

  /** The client's connection takes a new one for its next request. */
  endIdle(): void {
    this.#listener.guarded(() => this.#closed());
  }

  endIfStalled(milliseconds: number): void {
    if (!this.#hasStalled(milliseconds) || !this.#listener.isHalfSent()) return;
    this.close();
    this.#listener.guarded(this.#listener.stalled);
  }

  /** A client that sends a byte now and then would otherwise keep its slot for hours. */
  #hasStalled(milliseconds: number): boolean {
    const now = performance.now();
    if (now - this.usedAt >= milliseconds) return true;
    const duration = now - this.#sendingSince;
    return duration >= milliseconds && this.#sent * 1_000 < duration * minRate;
  }

  /** No request is under way. */
  markIdle(): void {
    this.#sent = 0;
    this.#slots.markIdle(this.#slot);
  }

  #connect(): void {
    const { guarded } = this.#listener;
    const ended = () => guarded(() => this.#ended());
    // Half open, so that a client that has closed its side still gets the response.
    const address = { hostname: '127.0.0.1', port: this.#serverPort, allowHalfOpen: true };
    Bun.connect({
      ...address,
      socket: {
        open: (socket) => guarded(() => this.#opened(socket)),
        data: (_, bytes) => guarded(() => this.#received(bytes)),
        drain: () => guarded(() => this.#drained()),
        end: ended,
        close: ended,
        error: ended,
        // The promise is rejected as well, but later: without a free descriptor this is called before `#slot` is set.
        connectError: () => {},
      },
    }).catch(ended);
  }

  get isFull(): boolean {
    return this.#output === null ? this.#beforeOpen.length >= maxBeforeOpen : this.#output.isFull;
  }

  /** The bytes are only valid during the call. */
  send(bytes: Buffer): void {
    this.usedAt = performance.now();
    if (this.#sent === 0) this.#sendingSince = this.usedAt;
    this.#sent += bytes.length;
    this.#slots.use(this.#slot);
    if (this.#output === null) this.#beforeOpen.push(bytes);
    else this.#output.bytes(bytes);
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  /** The client sends no more. */
  end(): void {
    this.#isEnding = true;
    if (this.#output !== null) this.#endSoon(this.#output);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.#clientByPort.delete(this.#port);
    } finally {
      if (this.#socket !== null) this.#endSocket(this.#socket);
      else if (!this.#slot.hasStarted) this.#slots.release(this.#slot);
    }
  }

  /** The app server's end takes a descriptor as well, so the slot is kept until that is closed. */
  #endSocket(socket: Socket): void {
    socket.resume();
    socket.shutdown();
    const timer = setTimeout(() => this.#listener.guarded(() => socket.terminate()), closingTimeout);
    this.#cancelTermination = () => clearTimeout(timer);
  }

  /** Closed by the app server. */
  #ended(): void {
    this.#cancelTermination();
    const socket = this.#socket;
    this.#socket = null;
    // With `allowHalfOpen` the other side's end doesn't close this one.
    socket?.terminate();
    this.#slots.release(this.#slot);
    if (this.#output === null) this.refuse();
    else this.#closed();
  }

  #opened(socket: Socket): void {
    this.#socket = socket;
    if (this.#isClosed) {
      this.#endSocket(socket);
      return;
    }
    this.#sendingSince = performance.now();
    this.#port = socket.localPort;
    // Before the first byte: the app server looks it up as soon as it has read a request.
    this.#clientByPort.set(this.#port, this.#peer);
    const output = new WriteQueue(socket);
    this.#output = output;
    output.bytes(this.#beforeOpen.view());
    this.#beforeOpen.clear();
    if (this.#isEnding) this.#endSoon(output);
    if (!this.isFull) this.#listener.drained();
  }

  /** `Bun.serve` drops a request that it reads together with the end of its connection: it gets time to answer first. */
  #endSoon(output: WriteQueue): void {
    setTimeout(() => this.#listener.guarded(() => output.end()), endingDelay);
  }

  #drained(): void {
    this.#output?.drained();
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
