import { ByteQueue } from './byte-queue.ts';
import type { Limited } from './connection-table.ts';
import { Exchange } from './exchange.ts';
import type { Guard } from './guard.ts';
import { tooBusy, tooSlow } from './last-answers.ts';
import { type PlainRequest, readPlainRequest } from './plain-request.ts';
import type { VisitorSocket } from './port.ts';
import { type RefusedStatus, refusal } from './refused-request.ts';
import { isGarbled, maxHead, readHead } from './request-head.ts';
import { Upstream, type UpstreamServer } from './upstream.ts';
import type { ExpressAnswer } from './wire-answer.ts';
import { WriteQueue } from './write-queue.ts';

/** Null for what isn't for the express lane; a promise for what may be, once that is fulfilled. */
export type Express = (request: PlainRequest, peer: string) => ExpressAnswer | Promise<unknown> | null;

export interface Lane extends UpstreamServer {
  readonly express: Express;
  /** Through it comes whatever happens to a connection of its own accord. */
  readonly guard: Guard;
  /** What ends every answer's head: its date, and an empty line. */
  readonly headEnd: () => string;
  /** Has `leave` called on this connection at this turn's end, once what was put off before has happened; then `goOnInTurn`. */
  readonly leaveAfterTurn: (connection: Connection) => void;
  /** Has `goOnInTurn` called at this turn's end, where nothing is waited for: others are to have their turn. */
  readonly continueAfterTurn: (connection: Connection) => void;
}

/** What waits behind a request that isn't answered yet, until the sender is made to wait. */
const maxHeld = 64 * 1024;
/** Characters of answers that are put together at once: a few bytes that ask may have a page each for an answer. */
const maxReady = 64 * 1024;
/** Requests of one connection that are answered before others have their turn. */
const maxInTurn = 4;
/** As much is looked at at once: a head fits into it, and its end. */
const windowLength = maxHead + 4;
/** Shorter than the server behind keeps a silent connection: it must not hang up on a request that is on its way. */
const innerLifetime = 5_000;
/** Sweeps through which a head may come in drips, and a whole request wait for its answer to begin. */
const maxSweeps = { head: 2, answer: 12 };

/**
 * A visitor's connection. Plain visits to links that are known are answered here, on the express lane. Every other
 * request goes to the server behind, one at a time, and what that answers goes back; then the next one is looked at.
 */
export class Connection implements Limited {
  readonly #socket: VisitorSocket;
  readonly #lane: Lane;
  readonly #outlet: WriteQueue;
  readonly #peer: string;
  /** What has come and couldn't be gone on with. */
  readonly #held = new ByteQueue();
  /** Of a head that isn't all there, so many bytes are known not to end it. */
  #searched = 0;
  #isAsking = false;
  /** Not for the express lane: the server behind has a page for it. */
  #isForInner = false;
  #exchange: Exchange | null = null;
  #inner: Upstream | null = null;
  /** Answers that are ready to leave, and whether they wait for the turn's end. */
  #ready = '';
  #isWaiting = false;
  /** The visitor gets no answer after these. */
  #isLast = false;
  #isEnded = false;
  #isEnding = false;
  #isPaused = false;
  /** Whether anything came since this was last asked; how often nothing was done since then. */
  #wasUsed = true;
  #sweeps = 0;

  constructor(socket: VisitorSocket, lane: Lane) {
    this.#socket = socket;
    this.#lane = lane;
    this.#outlet = new WriteQueue(socket);
    this.#peer = socket.remoteAddress;
  }

  /** Bytes from the visitor. */
  take(bytes: Buffer): void {
    // Read and dropped: whoever is still sending gets to read the last answer, but isn't kept for it.
    if (this.#isLast || this.#isEnding) return;
    this.#wasUsed = true;
    if (this.#held.length === 0) {
      const taken = this.#consume(bytes);
      if (taken < bytes.length) this.#hold(bytes.subarray(taken));
    } else {
      this.#hold(bytes);
      this.#proceed();
    }
  }

  /** The answers may leave. */
  leave(): void {
    this.#isWaiting = false;
    this.#sendReady();
  }

  /** Others have had their turn. */
  goOnInTurn(): void {
    this.#isWaiting = false;
    this.#proceed();
  }

  /** What was asked for is known, or can't be. */
  goOn(isKnown: boolean): void {
    this.#isAsking = false;
    this.#isForInner = !isKnown;
    this.#proceed();
  }

  drained(): void {
    this.#wasUsed = true;
    this.#outlet.drained();
    if (this.#outlet.isFull) return;
    this.#inner?.resume();
    this.#proceed();
  }

  /** The visitor sends no more; what is under way is still answered. */
  ended(): void {
    this.#isEnded = true;
    if (this.#isForgone) this.#inner?.end();
    this.#proceed();
  }

  /** The visitor is gone: what waited for its turn is nobody's any more. */
  closed(): void {
    this.#isEnding = true;
    this.#held.clear();
    this.#exchange = null;
    this.#inner?.close();
  }

  get isBusy(): boolean {
    return !this.#isIdle && !this.#isEnding;
  }

  /** Ends the connection if nothing is under way on it. */
  endIfIdle(): void {
    if (this.#isIdle) this.#finish();
  }

  /** To be called now and then: whoever neither sent nor took anything since the last time has gone to sleep. */
  endIfAsleep(): void {
    const wasUsed = this.#wasUsed;
    this.#wasUsed = false;
    const exchange = this.#exchange;
    if (this.#isEnding || this.#outlet.isFull) {
      if (!wasUsed) this.terminate();
    } else if (this.#isIdle && this.#held.length > 0) {
      if (++this.#sweeps >= maxSweeps.head) this.#reject(408);
    } else if (wasUsed) return;
    else if (exchange === null) this.endIfIdle();
    else if (!exchange.isWhole) this.#giveUp(408);
    else if (!exchange.answer.hasBegun && ++this.#sweeps >= maxSweeps.answer) this.#giveUp(504);
  }

  makeRoom(): 'ended' | 'used' | 'busy' {
    if (!this.#isIdle && !this.#isEnding && !this.#outlet.isFull) return 'busy';
    if (this.#wasUsed) {
      this.#wasUsed = false;
      return this.#isIdle ? 'used' : 'busy';
    }
    if (this.#isIdle && this.#held.length > 0) this.#socket.write(tooSlow);
    this.#socket.end();
    this.terminate();
    return 'ended';
  }

  /** For whom there is no room. */
  refuse(): void {
    this.#socket.write(tooBusy);
    this.#socket.end();
    this.terminate();
  }

  terminate(): void {
    this.#isEnding = true;
    this.#held.clear();
    this.#exchange = null;
    this.#ready = '';
    try {
      this.#inner?.close();
    } finally {
      this.#socket.terminate();
    }
  }

  /** A head that isn't all there is nothing that could be answered. */
  get #isIdle(): boolean {
    return this.#isFree && this.#exchange === null;
  }

  /**
   * Whether the server behind is to give up on the request under way once its sender sends no more: because it only asks,
   * and who asked has most likely gone. A change is answered however long it takes.
   */
  get #isForgone(): boolean {
    if (this.#exchange?.isWhole !== true || this.#held.length > 0) return false;
    const { method } = this.#exchange.head;
    return method === 'GET' || method === 'HEAD';
  }

  /** Whether more of what came can be gone on with. */
  get #isFree(): boolean {
    if (this.#isAsking || this.#isWaiting || this.#isLast || this.#isEnding || this.#outlet.isFull)
      return false;
    return this.#exchange === null || !this.#exchange.isWhole;
  }

  #hold(bytes: Buffer): void {
    if (this.#isLast || this.#isEnding) return;
    this.#held.push(bytes);
    if (this.#held.length >= maxHeld) this.#pause();
  }

  /** Goes on with what was held, as far as its turn has come. */
  #proceed(): void {
    if (!this.#isFree) return;
    if (this.#held.length > 0) this.#held.drop(this.#consume(this.#held.view()));
    if (this.#held.length < maxHeld && this.#inner?.isFull !== true) this.#resume();
    if (!this.#isEnded || !this.#isFree) return;
    // Of what comes no more.
    if (this.#exchange !== null) this.#giveUp(400);
    else if (this.#held.length > 0) this.#reject(400);
    else this.#finish();
  }

  /** How many of these bytes are done with. */
  #consume(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.#isFree) {
      const taken = this.#exchange === null ? this.#serve(bytes, at) : this.#receive(bytes.subarray(at));
      if (taken === 0) break;
      this.#sweeps = 0;
      at += taken;
    }
    return at;
  }

  /** Answers the requests that begin here, and hands over the first that isn't plain. */
  #serve(bytes: Buffer, from: number): number {
    if (this.#searched > 0 && this.#isStillPartial(bytes, from)) return 0;
    this.#searched = 0;
    const isWhole = from === 0 && bytes.length <= windowLength;
    const window = isWhole ? bytes : bytes.subarray(from, from + windowLength);
    const text = window.toString('latin1');
    let at = 0;
    for (let count = 0; at < text.length; count++) {
      if (count === maxInTurn) {
        this.#letOthers();
        break;
      }
      if (this.#ready.length >= maxReady && !this.#makeRoom()) break;
      const request = this.#isForInner ? null : readPlainRequest(window, text, at);
      const answer = request === null ? null : this.#lane.express(request, this.#peer);
      if (request === null || answer === null) {
        at += this.#handOver(text, at, from + window.length < bytes.length);
        break;
      }
      if (answer instanceof Promise) {
        this.#ask(answer);
        break;
      }
      const closing = request.closes ? 'Connection: close\r\n' : '';
      this.#ready += answer.head + closing + this.#lane.headEnd() + answer.body;
      if (answer.waits && !this.#isWaiting) {
        this.#isWaiting = true;
        this.#lane.leaveAfterTurn(this);
      }
      this.#isLast = request.closes;
      at = request.closes ? text.length : request.end;
    }
    if (!this.#isWaiting) this.#sendReady();
    return at;
  }

  /** The rest has to wait, also where nothing else does. */
  #letOthers(): void {
    if (this.#isWaiting) return;
    this.#sendReady();
    this.#isWaiting = true;
    this.#lane.continueAfterTurn(this);
  }

  /** False when what is ready has to leave first. */
  #makeRoom(): boolean {
    if (!this.#isWaiting) this.#sendReady();
    return !this.#isWaiting && !this.#outlet.isFull;
  }

  #sendReady(): void {
    const ready = this.#ready;
    this.#ready = '';
    if (ready !== '') this.#outlet.text(ready);
    if (this.#isLast && !this.#isEnding) this.#finish();
  }

  #ask(known: Promise<unknown>): void {
    this.#isAsking = true;
    const { guard } = this.#lane;
    known.then(
      () => guard.run(this, goOn),
      // Not to be asked for again and again.
      () => guard.run(this, goOnBehind),
    );
  }

  /** Of a head of which `#searched` bytes are known not to end it; it may come byte by byte. */
  #isStillPartial(bytes: Buffer, from: number): boolean {
    const length = bytes.length - from;
    if (length >= maxHead) return false;
    if (bytes.indexOf('\r\n\r\n', from + Math.max(0, this.#searched - 3)) >= 0) return false;
    const fresh = bytes.toString('latin1', from + this.#searched - 1);
    this.#searched = length;
    if (isGarbled(fresh, 1)) this.#reject(400);
    return true;
  }

  /** To the server behind, once all answers before are on their way. How many bytes that took. */
  #handOver(text: string, at: number, hasMore: boolean): number {
    if (this.#isWaiting) return 0;
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0 && text.length - at < maxHead) {
      // There may be more of it behind the window, which then begins with it.
      if (hasMore) return 0;
      this.#searched = text.length - at;
      if (isGarbled(text.slice(at), 0)) this.#reject(400);
      return 0;
    }
    const head = end < 0 || end - at > maxHead ? tooLong(text, at) : readHead(text.slice(at, end));
    if (typeof head === 'number') {
      this.#reject(head, text.startsWith('HEAD ', at) ? 'HEAD' : '');
      return 0;
    }
    this.#sendReady();
    this.#isForInner = false;
    this.#exchange = new Exchange(head);
    this.#forward(this.#exchange);
    return head.length;
  }

  /** More of the request under way. */
  #receive(bytes: Buffer): number {
    const exchange = this.#exchange as Exchange;
    const taken = exchange.take(bytes);
    if (exchange.isMalformed) this.#giveUp(400);
    else this.#forward(exchange);
    return taken;
  }

  #forward(exchange: Exchange): void {
    if (!exchange.isReady) return;
    const inner = this.#reachInner(exchange);
    exchange.forwardTo(inner);
    if (inner.isFull) this.#pause();
  }

  #reachInner({ isForwarded }: Exchange): Upstream {
    const inner = this.#inner;
    if (inner !== null && (isForwarded || performance.now() - inner.usedAt < innerLifetime)) return inner;
    this.#inner = null;
    inner?.close();
    const { guard } = this.#lane;
    const fresh: Upstream = new Upstream(this.#lane, this.#peer, {
      received: (bytes) => this.#answered(bytes),
      drained: () => {
        if (this.#held.length < maxHeld) this.#resume();
      },
      closed: () => {
        if (this.#inner === fresh) this.#innerClosed();
      },
      guarded: (step) => guard.run(this, step),
      refused: () => {
        if (this.#inner === fresh) this.#giveUp(tooBusy);
      },
      stalled: () => {
        if (this.#inner === fresh) this.#giveUp(tooSlow);
      },
      isHalfSent: () => this.#exchange?.isWhole === false,
    });
    this.#inner = fresh;
    return fresh;
  }

  /** Bytes from the server behind. */
  #answered(bytes: Buffer): void {
    const exchange = this.#exchange;
    // It has been given up, or nothing was asked.
    if (exchange === null) {
      this.#dropInner();
      return;
    }
    this.#wasUsed = true;
    const { answer, head } = exchange;
    const own = answer.read(bytes);
    this.#outlet.bytes(own === bytes.length ? bytes : bytes.subarray(0, own));
    if (this.#outlet.isFull) this.#inner?.pause();
    if (!answer.isOver) return;
    this.#exchange = null;
    // An answer that came before all of its request did leaves open where the next one begins.
    if (head.closes || answer.closes || !exchange.isWhole || own < bytes.length) {
      this.#finish();
      return;
    }
    this.#inner?.rest();
    this.#proceed();
  }

  #innerClosed(): void {
    this.#inner = null;
    if (this.#exchange?.isForwarded === true) this.#giveUp(502);
  }

  #dropInner(): void {
    const inner = this.#inner;
    this.#inner = null;
    inner?.close();
  }

  /** Of the exchange under way: nothing more of it is sent on, and what is answered already is all. */
  #giveUp(answer: RefusedStatus | string): void {
    const exchange = this.#exchange;
    this.#exchange = null;
    this.#dropInner();
    if (exchange?.answer.hasBegun === true) this.#finish();
    else if (typeof answer === 'string') this.#endWith(answer);
    else this.#reject(answer, exchange?.head.method);
  }

  /** Once all answers before are on their way: until then it is found again. */
  #reject(status: RefusedStatus, method = ''): void {
    if (this.#isWaiting) return;
    const { head, body } = refusal(status, method);
    this.#endWith(head + this.#lane.headEnd() + body);
  }

  #endWith(answer: string): void {
    this.#ready += answer;
    this.#isLast = true;
    this.#sendReady();
  }

  /** Nothing more is answered. What still comes is read and dropped, so that the last answer is not lost to a reset. */
  #finish(): void {
    this.#isEnding = true;
    this.#held.clear();
    this.#dropInner();
    this.#outlet.end();
    this.#resume();
  }

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket.resume();
  }
}

const goOn = (connection: Connection): void => connection.goOn(true);
const goOnBehind = (connection: Connection): void => connection.goOn(false);

/** Why a head can't be taken: it is none, or its first line alone is too long, or all of it is. */
function tooLong(text: string, at: number): RefusedStatus {
  if (isGarbled(text.slice(at), 0)) return 400;
  const line = text.indexOf('\r\n', at);
  return line < 0 || line - at > maxHead ? 414 : 431;
}
