import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  type ConnectionEvent,
  type ConnectionState,
  canRead,
  Effect,
  isIdle,
  isOver,
  maxHeld,
  newConnection,
  step,
} from './connection-state.ts';

/** `npm run test:fuzz` sets more. */
const orders = Number(process.env.ORDERS ?? 2_000);

/** Events that may occur at any time, whatever the connection does. */
const anytimeEvents = [
  'handshake waits',
  'tick ended',
  'next tick',
  'lookup done',
  'lookup failed',
  'drained',
  'write blocked',
  'client ended',
  'sweep',
  'end if idle',
  'closed',
  'failed',
  'piece',
  'held elsewhere',
  'upstream full',
  'upstream drained',
] as const;

/** Events that only occur while the connection is read, or only with an upstream connection. */
const eventsIn = {
  reading: ['answers ready', 'answers wait', 'share used', 'last answer', 'lookup begun', 'request begun'],
  upload: ['request complete', 'response begun', 'response complete', 'last response complete'],
  response: ['response begun', 'response complete', 'last response complete'],
} as const;

/** An owner that carries out no effect, and checks every effect against those before. */
class Owner {
  readonly state: ConnectionState = newConnection();
  readonly #log: string[] = [];
  #isPaused = false;
  #hasFinished = false;
  #isGone = false;
  #scheduled = 0;

  handle(event: ConnectionEvent | (typeof anytimeEvents)[number]): void {
    const { state } = this;
    if (event === 'piece' || event === 'held elsewhere') {
      if (isOver(state)) return;
      state.wasUsed = true;
      state.held = event === 'piece' ? state.held + maxHeld / 2 : 0;
      this.#step('flow changed');
    } else if (event === 'upstream full' || event === 'upstream drained') {
      if (state.phase !== 'upload' && state.phase !== 'response') return;
      state.upstreamBlocked = event === 'upstream full';
      this.#step('flow changed');
    } else this.#step(event);
  }

  /** The number of requested ends of a turn: a turn only ends if that was requested. */
  get pending(): number {
    return this.#scheduled;
  }

  #step(event: ConnectionEvent): void {
    const { state } = this;
    const before = { ...state };
    if (event === 'next tick') this.#scheduled = 0;
    const effects = step(state, event, 414);
    this.#log.push(`${event}: ${before.phase} → ${state.phase}`);
    const has = (effect: keyof typeof Effect) => (effects & Effect[effect]) !== 0;
    const holds = (isTrue: boolean, message: string) => {
      if (!isTrue) throw new Error(`${message}\n${this.#log.join('\n')}`);
    };
    holds(!this.#isGone || effects === 0, 'something is done after the end');
    if (this.#hasFinished) {
      const allowed = Effect.close | Effect.terminate | Effect.discard | Effect.resume;
      holds((effects & ~allowed) === 0, 'something is sent or read after the last answer');
    }
    holds(!has('refuse') || (has('send') && has('finish')), 'a refusal is sent, and is the last answer');
    holds(
      !has('refuse') || !(isUpstreamPhase(before) && before.responseBegan),
      'a refusal in another answer',
    );
    holds(!has('refuse') || isUpstreamPhase(before) || isIdle(before), 'a refusal overtakes an answer');
    holds(!has('process') || canRead(state), 'reads on only where it can');
    holds(!has('awaitTickEnd') || !has('awaitNextTick'), 'waits for a turn once');
    if (has('awaitTickEnd') || has('awaitNextTick')) {
      holds(this.#scheduled === 0, 'waits for two turns at once');
      this.#scheduled = 1;
    }
    holds(!has('keepUpstream') || before.phase === 'response', 'rests with a request in progress');
    holds(!has('endUpstream') || before.phase === 'response', 'ends a request that is incomplete');
    holds(!(has('pause') && has('resume')), 'pauses and resumes at once');
    holds(!has('pause') || !this.#isPaused, 'is paused twice');
    holds(!has('resume') || this.#isPaused, 'resumes what is not paused');
    if (has('pause') || has('resume')) this.#isPaused = has('pause');
    const isEnding = state.phase === 'closing' || state.phase === 'closed';
    if (!isEnding)
      holds(
        this.#isPaused === (state.held >= maxHeld || state.upstreamBlocked),
        'is paused if and only if there is too much input',
      );
    if (state.phase === 'closing')
      holds(!this.#isPaused, 'is closing while it is paused, and would not see the end of the socket');
    holds(!(canRead(state) && (state.awaitsTick || state.writeBlocked)), 'reads on while answers wait');
    holds(!isIdle(state) || !isOver(state), 'idle after the end');
    if (before.phase === 'closing') holds(isEnding, 'begins again');
    if (has('finish')) {
      holds(!this.#hasFinished, 'ends twice');
      this.#hasFinished = true;
      state.held = 0;
      state.upstreamBlocked = false;
    }
    if (has('close') || has('terminate')) this.#step('closed');
    if (state.phase === 'closed') this.#isGone = true;
  }
}

const isUpstreamPhase = ({ phase }: ConnectionState): boolean => phase === 'upload' || phase === 'response';

function eventAt(owner: Owner, draw: number): ConnectionEvent | (typeof anytimeEvents)[number] | null {
  const { state } = owner;
  const isReading = state.phase === 'reading' && canRead(state);
  const phaseEvents: readonly ConnectionEvent[] =
    state.phase === 'upload' || state.phase === 'response'
      ? eventsIn[state.phase]
      : isReading
        ? eventsIn.reading
        : // Answers that were ready with the last one, or before the lookup.
          state.phase === 'last' && !state.awaitsTick
          ? ['answers ready', 'answers wait']
          : [];
  const event =
    [...anytimeEvents, ...phaseEvents, ...phaseEvents][
      draw % (anytimeEvents.length + 2 * phaseEvents.length)
    ] ?? null;
  const isTurn = event === 'tick ended' || event === 'next tick';
  return isTurn && owner.pending === 0 ? null : event;
}

test(`${orders} random orders of events: every effect is legal, nothing follows the end, and too much input pauses the client`, () => {
  const draws = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 60, size: 'max' });
  fc.assert(
    fc.property(draws, (drawn) => {
      const owner = new Owner();
      for (const draw of drawn) {
        const event = eventAt(owner, draw);
        if (event !== null) owner.handle(event);
        if (event === 'tick ended') owner.handle('next tick');
      }
    }),
    { numRuns: orders },
  );
  expect(orders).toBeGreaterThan(0);
}, 3_600_000);

test('an idle connection is closed by a sweep, a recently used one by the next sweep', () => {
  const state = newConnection();
  expect(step(state, 'sweep')).toBe(0);
  expect(step(state, 'sweep')).toBe(Effect.finish);
});

test('a connection whose handshake waits for its certificate is closed one sweep later', () => {
  const state = newConnection();
  expect(step(state, 'sweep')).toBe(0);
  step(state, 'handshake waits');
  for (let sweeps = 0; sweeps < 2; sweeps++) expect(step(state, 'sweep')).toBe(0);
  expect(step(state, 'sweep')).toBe(Effect.finish);
});

test('a slowly sent head is refused after two sweeps, however much of it arrives', () => {
  const state = { ...newConnection(), held: 10 };
  expect(step(state, 'sweep')).toBe(0);
  state.wasUsed = true;
  expect(step(state, 'sweep')).toBe(Effect.refuse | Effect.send | Effect.finish);
  expect(state.refusal).toBe(408);
});

test("a response that doesn't begin is given up after twelve sweeps, but not one that has begun", () => {
  const waiting = newConnection();
  for (const event of ['request begun', 'request complete'] as const) step(waiting, event);
  const answering = { ...waiting };
  step(answering, 'response begun');
  for (let sweeps = 0; sweeps < 12; sweeps++)
    expect([step(waiting, 'sweep'), step(answering, 'sweep')]).toEqual([0, 0]);
  expect(step(waiting, 'sweep') & Effect.refuse).toBe(Effect.refuse);
  expect([waiting.refusal, waiting.phase, answering.phase]).toEqual([504, 'closing', 'response']);
});

test('a client that makes no room for more of an answer is disconnected after six sweeps in a row', () => {
  const state = newConnection();
  for (const event of ['request begun', 'request complete'] as const) step(state, event);
  // The wait for the response doesn't count.
  for (let sweeps = 0; sweeps < 11; sweeps++) expect(step(state, 'sweep')).toBe(0);
  for (const event of ['response begun', 'write blocked'] as const) step(state, event);
  for (let sweeps = 0; sweeps < 5; sweeps++) expect(step(state, 'sweep')).toBe(0);
  // The owner does this as often as the client makes room.
  state.sweeps = 0;
  for (let sweeps = 0; sweeps < 5; sweeps++) expect(step(state, 'sweep')).toBe(0);
  expect(step(state, 'sweep')).toBe(Effect.terminate);
});

test('a client that has its last answer is disconnected by the second sweep, without a reset', () => {
  const state = newConnection();
  for (const event of ['last answer', 'answers ready', 'write blocked'] as const) step(state, event);
  for (let sweeps = 0; sweeps < 5; sweeps++) expect(step(state, 'sweep')).toBe(0);
  step(state, 'drained');
  state.wasUsed = true;
  expect(step(state, 'sweep')).toBe(0);
  expect(step(state, 'sweep')).toBe(Effect.close);
});

test('a client that half-closes gets pending responses, and an incomplete request is refused', () => {
  const state = newConnection();
  step(state, 'answers wait');
  expect(step(state, 'client ended')).toBe(0);
  expect(step(state, 'tick ended')).toBe(Effect.send);
  expect(step(state, 'next tick')).toBe(Effect.process);
  expect(step({ ...state }, 'held processed')).toBe(Effect.finish);
  state.held = 10;
  expect(step(state, 'held processed')).toBe(Effect.refuse | Effect.send | Effect.finish);
  expect(state.refusal).toBe(400);
});
