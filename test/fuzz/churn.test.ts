import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { accountWithLinks } from '../support/account.ts';
import { firefox } from '../support/agents-of-people.ts';
import { hitCounter } from '../support/counted-hits.ts';
import { eventually } from '../support/eventually.ts';
import { storeFolder } from '../support/migrated-store.ts';
import { problemsOf, runServer, stop } from '../support/program.ts';
import { ResponseReader } from '../support/response-reader.ts';
import { seededRandom } from '../support/seeded-random.ts';

/** `npm run test:fuzz` opens more connections. */
const connections = Number(process.env.CONNECTIONS ?? 4_000);
const seed = Number(process.env.SEED ?? 1 + (Date.now() % 1_000_000_000));
const concurrency = 24;
const responseTimeout = 60_000;

const suffixes = Array.from({ length: 32 }, (_, index) => `token-${index}`);

type Closing = 'ends' | 'Connection: close' | 'terminates';

interface Exchange {
  readonly sent: string;
  /** 0: the client disconnects before the answer. */
  readonly status: number;
  readonly suffix: string;
  readonly closing: Closing;
  /** Whether the visit must be recorded (`certain`), may be recorded, or must not be. */
  readonly hit: 'none' | 'possible' | 'certain';
}

const browserHeader = `User-Agent: ${firefox}\r\n`;

function randomExchange(below: (limit: number) => number, host: string): Exchange {
  const suffix = suffixes[below(suffixes.length)] as string;
  const closing = (['ends', 'Connection: close', 'terminates'] as const)[below(3)] as Closing;
  const headers = `Host: ${host}\r\n${browserHeader}${closing === 'Connection: close' ? 'Connection: close\r\n' : ''}`;
  const get = (path: string, extra = '') => `GET ${path} HTTP/1.1\r\n${headers}${extra}\r\n`;
  switch (below(20)) {
    case 0:
      return { sent: get('/api/v1/link'), status: 401, suffix, closing, hit: 'none' };
    case 1:
      return { sent: get(`/none-${below(2 ** 30)}`), status: 404, suffix, closing, hit: 'none' };
    case 2:
      return { sent: get(`/${suffix}`, 'X-Detour: \xe9\r\n'), status: 302, suffix, closing, hit: 'certain' };
    case 3:
      return { sent: `GET /${suffix} HTTP/1.1\r\nHo`, status: 0, suffix, closing, hit: 'none' };
    case 4:
      return {
        sent: `POST /${suffix} HTTP/1.1\r\n${headers}Content-Length: 9\r\n\r\n{`,
        status: 0,
        suffix,
        closing,
        hit: 'none',
      };
    case 5:
      return { sent: get(`/${suffix}`), status: 0, suffix, closing, hit: 'possible' };
    default:
      return { sent: get(`/${suffix}`), status: 302, suffix, closing, hit: 'certain' };
  }
}

/** Sends a request and closes the connection. Resolves with what is wrong with the answer, or null. */
function runExchange(port: number, { sent, status, suffix, closing }: Exchange): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const timer = setTimeout(() => resolve('no answer in time'), responseTimeout);
  const reader = new ResponseReader(() => false);
  let problem: string | null = 'no answer';
  Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open(socket) {
        socket.write(Buffer.from(sent, 'latin1'));
        if (status !== 0) return;
        problem = null;
        if (closing === 'terminates') socket.terminate();
        else socket.end();
      },
      data(socket, chunk) {
        if (status === 0) return;
        const [response] = reader.take(chunk.toString('latin1'));
        if (response === undefined) return;
        const isRight =
          response.status === status &&
          (status !== 302 || response.location === `https://destination.example/${suffix}`);
        problem = isRight ? null : `${response.status} ${response.location} for ${suffix} ${status}`;
        if (closing === 'ends') socket.end();
        if (closing === 'terminates') socket.terminate();
      },
      close() {
        clearTimeout(timer);
        resolve(problem);
      },
      error() {},
    },
  }).catch((cause: Error) => resolve(cause.message));
  return promise;
}

const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

test(`${connections} connections get correct responses, and leave no open files and no memory behind`, async () => {
  await using folder = await storeFolder();
  const program = runServer({ PORT: '0', DATA_DIR: folder.path, MISS_LIMIT: '0' });
  try {
    const address = await program.address();
    const { host, port } = new URL(address);
    const { ids } = await accountWithLinks(address, suffixes);
    const below = seededRandom(seed);
    const counts = { minimum: 0, maximum: 0 };
    const problems: string[] = [];
    const churn = async (count: number) => {
      let left = count;
      const visitor = async () => {
        while (left-- > 0 && problems.length < 5) {
          const exchange = randomExchange(below, host);
          const problem = await runExchange(Number(port), exchange);
          if (problem !== null) problems.push(`${problem}; ${exchange.closing}; ${exchange.sent}`);
          if (exchange.hit === 'certain') counts.minimum += 1;
          if (exchange.hit !== 'none') counts.maximum += 1;
        }
      };
      await Promise.all(Array.from({ length: concurrency }, visitor));
    };
    const first = Math.ceil(connections / 4);
    await churn(first);
    const isLinux = process.platform === 'linux';
    const [files, memory] = isLinux ? [openFiles(program.pid), residentMegabytes(program.pid)] : [0, 0];
    await churn(connections - first);
    expect({ seed, problems }).toEqual({ seed, problems: [] });
    if (isLinux) {
      // The earlier number, plus the connections of one round of visitors.
      await eventually(() => openFiles(program.pid) <= files + 8, 'files to be closed', 30_000);
      await eventually(
        () => residentMegabytes(program.pid) < memory * 1.5 + 64,
        'the memory to be released',
        30_000,
      );
    }
    const counter = hitCounter(folder.path, '');
    const recorded = async () => {
      const hits = await Promise.all([...ids.values()].map(async (id) => (await counter.of(id)).ledger));
      return hits.reduce((sum, count) => sum + count, 0);
    };
    await eventually(async () => (await recorded()) >= counts.minimum, 'every hit', 120_000);
    expect(await recorded()).toBeLessThanOrEqual(counts.maximum);
    await counter.close();
    expect(problemsOf(program)).toEqual([]);
    await stop(program);
  } finally {
    program.kill('SIGKILL');
  }
}, 3_600_000);
