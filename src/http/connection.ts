import type { VisitorSocket } from '../sockets/port.ts';
import type { Limited } from './connection-table.ts';
import type { ExpressAnswer } from './express-answer.ts';
import { answerLength, framingOf } from './framing.ts';
import type { Guard } from './guard.ts';
import { InnerConnection, type Upstream } from './inner-connection.ts';
import { tooBusy, tooSlow } from './last-answers.ts';
import { Outlet } from './outlet.ts';
import { type PlainRequest, readPlainRequest } from './plain-request.ts';
import { RequestProgress } from './request-progress.ts';

/** Null for what isn't for the express lane; a promise for what may be, once that is fulfilled. */
export type Express = (request: PlainRequest, peer: string) => ExpressAnswer | Promise<unknown> | null;

export interface Lane extends Upstream {
  readonly express: Express;
  /** Through it comes whatever happens to a connection of its own accord. */
  readonly guard: Guard;
  /** What ends every answer's head: its date, and an empty line. */
  readonly headEnd: () => string;
  /** Has `leave` called on this connection at this turn's end, once what was put off before has happened. */
  readonly leaveAfterTurn: (connection: Connection) => void;
}

/** What waits behind a request that isn't answered yet, until the sender is made to wait. */
const mostHeld = 64 * 1024;
/** Characters of answers that are put together at once: a few bytes that ask may have a page each for an answer. */
const mostReady = 64 * 1024;
/** Shorter than the server keeps a silent connection: it must not hang up on a request that is on its way. */
const innerLifetime = 5_000;

/**
 * A visitor's connection. Plain visits to links that are known are answered here, on the express lane. Every other
 * request goes, byte by byte as it came, to the server behind, and what that answers goes back; when both are over and
 * their lengths beyond doubt, the lane is open again, otherwise the connection is carried on as it is until it ends.
 */
export class Connection implements Limited {
  readonly #socket: VisitorSocket;
  readonly #lane: Lane;
  readonly #outlet: Outlet;
  readonly #peer: string;
  #inner: InnerConnection | null = null;
  #state: 'express' | 'asking' | 'exchange' | 'carried' = 'express';
  /** Answers that are ready to leave, and whether they wait for the turn's end. */
  #ready = '';
  #isWaiting = false;
  /** The visitor wants no answer after these. */
  #isLast = false;
  #held: Buffer | null = null;
  #beginning: Buffer | null = null;
  #isEnded = false;
  #isEnding = false;
  /** Of the exchange: the request's bytes still to come, its method, the answer's bytes still to come. */
  #toSend = 0;
  #method = '';
  #toReceive: number | null = null;
  /** Of what is carried from its beginning on. */
  #progress: RequestProgress | null = null;
  /** Whether anything came since this was last asked. */
  #wasUsed = true;

  constructor(socket: VisitorSocket, lane: Lane) {
    this.#socket = socket;
    this.#lane = lane;
    this.#outlet = new Outlet(socket);
    this.#peer = socket.remoteAddress;
  }

  /** Bytes from the visitor. */
  take(bytes: Buffer): void {
    // Read and dropped: whoever is still sending gets to read the last answer, but isn't kept for it.
    if (this.#isLast || this.#isEnding) return;
    this.#wasUsed = true;
    if (this.#state === 'carried') this.#carry(bytes);
    else if (this.#state === 'exchange' && this.#held === null) this.#continue(bytes);
    else if (this.#state === 'asking' || this.#held !== null || this.#outlet.isFull) this.#hold(bytes);
    else this.#serve(bytes);
  }

  /** The answers may leave: what they waited for has happened. */
  leave(): void {
    this.#isWaiting = false;
    this.#sendReady();
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
    if (this.#state === 'carried' || (this.#state === 'exchange' && this.#isForgone)) this.#inner?.end();
    else this.endIfIdle();
  }

  /** The visitor is gone: what waited for its turn is nobody's any more. */
  closed(): void {
    this.#isEnding = true;
    this.#held = null;
    this.#inner?.close();
  }

  /** Whether an answer is owed that is this side's to wait for: what is carried is the server's behind. */
  get isBusy(): boolean {
    return !this.#isIdle && this.#state !== 'carried' && !this.#isEnding;
  }

  /** Ends the connection if nothing is under way on it. */
  endIfIdle(): void {
    if (!this.#isIdle) return;
    this.#isEnding = true;
    this.#outlet.end();
  }

  /** To be called now and then: whoever neither sent nor took anything since the last time has gone to sleep. */
  endIfAsleep(): void {
    if (this.#wasUsed) this.#wasUsed = false;
    else if (this.#isEnding || this.#outlet.isFull) this.terminate();
    else this.endIfIdle();
  }

  makeRoom(): 'ended' | 'used' | 'busy' {
    if (!this.#isIdle && !this.#isEnding && !this.#outlet.isFull) return 'busy';
    if (this.#wasUsed) {
      this.#wasUsed = false;
      return this.#isIdle ? 'used' : 'busy';
    }
    if (this.#isIdle && this.#beginning !== null) this.#socket.write(tooSlow);
    this.#socket.end();
    this.terminate();
    return 'ended';
  }

  /** For whom there is no room. */
  refuse(): void {
    this.#answerLast(tooBusy);
    this.#socket.terminate();
  }

  terminate(): void {
    this.#isEnding = true;
    this.#held = null;
    this.#ready = '';
    try {
      this.#inner?.close();
    } finally {
      this.#socket.terminate();
    }
  }

  get #isIdle(): boolean {
    return this.#state === 'express' && !this.#isWaiting && this.#held === null && !this.#outlet.isFull;
  }

  /**
   * Whether the server behind is to give up on the request under way once its sender sends no more: because it will never
   * be whole, or because it only asks, and who asked has most likely gone. A change is answered however long it takes.
   */
  get #isForgone(): boolean {
    if (this.#toSend > 0) return true;
    return this.#held === null && (this.#method === 'GET' || this.#method === 'HEAD');
  }

  #serve(fresh: Buffer): void {
    const beginning = this.#beginning;
    this.#beginning = null;
    const bytes = beginning === null ? fresh : Buffer.concat([beginning, fresh]);
    const text = bytes.toString('latin1');
    for (let at = 0; at < text.length; ) {
      if (this.#ready.length >= mostReady && !this.#makeRoom()) {
        this.#hold(bytes.subarray(at));
        return;
      }
      const request = readPlainRequest(bytes, text, at);
      const answer = request === null ? null : this.#lane.express(request, this.#peer);
      if (request === null || answer === null) {
        const rest = bytes.subarray(at);
        const isSecondTry = at === 0 && beginning !== null;
        if (!isSecondTry && isBeginning(text, at)) this.#awaitRest(rest);
        else this.#handOver(rest);
        return;
      }
      if (answer instanceof Promise) {
        this.#ask(answer, bytes.subarray(at));
        return;
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
  }

  /** A request that a piece of the stream cut in two. Whoever sends in drips is left to the server behind. */
  #awaitRest(beginning: Buffer): void {
    if (!this.#isWaiting) this.#sendReady();
    this.#beginning = Buffer.from(beginning);
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
    if (!this.#isLast) return;
    this.#isEnding = true;
    this.#outlet.end();
  }

  #ask(known: Promise<unknown>, rest: Buffer): void {
    this.#state = 'asking';
    this.#hold(rest);
    const { guard } = this.#lane;
    known.then(
      () => guard.run(this, goOn),
      // Not to be asked for again and again: the server behind has a page for it.
      () => guard.run(this, goOnBehind),
    );
  }

  /** What was asked for is known, or can't be: then the server behind is to answer. */
  goOn(isKnown: boolean): void {
    this.#state = 'express';
    this.#proceed(isKnown ? undefined : (held) => this.#handOver(held));
  }

  /** To the server behind, once all answers before are on their way. */
  #handOver(rest: Buffer): void {
    if (this.#isWaiting) {
      this.#hold(rest);
      return;
    }
    this.#sendReady();
    const framing = framingOf(rest);
    this.#reachInner();
    if (framing === null) {
      this.#state = 'carried';
      this.#carry(rest);
      this.#progress = new RequestProgress(rest);
      return;
    }
    this.#state = 'exchange';
    this.#method = framing.method;
    this.#toSend = framing.length;
    this.#toReceive = null;
    this.#continue(rest);
  }

  /** More of the request under way; what is behind it waits. */
  #continue(bytes: Buffer): void {
    const own = bytes.subarray(0, this.#toSend);
    this.#toSend -= own.length;
    if (own.length > 0) this.#carry(own);
    if (own.length < bytes.length) this.#hold(bytes.subarray(own.length));
  }

  #carry(bytes: Buffer): void {
    const inner = this.#reachInner();
    if (this.#state === 'carried') {
      this.#progress?.note(bytes);
      this.#toSend = Math.max(0, this.#toSend - bytes.length);
    }
    inner.send(bytes);
    if (inner.isFull) this.#socket.pause();
  }

  #reachInner(): InnerConnection {
    const inner = this.#inner;
    if (inner !== null && !inner.isClosed) {
      if (this.#state !== 'express' || performance.now() - inner.usedAt < innerLifetime) return inner;
      this.#inner = null;
      inner.close();
    }
    const { guard } = this.#lane;
    const fresh: InnerConnection = new InnerConnection(this.#lane, this.#peer, {
      received: (bytes) => this.#answered(bytes),
      drained: () => {
        if ((this.#held?.length ?? 0) < mostHeld) this.#socket.resume();
      },
      closed: () => {
        if (this.#inner !== fresh) return;
        this.#inner = null;
        if (this.#state === 'express' || this.#state === 'asking') return;
        this.#isEnding = true;
        this.#outlet.end();
        this.#socket.resume();
      },
      guarded: (step) => guard.run(this, step),
      refused: () => this.#answerLast(tooBusy),
      stalled: () => {
        const isAnswered = this.#state === 'exchange' ? this.#toReceive !== null : fresh.hasAnswered;
        this.#answerLast(isAnswered ? '' : tooSlow);
      },
      isHalfSent: () => this.#toSend > 0 || this.#progress?.isHalfSent === true,
    });
    this.#inner = fresh;
    return fresh;
  }

  /** Nothing is read any more. */
  #answerLast(answer: string): void {
    this.#isEnding = true;
    this.#held = null;
    if (answer !== '') this.#outlet.text(answer);
    this.#outlet.end();
    this.#socket.resume();
  }

  /** Bytes from the server behind. */
  #answered(bytes: Buffer): void {
    this.#wasUsed = true;
    this.#outlet.bytes(bytes);
    if (this.#outlet.isFull) this.#inner?.pause();
    if (this.#state !== 'exchange') return;
    this.#toReceive ??= answerLength(bytes.toString('latin1'), this.#method);
    if (this.#toReceive === null || bytes.length > this.#toReceive) {
      this.#carryOn();
      return;
    }
    this.#toReceive -= bytes.length;
    if (this.#toReceive > 0) return;
    // An answer that came before all of its request did: where the next one begins is the server's to say.
    if (this.#toSend > 0) {
      this.#carryOn();
      return;
    }
    this.#state = 'express';
    this.#inner?.rest();
    this.#proceed();
  }

  #carryOn(): void {
    this.#state = 'carried';
    const held = this.#held;
    this.#held = null;
    if (held !== null) this.#carry(held);
    if (this.#inner?.isFull !== true) this.#socket.resume();
    if (this.#isEnded) this.#inner?.end();
  }

  #hold(bytes: Buffer): void {
    this.#held = this.#held === null ? Buffer.from(bytes) : Buffer.concat([this.#held, bytes]);
    if (this.#held.length >= mostHeld) this.#socket.pause();
  }

  /** Goes on with what was held, as soon as its turn has come. */
  #proceed(serve = (held: Buffer) => this.#serve(held)): void {
    if (this.#state !== 'express' || this.#isWaiting || this.#outlet.isFull) return;
    const held = this.#held;
    if (held !== null) {
      this.#held = null;
      serve(held);
      if (this.#held === null) this.#socket.resume();
    }
    if (this.#isEnded) this.endIfIdle();
  }
}

const goOn = (connection: Connection): void => connection.goOn(true);
const goOnBehind = (connection: Connection): void => connection.goOn(false);

const longestBeginning = 8 * 1024;

/** Cut off within its method, or anywhere behind it. */
const beginningOfRequest = /(?:[A-Z]{1,10}|[A-Z]{3,10} (?:\/(?:[\x20-\x7e]|\r\n)*\r?)?)$/y;

/** Whether a request's head begins here and isn't all there yet. */
function isBeginning(text: string, at: number): boolean {
  if (text.length - at > longestBeginning || text.indexOf('\r\n\r\n', at) >= 0) return false;
  beginningOfRequest.lastIndex = at;
  return beginningOfRequest.test(text);
}
