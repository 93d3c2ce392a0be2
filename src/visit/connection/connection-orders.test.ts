import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Connection, type ConnectionContext } from './connection.ts';
import { Guard } from './guard.ts';
import type { VisitorSocket } from './port.ts';
import type { UpstreamListener } from './upstream.ts';

/** `npm run test:fuzz` sets more. */
const orders = Number(process.env.ORDERS ?? 2_000);

const kinds = ['plain', 'waits', 'lookup', 'lost-lookup', 'app', 'upload', 'chunks', 'last'] as const;
type Kind = (typeof kinds)[number];

function requestOf(kind: Kind, index: number): string {
  const line = `/${kind}/${index} HTTP/1.1\r\nHost: a\r\n`;
  if (kind === 'upload') return `POST ${line}Content-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`;
  if (kind === 'chunks') return `POST ${line}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`;
  return `GET ${line}${kind === 'last' ? 'Connection: close\r\n' : ''}\r\n`;
}

const answerTo = (path: string): string => `HTTP/1.1 200 ${path}\r\nContent-Length: 0\r\n`;

/** An app server that answers on command, in parts; any of its connections may be full. */
class Upstreams {
  readonly open: { listener: UpstreamListener; asked: string; isFull: boolean; isPaused: boolean }[] = [];
  connect(listener: UpstreamListener) {
    const own = { listener, asked: '', isFull: false, isPaused: false };
    this.open.push(own);
    return {
      usedAt: performance.now(),
      get isFull() {
        return own.isFull;
      },
      send: (bytes: Buffer) => {
        own.asked += bytes.toString('latin1');
      },
      pause: () => {
        own.isPaused = true;
      },
      resume: () => {
        own.isPaused = false;
      },
      rest: () => {},
      end: () => {},
      close: () => {
        this.open.splice(this.open.indexOf(own) >>> 0, 1);
      },
    };
  }

  /** Answers the request that was received, if it is complete. */
  answer(): void {
    const [own] = this.open;
    if (own === undefined || own.isPaused) return;
    const [, path = '', length = '0'] =
      /^\w+ (\S+) [\s\S]*?\r\n(?:Content-Length: (\d+)\r\n)?(?:Transfer-Encoding: chunked\r\n)?\r\n/.exec(
        own.asked,
      ) ?? [];
    if (path === '') return;
    const end = own.asked.indexOf('\r\n\r\n') + 4 + Number(length);
    if (own.asked.length < end || (path.startsWith('/chunks') && !own.asked.endsWith('0\r\n\r\n'))) return;
    own.asked = '';
    own.listener.received(Buffer.from(`${answerTo(`${path}-by-app`)}\r\n`));
  }
}

class Trial {
  readonly faults: unknown[] = [];
  readonly #upstreams = new Upstreams();
  readonly #connection: Connection;
  readonly #lookups = new Map<string, PromiseWithResolvers<void>>();
  readonly #found = new Set<string>();
  #written = '';
  #room = Number.POSITIVE_INFINITY;
  #withAnswers: Connection[] = [];
  #withMore: Connection[] = [];
  isPaused = false;
  hasEnded = false;
  isGone = false;

  constructor() {
    const socket: VisitorSocket = {
      remoteAddress: '192.0.2.7',
      write: (sent) => this.#write(sent),
      shutdown: () => {
        this.hasEnded = true;
      },
      end: () => {
        this.hasEnded = true;
      },
      pause: () => {
        this.isPaused = true;
      },
      resume: () => {
        this.isPaused = false;
      },
      terminate: () => {
        this.isGone = true;
      },
    };
    const context: ConnectionContext = {
      fastPath: ({ path }) => {
        const kind = path.split('/')[1];
        if (kind === 'app') return null;
        if (!kind?.endsWith('lookup') || this.#found.has(path))
          return { head: answerTo(path), body: '', waits: kind === 'waits' };
        const lookup = Promise.withResolvers<void>();
        this.#lookups.set(path, lookup);
        return lookup.promise;
      },
      connectUpstream: (_, listener) => this.#upstreams.connect(listener),
      guard: new Guard((cause) => void this.faults.push(cause)),
      scheme: null,
      headEnd: () => '\r\n',
      nextId: () => '',
      note: null,
      tickStart: () => performance.now(),
      answered: () => {},
      draining: { isOn: false },
      awaitTickEnd: (connection) => void this.#withAnswers.push(connection),
      awaitNextTick: (connection) => void this.#withMore.push(connection),
    };
    this.#connection = new Connection(socket, context);
  }

  take = (bytes: Buffer): void => {
    // The caller reuses the buffer for the next bytes.
    const lent = Buffer.from(bytes);
    this.#connection.take(lent);
    lent.fill(0);
  };

  readonly steps = {
    turn: () => {
      const [withAnswers, withMore] = [this.#withAnswers, this.#withMore];
      [this.#withAnswers, this.#withMore] = [[], []];
      for (const connection of withAnswers) connection.tickEnded();
      for (const connection of [...withAnswers, ...withMore]) connection.nextTick();
    },
    lookup: async () => {
      for (const [path, lookup] of this.#lookups) {
        this.#lookups.delete(path);
        this.#found.add(path);
        if (path.startsWith('/lost')) lookup.reject(new Error('the store is away'));
        else lookup.resolve();
        await Promise.resolve();
      }
    },
    answer: () => this.#upstreams.answer(),
    full: () => {
      this.#room = 100;
    },
    room: () => {
      if (this.#room === Number.POSITIVE_INFINITY || this.isGone) return;
      this.#room = Number.POSITIVE_INFINITY;
      this.#connection.drained();
    },
    'upstream full': () => {
      for (const own of this.#upstreams.open) own.isFull = true;
    },
    'upstream room': () => {
      for (const own of [...this.#upstreams.open]) {
        if (!own.isFull) continue;
        own.isFull = false;
        own.listener.drained();
      }
    },
    'upstream lost': () => this.#upstreams.open[0]?.listener.closed(),
    'client ended': () => this.#connection.ended(),
    'client lost': () => {
      this.isGone = true;
      this.#connection.closed();
    },
    sweep: () => this.#connection.endIfInactive(),
  };

  /** Finishes everything that is under way. */
  async settle(): Promise<void> {
    this.steps.room();
    for (let round = 0; round < 3; round++) {
      this.steps['upstream room']();
      await this.steps.lookup();
      await Promise.resolve();
      this.steps.answer();
      this.steps.turn();
    }
  }

  /** Answers in the order in which they were written: the paths of requests, or the statuses of refusals. */
  get answers(): string[] {
    return [...this.#written.matchAll(/HTTP\/1\.1 (\d+) (\S+)[\s\S]*?\r\n\r\n/g)].map(
      ([, status, path = '']) => (status === '200' ? path : `refused ${status}`),
    );
  }

  #write(sent: Uint8Array | string): number {
    if (this.hasEnded || this.isGone) throw new Error('something is written after the end');
    const text = typeof sent === 'string' ? sent : Buffer.from(sent).toString('latin1');
    const taken = Math.min(text.length, this.#room);
    this.#room -= taken;
    this.#written += text.slice(0, taken);
    return taken;
  }
}

const gentle = ['turn', 'lookup', 'answer', 'full', 'room', 'upstream full', 'upstream room'] as const;
const hard = [...gentle, 'client ended', 'client lost', 'upstream lost', 'sweep'] as const;

const trialOf = (steps: readonly (keyof Trial['steps'])[]) =>
  fc.tuple(
    fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 12 }),
    fc.array(
      fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 90_000 }) }, fc.constantFrom(...steps)),
      {
        maxLength: 40,
        size: 'max',
      },
    ),
  );

async function run(
  wanted: readonly Kind[],
  steps: readonly (number | keyof Trial['steps'])[],
): Promise<Trial> {
  const trial = new Trial();
  const stream = Buffer.from(wanted.map(requestOf).join(''), 'latin1');
  let at = 0;
  let hasClientEnded = false;
  for (const step of steps) {
    if (trial.isGone) break;
    if (typeof step !== 'number') {
      await trial.steps[step]();
      if (step === 'client ended') hasClientEnded = true;
    } else if (!trial.isPaused && !hasClientEnded) {
      // Most pieces are as small as a head, some as large as one read of the socket.
      const length = step % 3 === 0 ? step : step % 120;
      trial.take(stream.subarray(at, at + length));
      at += length;
    }
  }
  for (let round = 0; round < 200 && !trial.isGone && !trial.hasEnded; round++) {
    if (!trial.isPaused && !hasClientEnded && at < stream.length) {
      trial.take(stream.subarray(at, at + 50_000));
      at += 50_000;
    }
    await trial.settle();
    if (trial.answers.length === answersTo(wanted).length) break;
  }
  return trial;
}

/** The answers to these requests, up to the last that is to be answered. */
function answersTo(wanted: readonly Kind[]): string[] {
  const last = wanted.indexOf('last');
  const answered = last < 0 ? wanted : wanted.slice(0, last + 1);
  const isByApp = (kind: Kind) => ['lost-lookup', 'app', 'upload', 'chunks'].includes(kind);
  return answered.map((kind, index) => `/${kind}/${index}${isByApp(kind) ? '-by-app' : ''}`);
}

test(`${orders} orders of pieces, ticks and pauses: every request is answered, in order`, async () => {
  await fc.assert(
    fc.asyncProperty(trialOf(gentle), async ([wanted, steps]) => {
      const trial = await run(wanted, steps);
      expect(trial.faults).toEqual([]);
      expect(trial.answers).toEqual(answersTo(wanted));
      expect(trial.hasEnded).toBe(wanted.includes('last'));
    }),
    { numRuns: orders },
  );
}, 3_600_000);

test(`${orders} orders with ends and losses: at most one response per request, in order, a refusal last`, async () => {
  await fc.assert(
    fc.asyncProperty(trialOf(hard), async ([wanted, steps]) => {
      const trial = await run(wanted, steps);
      expect(trial.faults).toEqual([]);
      const { answers } = trial;
      const refused = answers.findIndex((answer) => answer.startsWith('refused'));
      if (refused >= 0) expect(refused).toBe(answers.length - 1);
      const served = refused < 0 ? answers : answers.slice(0, refused);
      expect(served).toEqual(answersTo(wanted).slice(0, served.length));
      if (!trial.isGone && !trial.hasEnded) expect(served).toEqual(answersTo(wanted));
    }),
    { numRuns: orders },
  );
}, 3_600_000);
