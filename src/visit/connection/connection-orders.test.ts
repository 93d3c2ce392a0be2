import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { connectionContext } from '../../../test/support/connection-context.ts';
import { Connection } from './connection.ts';
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

/** An app server that answers when the test says so, in parts; any of its connections may be full. */
class Upstreams {
  readonly open: { listener: UpstreamListener; received: string; isFull: boolean; isPaused: boolean }[] = [];
  connect(listener: UpstreamListener) {
    const upstream = { listener, received: '', isFull: false, isPaused: false };
    this.open.push(upstream);
    return {
      usedAt: performance.now(),
      get isFull() {
        return upstream.isFull;
      },
      send: (bytes: Buffer) => {
        upstream.received += bytes.toString('latin1');
      },
      pause: () => {
        upstream.isPaused = true;
      },
      resume: () => {
        upstream.isPaused = false;
      },
      markIdle: () => {},
      end: () => {},
      close: () => {
        this.open.splice(this.open.indexOf(upstream) >>> 0, 1);
      },
    };
  }

  /** Answers the request that was received, if it is complete. */
  answer(): void {
    const [upstream] = this.open;
    if (upstream === undefined || upstream.isPaused) return;
    const [, path = '', length = '0'] =
      /^\w+ (\S+) [\s\S]*?\r\n(?:Content-Length: (\d+)\r\n)?(?:Transfer-Encoding: chunked\r\n)?\r\n/.exec(
        upstream.received,
      ) ?? [];
    if (path === '') return;
    const end = upstream.received.indexOf('\r\n\r\n') + 4 + Number(length);
    if (
      upstream.received.length < end ||
      (path.startsWith('/chunks') && !upstream.received.endsWith('0\r\n\r\n'))
    )
      return;
    upstream.received = '';
    upstream.listener.received(Buffer.from(`${answerTo(`${path}-by-app`)}\r\n`));
  }
}

class Simulation {
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
    const context = connectionContext({
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
      awaitTickEnd: (connection) => void this.#withAnswers.push(connection),
      awaitNextTick: (connection) => void this.#withMore.push(connection),
    });
    this.#connection = new Connection(socket, context);
  }

  take = (bytes: Buffer): void => {
    // The caller reuses its buffer for the next bytes.
    const copy = Buffer.from(bytes);
    this.#connection.take(copy);
    copy.fill(0);
  };

  readonly steps = {
    turn: () => {
      const [withAnswers, withMore] = [this.#withAnswers, this.#withMore];
      [this.#withAnswers, this.#withMore] = [[], []];
      for (const connection of withAnswers) connection.happened('tick ended');
      for (const connection of [...withAnswers, ...withMore]) connection.happened('next tick');
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
      for (const upstream of this.#upstreams.open) upstream.isFull = true;
    },
    'upstream room': () => {
      for (const upstream of [...this.#upstreams.open]) {
        if (!upstream.isFull) continue;
        upstream.isFull = false;
        upstream.listener.drained();
      }
    },
    'upstream lost': () => this.#upstreams.open[0]?.listener.closed(),
    'client ended': () => this.#connection.happened('client ended'),
    'client lost': () => {
      this.isGone = true;
      this.#connection.happened('closed');
    },
    sweep: () => this.#connection.happened('sweep'),
  };

  /** Finishes everything that is in progress. */
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

const regularSteps = ['turn', 'lookup', 'answer', 'full', 'room', 'upstream full', 'upstream room'] as const;
const allSteps = [...regularSteps, 'client ended', 'client lost', 'upstream lost', 'sweep'] as const;

const simulationOf = (steps: readonly (keyof Simulation['steps'])[]) =>
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
  requests: readonly Kind[],
  steps: readonly (number | keyof Simulation['steps'])[],
): Promise<Simulation> {
  const simulation = new Simulation();
  const stream = Buffer.from(requests.map(requestOf).join(''), 'latin1');
  let at = 0;
  let hasClientEnded = false;
  for (const step of steps) {
    if (simulation.isGone) break;
    if (typeof step !== 'number') {
      await simulation.steps[step]();
      if (step === 'client ended') hasClientEnded = true;
    } else if (!simulation.isPaused && !hasClientEnded) {
      // Most pieces are as small as a head, some as large as one read of the socket.
      const length = step % 3 === 0 ? step : step % 120;
      simulation.take(stream.subarray(at, at + length));
      at += length;
    }
  }
  for (let round = 0; round < 200 && !simulation.isGone && !simulation.hasEnded; round++) {
    if (!simulation.isPaused && !hasClientEnded && at < stream.length) {
      simulation.take(stream.subarray(at, at + 50_000));
      at += 50_000;
    }
    await simulation.settle();
    if (simulation.answers.length === answersTo(requests).length) break;
  }
  return simulation;
}

/** The answers to these requests, up to the last that is to be answered. */
function answersTo(requests: readonly Kind[]): string[] {
  const last = requests.indexOf('last');
  const answered = last < 0 ? requests : requests.slice(0, last + 1);
  const isByApp = (kind: Kind) => ['lost-lookup', 'app', 'upload', 'chunks'].includes(kind);
  return answered.map((kind, index) => `/${kind}/${index}${isByApp(kind) ? '-by-app' : ''}`);
}

test(`${orders} orders of pieces, ticks and pauses: every request is answered, in order`, async () => {
  await fc.assert(
    fc.asyncProperty(simulationOf(regularSteps), async ([requests, steps]) => {
      const simulation = await run(requests, steps);
      expect(simulation.faults).toEqual([]);
      expect(simulation.answers).toEqual(answersTo(requests));
      expect(simulation.hasEnded).toBe(requests.includes('last'));
    }),
    { numRuns: orders },
  );
}, 3_600_000);

test(`${orders} orders with ends and losses: at most one response per request, in order, a refusal last`, async () => {
  await fc.assert(
    fc.asyncProperty(simulationOf(allSteps), async ([requests, steps]) => {
      const simulation = await run(requests, steps);
      expect(simulation.faults).toEqual([]);
      const { answers } = simulation;
      const refused = answers.findIndex((answer) => answer.startsWith('refused'));
      if (refused >= 0) expect(refused).toBe(answers.length - 1);
      const served = refused < 0 ? answers : answers.slice(0, refused);
      expect(served).toEqual(answersTo(requests).slice(0, served.length));
      if (!simulation.isGone && !simulation.hasEnded) expect(served).toEqual(answersTo(requests));
    }),
    { numRuns: orders },
  );
}, 3_600_000);
