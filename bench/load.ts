import { AnswerReader } from './answer-reader.ts';
import { percentile } from './figures.ts';
import type { Listening } from './program.ts';

export interface Load {
  readonly connections: number;
  readonly seconds: number;
  /** Ends the load early after so many requests. */
  readonly maxRequests?: number;
  /** The status that every response must have. */
  readonly status: number;
  readonly next: () => Uint8Array;
}

export interface Run {
  readonly requests: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/**
 * Keeps every connection busy with one request at a time. Uses raw sockets, at 6 µs a request: with `fetch` a request cost this
 * process 13 to 18 µs and left the server idle almost half of the time.
 */
export async function load(
  { port }: Listening,
  { connections, seconds, maxRequests, status, next }: Load,
): Promise<Run> {
  const waits: number[] = [];
  const begun = performance.now();
  const deadline = begun + seconds * 1000;
  let sent = 0;
  const request = () => {
    if (performance.now() >= deadline || sent === maxRequests) return null;
    sent++;
    return next();
  };
  await Promise.all(Array.from({ length: connections }, () => drive(port, status, request, waits)));
  const elapsed = (performance.now() - begun) / 1000;
  waits.sort((one, other) => one - other);
  return {
    requests: waits.length,
    seconds: elapsed,
    perSecond: waits.length / elapsed,
    p50: percentile(waits, 50),
    p99: percentile(waits, 99),
  };
}

/** One keep-alive connection, from its first request until there is no next one. Adds the milliseconds of each to `waits`. */
function drive(
  port: number,
  status: number,
  request: () => Uint8Array | null,
  waits: number[],
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const answer = new AnswerReader();
  let sentAt = 0;
  const send = (socket: Bun.Socket) => {
    const bytes = request();
    if (bytes === null) {
      resolve();
      socket.end();
      return;
    }
    sentAt = performance.now();
    push(socket, bytes);
  };
  let rest: Uint8Array | null = null;
  const push = (socket: Bun.Socket, bytes: Uint8Array) => {
    const taken = socket.write(bytes);
    rest = taken < bytes.length ? bytes.subarray(Math.max(taken, 0)) : null;
  };
  const socket = {
    open: send,
    drain(socket: Bun.Socket) {
      if (rest) push(socket, rest);
    },
    data(socket: Bun.Socket, chunk: Buffer) {
      if (!answer.take(chunk)) return;
      if (answer.status !== status) throw new Error(`the server answered ${answer.status}: ${chunk}`);
      waits.push(performance.now() - sentAt);
      send(socket);
    },
    error(socket: Bun.Socket, cause: Error) {
      reject(cause);
      socket.end();
    },
    close: () => reject(new Error('the server closed a connection')),
  };
  Bun.connect({ hostname: '127.0.0.1', port, socket }).catch(reject);
  return promise;
}

/** Returns one after another, then starts over. */
export function cycle<T>(things: readonly T[]): () => T {
  let turn = 0;
  return () => things[turn++ % things.length] as T;
}
