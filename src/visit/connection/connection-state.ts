import type { RefusedStatus } from './refused-request.ts';

/** What a connection does at the moment. */
type Phase =
  /** The next request is read as it arrives. */
  | 'reading'
  /** The next request has arrived, and its link is being looked up. */
  | 'lookup'
  /** A request is being forwarded to the app server, and more of it is to come. */
  | 'upload'
  /** All of it has been forwarded, and its response is awaited or passed back. */
  | 'response'
  /** The last answer is ready and waits for the end of the tick. */
  | 'last'
  /** The last answer is written. Further bytes of the client are read and dropped: a reset could make it lose the answer. */
  | 'closing'
  | 'closed';

/** The error answer to a request that gets no other answer. It ends the connection. */
type Refusal = RefusedStatus | 'too busy' | 'too slow';

/**
 * The state of a connection, without its bytes. Its owner sets `held`, `upstreamBlocked` and `wasUsed`, and `sweeps` back to 0
 * when some of a request has been processed, or there is room for more of an answer; everything else is changed by `step` alone, in place:
 * docs/decisions/2026-11-23-connection-state.md.
 */
export interface ConnectionState {
  phase: Phase;
  /** Answers, or requests beyond the connection's share, wait for the end of the tick. */
  awaitsTick: boolean;
  /** The lookup for the next request failed: the app server has a page for that. */
  skipsFastPath: boolean;
  /** Some of the response has gone to the client: no other answer can be sent in its place. */
  responseBegan: boolean;
  /** The client sends no more. */
  clientEnded: boolean;
  isPaused: boolean;
  /** The answer that `Effect.refuse` appends. */
  refusal: Refusal;
  /** How many sweeps in a row have found the connection waiting. */
  sweeps: number;
  /** Bytes received that could not be processed yet. */
  held: number;
  /** Written bytes wait for the client to read. */
  writeBlocked: boolean;
  /** Bytes wait for the app server to read. */
  upstreamBlocked: boolean;
  /** The TLS handshake may still wait for its certificate: the next sweep that finds the connection unused spares it. */
  handshakeWaits: boolean;
  /** Whether bytes were received or sent since the last sweep. */
  wasUsed: boolean;
}

export const newConnection = (): ConnectionState => ({
  phase: 'reading',
  awaitsTick: false,
  skipsFastPath: false,
  responseBegan: false,
  clientEnded: false,
  isPaused: false,
  refusal: 400,
  sweeps: 0,
  held: 0,
  writeBlocked: false,
  upstreamBlocked: false,
  handshakeWaits: false,
  wasUsed: true,
});

export type ConnectionEvent =
  /** The client has begun a TLS handshake, which waits for its certificate. */
  | 'handshake waits'
  /** Plain requests have been answered, and the answers may be sent. */
  | 'answers ready'
  /** The same, but their clicks are only in the journal at the end of the tick. */
  | 'answers wait'
  /** The connection has had its share of this tick; its answers may be sent. */
  | 'share used'
  /** The client wants no answer after the one that is ready. */
  | 'last answer'
  | 'lookup begun'
  | 'lookup done'
  | 'lookup failed'
  /** The tick has ended: first every connection sends its answers, then every connection reads on. */
  | 'tick ended'
  | 'next tick'
  /** The head of a request for the app server has been read. */
  | 'request begun'
  | 'request complete'
  | 'response begun'
  | 'response complete'
  /** The response is complete, and another one can't follow it on this connection. */
  | 'last response complete'
  /** The request can't be read, or the app server can't be reached; comes with the refusal to send. */
  | 'failed'
  | 'write blocked'
  | 'drained'
  /** `held` or `upstreamBlocked` has changed. */
  | 'flow changed'
  /** The bytes held have been processed as far as possible for now. */
  | 'held processed'
  | 'client ended'
  /** Comes at regular intervals, for connections on which nothing happens. */
  | 'sweep'
  /** The server stops. */
  | 'end if idle'
  | 'closed';

/** What the owner must do, in this order. */
export const Effect = {
  /** Append `refusal` to the answers that are ready. */
  refuse: 1 << 0,
  /** Write the answers that are ready. */
  send: 1 << 1,
  /** Drop what is held and the upstream connection, and end the writing side once everything is out. */
  finish: 1 << 2,
  /** Have 'tick ended' and 'next tick' reported at the end of the tick. */
  awaitTickEnd: 1 << 3,
  /** Have 'next tick' reported at the end of the tick. */
  awaitNextTick: 1 << 4,
  pauseUpstream: 1 << 5,
  resumeUpstream: 1 << 6,
  /** End the writing side of the upstream connection, if the request is a read of the API. */
  endUpstream: 1 << 7,
  /** Keep the upstream connection for the next request. */
  keepUpstream: 1 << 8,
  /** Process what is held, then report 'held processed'. */
  process: 1 << 9,
  pause: 1 << 10,
  resume: 1 << 11,
  /** Drop everything: the client's connection is closed. */
  discard: 1 << 12,
  /** Close the client's connection, but have the system send what it has buffered. */
  close: 1 << 13,
  terminate: 1 << 14,
} as const;

/** Bytes held behind an unanswered request before the client is paused. */
export const maxHeld = 64 * 1024;
/**
 * Sweeps during which a head may trickle in, a whole request may wait for its response to begin, and a client may make no room for
 * more of an answer: the kernel buffers megabytes, and reports room only after a good part of them has been read.
 */
const maxSweeps = { head: 2, response: 12, room: 6 };

/** Whether more of the client's bytes can be processed. */
export const canRead = ({ phase, awaitsTick, writeBlocked }: ConnectionState): boolean =>
  (phase === 'reading' || phase === 'upload') && !awaitsTick && !writeBlocked;

/** Whether no answer is pending. The beginning of a head can't be answered. */
export const isIdle = (state: ConnectionState): boolean => state.phase === 'reading' && canRead(state);

/** Whether all answers are written or ready: further bytes of the client are dropped. */
export const isOver = ({ phase }: ConnectionState): boolean =>
  phase === 'last' || phase === 'closing' || phase === 'closed';

const isUpstream = ({ phase }: ConnectionState): boolean => phase === 'upload' || phase === 'response';

/**
 * Takes one event. Returns bits of `Effect`: a number and a record changed in place, because every visit calls this more than
 * once. A `refusal` comes with 'failed'.
 */
export function step(state: ConnectionState, event: ConnectionEvent, refusal: Refusal = 400): number {
  if (state.phase === 'closed') return 0;
  return react(state, event, refusal) | controlFlow(state);
}

/** Pauses the client while too many of its bytes wait. */
function controlFlow(state: ConnectionState): number {
  if (state.phase === 'closed') return 0;
  const mustPause = state.phase !== 'closing' && (state.upstreamBlocked || state.held >= maxHeld);
  if (mustPause === state.isPaused) return 0;
  state.isPaused = mustPause;
  return mustPause ? Effect.pause : Effect.resume;
}

function react(state: ConnectionState, event: ConnectionEvent, refusal: Refusal): number {
  switch (event) {
    case 'handshake waits':
      state.wasUsed = true;
      state.handshakeWaits = true;
      return 0;
    case 'answers ready':
      return send(state);
    case 'answers wait':
      state.awaitsTick = true;
      return Effect.awaitTickEnd;
    case 'share used':
      state.awaitsTick = true;
      return Effect.send | Effect.awaitNextTick;
    case 'last answer':
      state.phase = 'last';
      return 0;
    case 'lookup begun':
      state.phase = 'lookup';
      return 0;
    case 'lookup done':
    case 'lookup failed':
      if (state.phase !== 'lookup') return 0;
      state.phase = 'reading';
      state.skipsFastPath = event === 'lookup failed';
      return processHeld(state);
    case 'tick ended':
      state.awaitsTick = false;
      return state.phase === 'closing' ? 0 : send(state);
    case 'next tick':
      state.awaitsTick = false;
      return processHeld(state);
    case 'request begun':
      state.phase = 'upload';
      state.skipsFastPath = false;
      state.responseBegan = false;
      return 0;
    case 'request complete':
      state.phase = 'response';
      return 0;
    case 'response begun':
      state.responseBegan = true;
      return 0;
    case 'response complete':
      // After a response that came before its whole request, the start of the next request is unknown.
      if (state.phase === 'upload') return finish(state);
      state.phase = 'reading';
      return Effect.keepUpstream | processHeld(state);
    case 'last response complete':
      return finish(state);
    case 'failed':
      return fail(state, refusal);
    case 'write blocked':
      state.writeBlocked = true;
      state.sweeps = 0;
      return isUpstream(state) ? Effect.pauseUpstream : 0;
    case 'drained':
      state.writeBlocked = false;
      // Also for a response that is complete, but was paused with its last bytes.
      return state.phase === 'closing' ? 0 : Effect.resumeUpstream | processHeld(state);
    case 'flow changed':
      return 0;
    case 'held processed':
      if (!state.clientEnded || !canRead(state)) return 0;
      // A request that is incomplete now will never be complete.
      return state.phase === 'upload' || state.held > 0 ? fail(state, 400) : finish(state);
    case 'client ended':
      state.clientEnded = true;
      // A client that has sent further requests still expects the response.
      return state.phase === 'response' && state.held === 0 ? Effect.endUpstream : processHeld(state);
    case 'sweep':
      return sweep(state);
    case 'end if idle':
      return isIdle(state) ? finish(state) : 0;
    case 'closed':
      state.phase = 'closed';
      return Effect.discard;
  }
}

function send(state: ConnectionState): number {
  return state.phase === 'last' ? Effect.send | finish(state) : Effect.send;
}

function finish(state: ConnectionState): number {
  state.phase = 'closing';
  return Effect.finish;
}

function processHeld(state: ConnectionState): number {
  return canRead(state) && (state.held > 0 || state.clientEnded) ? Effect.process : 0;
}

/** Ends the connection with an answer to the request under way, or without one if its response has begun. */
function fail(state: ConnectionState, refusal: Refusal): number {
  if (isUpstream(state) && state.responseBegan) return finish(state);
  if (!isUpstream(state) && !isIdle(state)) return 0;
  state.refusal = refusal;
  return Effect.refuse | Effect.send | finish(state);
}

function sweep(state: ConnectionState): number {
  const { phase, wasUsed } = state;
  state.wasUsed = false;
  if (state.writeBlocked) return ++state.sweeps >= maxSweeps.room ? Effect.terminate : 0;
  if (phase === 'closing') return wasUsed ? 0 : Effect.close;
  if (isIdle(state) && state.held > 0) return ++state.sweeps >= maxSweeps.head ? fail(state, 408) : 0;
  if (wasUsed) return 0;
  if (phase === 'upload') return fail(state, 408);
  if (phase === 'response')
    return !state.responseBegan && ++state.sweeps >= maxSweeps.response ? fail(state, 504) : 0;
  if (state.handshakeWaits) {
    state.handshakeWaits = false;
    return 0;
  }
  return isIdle(state) ? finish(state) : 0;
}
