import type { NoteAnswer } from '../../http/access-log.ts';
import { peerAddress } from '../../http/client-address.ts';
import { ByteQueue } from './byte-queue.ts';
import {
  type ConnectionEvent,
  canRead,
  Effect,
  isIdle,
  isOver,
  newConnection,
  step,
} from './connection-state.ts';
import type { Limited } from './connection-table.ts';
import type { Guard } from './guard.ts';
import { tooBusy, tooSlow } from './last-answers.ts';
import { type PlainRequest, readPlainRequest } from './plain-request.ts';
import type { VisitorSocket } from './port.ts';
import { ProxiedRequest } from './proxied-request.ts';
import { type RefusedStatus, refusal } from './refused-request.ts';
import { isGarbled, maxHead, readHead } from './request-head.ts';
import type { ConnectUpstream, Upstream } from './upstream.ts';
import type { WireAnswer } from './wire-answer.ts';
import { WriteQueue } from './write-queue.ts';

/** Null for a request that the app server is to answer; a promise for one that needs a lookup first. */
export type FastPath = (request: PlainRequest, peer: string) => WireAnswer | Promise<unknown> | null;

/** What the connections of a listener share. */
export interface ConnectionContext {
  readonly fastPath: FastPath;
  readonly connectUpstream: ConnectUpstream;
  /** Runs the callbacks of a connection. */
  readonly guard: Guard;
  /** The scheme of requests where this process terminates HTTPS itself. Null: as a proxy's X-Forwarded-Proto states. */
  readonly scheme: 'https' | 'http' | null;
  /** The end of every answer's head: the id of its request, its date, and an empty line. */
  readonly headEnd: (id: string) => string;
  readonly nextId: () => string;
  /** Null where no access log is kept. */
  readonly note: NoteAnswer | null;
  /** While it is on, each answer closes its connection, so that the client opens its next one to another process. */
  readonly draining: { readonly isOn: boolean };
  /** When this tick of the event loop began: everything that is read in it had arrived by then. */
  readonly tickStart: () => number;
  /** Reports `count` answers of the fast path whose requests had arrived by `since`. */
  readonly answered: (since: number, count: number) => void;
  /** Has 'tick ended' reported at the end of this tick, once the clicks are in the journal; then 'next tick'. */
  readonly awaitTickEnd: (connection: Connection) => void;
  /** Has 'next tick' reported at the end of this tick. */
  readonly awaitNextTick: (connection: Connection) => void;
}

/** Characters of answers that are collected before they are written: a request of a few bytes may get a whole page. */
const maxReady = 64 * 1024;
/** Requests of one connection that are answered before other connections have their turn. */
const maxPerTick = 4;
/** Bytes of one connection's chunked body that are read before other connections have their turn. */
const maxChunkedPerTick = 16 * 1024;
/** Bytes that are decoded at once: room for the longest head and its end. */
const windowLength = maxHead + 4;
/**
 * Milliseconds; shorter than the app server keeps idle connections, so that it never closes one while a request is on its way.
 */
const upstreamLifetime = 5_000;

/**
 * A client's connection: carries out on sockets what `step` decides. Plain visits of known links are answered here, on the fast
 * path. All other requests go to the app server, one at a time.
 */
export class Connection implements Limited {
  readonly #state = newConnection();
  readonly #socket: VisitorSocket;
  readonly #context: ConnectionContext;
  readonly #output: WriteQueue;
  /** The client's address, or that of the nearest proxy. */
  readonly peer: string;
  readonly #held = new ByteQueue();
  /** Bytes of an incomplete head that are known not to contain its end. */
  #searched = 0;
  /** Answers that will be written together. */
  #ready = '';
  /** The number of ready answers, and the time by which their requests had arrived. */
  #answered = 0;
  #since = 0;
  /** The time by which the request whose link is being looked up had arrived; 0 if there is none. */
  #lookupSince = 0;
  #request: ProxiedRequest | null = null;
  #upstream: Upstream | null = null;

  constructor(socket: VisitorSocket, context: ConnectionContext) {
    this.#socket = socket;
    this.#context = context;
    this.#output = new WriteQueue(socket);
    this.peer = peerAddress(socket.remoteAddress);
  }

  /** Bytes from the client. */
  take(bytes: Buffer): void {
    const state = this.#state;
    if (isOver(state)) return;
    state.wasUsed = true;
    if (this.#held.length > 0) {
      this.#held.push(bytes);
      this.#processHeld();
      return;
    }
    const taken = this.#consume(bytes);
    if (taken === bytes.length || isOver(state)) return;
    this.#held.push(bytes.subarray(taken));
    state.held = this.#held.length;
    this.happened('flow changed');
  }

  drained(): void {
    this.#state.wasUsed = true;
    this.#state.sweeps = 0;
    this.#output.drained();
    if (!this.#output.isFull) this.happened('drained');
  }

  get isBusy(): boolean {
    const { phase } = this.#state;
    return phase !== 'closing' && phase !== 'closed' && !isIdle(this.#state);
  }

  get isClosed(): boolean {
    return this.#state.phase === 'closed';
  }

  makeRoom(forgetsUse: boolean): 'ended' | 'used' | 'busy' {
    const state = this.#state;
    if (this.isBusy && !state.writeBlocked) return 'busy';
    if (state.wasUsed) {
      state.wasUsed = !forgetsUse;
      return isIdle(state) ? 'used' : 'busy';
    }
    this.end();
    return 'ended';
  }

  end(): void {
    const state = this.#state;
    if (isIdle(state) && state.held > 0) this.#socket.write(tooSlow(this.#context.nextId()));
    this.#socket.end();
    this.terminate();
  }

  /** There is no room for this connection. */
  refuse(): void {
    this.#socket.write(tooBusy(this.#context.nextId()));
    this.#socket.end();
    this.terminate();
  }

  terminate(): void {
    try {
      this.happened('closed');
    } finally {
      this.#socket.terminate();
    }
  }

  happened(event: ConnectionEvent): void {
    const effects = step(this.#state, event);
    // A plain visit has only the effects of the first three branches.
    if (effects === 0) return;
    if (effects === Effect.send) this.#send();
    else if (effects === Effect.awaitTickEnd) this.#context.awaitTickEnd(this);
    else this.#carryOut(effects);
  }

  #fail(status: RefusedStatus | 'too busy' | 'too slow', method?: string): void {
    this.#carryOut(step(this.#state, 'failed', status), method);
  }

  #carryOut(effects: number, method?: string): void {
    if (effects & Effect.refuse) this.#ready += this.#refusal(method ?? this.#request?.head.method);
    if (effects & Effect.send) this.#send();
    if (effects & Effect.finish) {
      this.#drop();
      this.#output.end();
    }
    if (effects & Effect.awaitTickEnd) this.#context.awaitTickEnd(this);
    if (effects & Effect.awaitNextTick) this.#context.awaitNextTick(this);
    if (effects & Effect.pauseUpstream) this.#upstream?.pause();
    if (effects & Effect.resumeUpstream) this.#upstream?.resume();
    if (effects & Effect.endUpstream && this.#request?.endsWithClient) this.#upstream?.end();
    if (effects & Effect.keepUpstream) this.#upstream?.markIdle();
    if (effects & Effect.pause) this.#socket.pause();
    if (effects & Effect.resume) this.#socket.resume();
    if (effects & Effect.discard) {
      this.#ready = '';
      this.#drop();
    }
    if (effects & Effect.close) this.end();
    if (effects & Effect.terminate) this.terminate();
    // Last, because it leads to further events.
    if (effects & Effect.process) this.#processHeld();
  }

  #refusal(method: string | undefined): string {
    const { refusal: kind } = this.#state;
    const id = this.#context.nextId();
    if (kind === 'too busy') return tooBusy(id);
    if (kind === 'too slow') return tooSlow(id);
    const { head, body } = refusal(kind, method ?? '');
    return head + this.#context.headEnd(id) + body;
  }

  #send(): void {
    const ready = this.#ready;
    if (ready === '') return;
    this.#ready = '';
    this.#output.text(ready);
    if (this.#answered > 0) {
      this.#context.answered(this.#since, this.#answered);
      this.#answered = 0;
    }
    if (this.#output.isFull) this.happened('write blocked');
  }

  #drop(): void {
    this.#held.clear();
    this.#state.held = 0;
    this.#request = null;
    this.#dropUpstream();
  }

  #dropUpstream(): void {
    const upstream = this.#upstream;
    this.#upstream = null;
    this.#state.upstreamBlocked = false;
    upstream?.close();
  }

  #processHeld(): void {
    if (this.#held.length > 0 && canRead(this.#state)) this.#held.drop(this.#consume(this.#held.view()));
    this.#state.held = this.#held.length;
    this.happened('held processed');
  }

  /** Returns how many of these bytes have been processed. */
  #consume(bytes: Buffer): number {
    const state = this.#state;
    let at = 0;
    while (at < bytes.length && canRead(state)) {
      const taken = this.#request === null ? this.#serve(bytes, at) : this.#receive(bytes.subarray(at));
      if (taken === 0) break;
      state.sweeps = 0;
      at += taken;
    }
    return at;
  }

  /** Answers the plain requests that begin here, and passes on the first other one. */
  #serve(bytes: Buffer, from: number): number {
    if (this.#searched > 0 && this.#isStillPartial(bytes, from)) return 0;
    this.#searched = 0;
    const state = this.#state;
    this.#since = this.#lookupSince === 0 ? this.#context.tickStart() : this.#lookupSince;
    this.#lookupSince = 0;
    const isWhole = from === 0 && bytes.length <= windowLength;
    const window = isWhole ? bytes : bytes.subarray(from, from + windowLength);
    let at = 0;
    let waits = false;
    let isPlain = true;
    for (let count = 0; at < window.length; count++) {
      if (count === maxPerTick) {
        this.happened(waits ? 'answers wait' : 'share used');
        return at;
      }
      if (this.#ready.length >= maxReady) {
        if (waits) break;
        this.happened('answers ready');
        if (state.writeBlocked) break;
      }
      const request = state.skipsFastPath ? null : readPlainRequest(window, at, this.#context.scheme);
      const answer = request === null ? null : this.#context.fastPath(request, this.peer);
      if (request === null || answer === null) {
        isPlain = false;
        break;
      }
      if (answer instanceof Promise) {
        this.#lookupSince = this.#since;
        this.happened('lookup begun');
        this.#lookUp(answer);
        break;
      }
      const closes = request.closes || this.#context.draining.isOn;
      const closing = closes ? 'Connection: close\r\n' : '';
      const id = this.#context.nextId();
      this.#ready += answer.head + closing + this.#context.headEnd(id) + answer.body;
      if (this.#context.note !== null) this.#note(id, request, answer);
      this.#answered += 1;
      if (answer.waits) waits = true;
      at = request.end;
      if (closes) {
        this.happened('last answer');
        at = window.length;
      }
    }
    this.happened(waits ? 'answers wait' : 'answers ready');
    // Only once all earlier answers are written.
    if (isPlain || !canRead(state)) return at;
    return at + this.#beginForwarding(window.toString('latin1'), at, from + window.length < bytes.length);
  }

  #note(request: string, { method, host, path }: PlainRequest, { head }: WireAnswer): void {
    const status = Number(head.slice(statusAt, statusAt + 3));
    const milliseconds = performance.now() - this.#since;
    this.#context.note?.({ request, method, host, path, status, milliseconds });
  }

  #lookUp(found: Promise<unknown>): void {
    const { guard } = this.#context;
    found.then(
      () => guard.run(this, happened, 'lookup done'),
      () => guard.run(this, happened, 'lookup failed'),
    );
  }

  /** For a head that arrives byte by byte: its end is not in the first `#searched` bytes. */
  #isStillPartial(bytes: Buffer, from: number): boolean {
    const length = bytes.length - from;
    if (length >= maxHead) return false;
    if (bytes.indexOf('\r\n\r\n', from + Math.max(0, this.#searched - 3)) >= 0) return false;
    const unsearched = bytes.toString('latin1', from + this.#searched - 1);
    this.#searched = length;
    if (isGarbled(unsearched, 1)) this.#fail(400);
    return true;
  }

  /** Begins to forward the request that begins here to the app server. Returns the length of its head, or 0 if it is incomplete. */
  #beginForwarding(text: string, at: number, hasMore: boolean): number {
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0 && text.length - at < maxHead) {
      // It may continue after the window: the next window begins with it.
      if (hasMore) return 0;
      this.#searched = text.length - at;
      if (isGarbled(text.slice(at), 0)) this.#fail(400);
      return 0;
    }
    const head =
      end < 0 || end - at > maxHead
        ? tooLongStatus(text, at)
        : readHead(text.slice(at, end), this.#context.scheme);
    if (typeof head === 'number') {
      this.#fail(head, text.startsWith('HEAD ', at) ? 'HEAD' : '');
      return 0;
    }
    this.#request = new ProxiedRequest(head);
    this.happened('request begun');
    this.#forward(this.#request);
    return head.length;
  }

  /** Takes more bytes of the request under way. */
  #receive(bytes: Buffer): number {
    const request = this.#request as ProxiedRequest;
    const isShare = request.head.body === 'chunked' && bytes.length > maxChunkedPerTick;
    const taken = request.take(isShare ? bytes.subarray(0, maxChunkedPerTick) : bytes);
    if (request.isMalformed) this.#fail(400);
    else this.#forward(request);
    if (isShare && !request.isMalformed && !request.isComplete) this.happened('share used');
    return taken;
  }

  #forward(request: ProxiedRequest): void {
    if (request.isComplete) this.happened('request complete');
    if (!request.isReady) return;
    const upstream = this.#upstreamFor(request);
    request.forwardTo(upstream);
    this.#setUpstreamBlocked(upstream.isFull);
  }

  #setUpstreamBlocked(isBlocked: boolean): void {
    if (this.#state.upstreamBlocked === isBlocked) return;
    this.#state.upstreamBlocked = isBlocked;
    this.happened('flow changed');
  }

  #upstreamFor({ isForwarded }: ProxiedRequest): Upstream {
    const open = this.#upstream;
    if (open !== null && (isForwarded || performance.now() - open.usedAt < upstreamLifetime)) return open;
    this.#dropUpstream();
    const { guard } = this.#context;
    /** Events of a dropped upstream connection are ignored. */
    const ifCurrent = (run: () => void) => () => {
      if (this.#upstream === upstream) run();
    };
    const upstream: Upstream = this.#context.connectUpstream(this.peer, {
      received: (bytes) => {
        if (this.#upstream === upstream) this.#respond(bytes);
      },
      drained: ifCurrent(() => this.#setUpstreamBlocked(false)),
      closed: ifCurrent(() => {
        this.#dropUpstream();
        if (this.#request?.isForwarded) this.#fail(502);
        else this.happened('flow changed');
      }),
      guarded: (run) => guard.run(this, run),
      refused: ifCurrent(() => this.#fail('too busy')),
      stalled: ifCurrent(() => this.#fail('too slow')),
      isHalfSent: () => this.#state.phase === 'upload',
    });
    this.#upstream = upstream;
    return upstream;
  }

  /** Bytes from the app server. */
  #respond(bytes: Buffer): void {
    const request = this.#request;
    // An unsolicited response.
    if (request === null) {
      this.#dropUpstream();
      return;
    }
    this.#state.wasUsed = true;
    const { response, head } = request;
    const ownLength = response.read(bytes);
    if (response.hasBegun) this.happened('response begun');
    this.#output.bytes(ownLength === bytes.length ? bytes : bytes.subarray(0, ownLength));
    if (this.#output.isFull) this.happened('write blocked');
    if (!response.isOver) return;
    this.#request = null;
    const isLast = head.closes || response.closes || ownLength < bytes.length;
    this.happened(isLast ? 'last response complete' : 'response complete');
  }
}

const statusAt = 'HTTP/1.1 '.length;

export const happened = (connection: Connection, event: ConnectionEvent): void => connection.happened(event);

/** The status for a head that is too long: it is malformed, or its first line is too long, or the whole head. */
function tooLongStatus(text: string, at: number): RefusedStatus {
  if (isGarbled(text.slice(at), 0)) return 400;
  const line = text.indexOf('\r\n', at);
  return line < 0 || line - at > maxHead ? 414 : 431;
}
