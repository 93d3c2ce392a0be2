import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { accountWithLinks } from '../support/account.ts';
import { AnswerReader } from '../support/answer-reader.ts';
import { hitCounter } from '../support/counted-hits.ts';
import { eventually } from '../support/eventually.ts';
import { storeFolder } from '../support/migrated-store.ts';
import { problemsOf, runServer } from '../support/program.ts';
import { seededRandom } from '../support/seeded-random.ts';

/** `npm run test:fuzz` opens more. */
const connections = Number(process.env.CONNECTIONS ?? 4_000);
const seed = Number(process.env.SEED ?? 1 + (Date.now() % 1_000_000_000));
const atOnce = 24;
const answerTimeout = 60_000;

const suffixes = Array.from({ length: 32 }, (_, index) => `token-${index}`);

type Way = 'ends' | 'asks to end' | 'terminates';

interface Exchange {
  readonly sent: string;
  /** 0: the client disconnects before the answer. */
  readonly status: number;
  readonly suffix: string;
  readonly way: Way;
  /** Whether the visit must be recorded (`surely`), may be, or must not be. */
  readonly hit: 'none' | 'perhaps' | 'surely';
}

const person = 'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n';

function draw(below: (limit: number) => number, host: string): Exchange {
  const suffix = suffixes[below(suffixes.length)] as string;
  const way = (['ends', 'asks to end', 'terminates'] as const)[below(3)] as Way;
  const more = `Host: ${host}\r\n${person}${way === 'asks to end' ? 'Connection: close\r\n' : ''}`;
  const get = (path: string, extra = '') => `GET ${path} HTTP/1.1\r\n${more}${extra}\r\n`;
  switch (below(20)) {
    case 0:
      return { sent: get('/api/v1/link'), status: 401, suffix, way, hit: 'none' };
    case 1:
      return { sent: get(`/none-${below(2 ** 30)}`), status: 404, suffix, way, hit: 'none' };
    case 2:
      return { sent: get(`/${suffix}`, 'X-Detour: \xe9\r\n'), status: 302, suffix, way, hit: 'surely' };
    case 3:
      return { sent: `GET /${suffix} HTTP/1.1\r\nHo`, status: 0, suffix, way, hit: 'none' };
    case 4:
      return {
        sent: `POST /${suffix} HTTP/1.1\r\n${more}Content-Length: 9\r\n\r\n{`,
        status: 0,
        suffix,
        way,
        hit: 'none',
      };
    case 5:
      return { sent: get(`/${suffix}`), status: 0, suffix, way, hit: 'perhaps' };
    default:
      return { sent: get(`/${suffix}`), status: 302, suffix, way, hit: 'surely' };
  }
}

/** What is wrong with the answer, or null. */
function converse(port: number, { sent, status, suffix, way }: Exchange): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const late = setTimeout(() => resolve('no answer in time'), answerTimeout);
  const reader = new AnswerReader(() => false);
  let found: string | null = 'no answer';
  Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open(socket) {
        socket.write(Buffer.from(sent, 'latin1'));
        if (status !== 0) return;
        found = null;
        if (way === 'terminates') socket.terminate();
        else socket.end();
      },
      data(socket, piece) {
        if (status === 0) return;
        const [answer] = reader.take(piece.toString('latin1'));
        if (answer === undefined) return;
        const isRight =
          answer.status === status &&
          (status !== 302 || answer.location === `https://destination.example/${suffix}`);
        found = isRight ? null : `${answer.status} ${answer.location} for ${suffix} ${status}`;
        if (way === 'ends') socket.end();
        if (way === 'terminates') socket.terminate();
      },
      close() {
        clearTimeout(late);
        resolve(found);
      },
      error() {},
    },
  }).catch((cause: Error) => resolve(cause.message));
  return promise;
}

const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

test(`${connections} connections, each response correct, and nothing of them remains`, async () => {
  await using folder = await storeFolder();
  const program = runServer({ PORT: '0', DATA_DIR: folder.path, MISS_LIMIT: '0' });
  try {
    const address = await program.address();
    const { host, port } = new URL(address);
    const { ids } = await accountWithLinks(address, suffixes);
    const below = seededRandom(seed);
    const counts = { least: 0, most: 0 };
    const problems: string[] = [];
    const churn = async (count: number) => {
      let left = count;
      const visitor = async () => {
        while (left-- > 0 && problems.length < 5) {
          const exchange = draw(below, host);
          const problem = await converse(Number(port), exchange);
          if (problem !== null) problems.push(`${problem}; ${exchange.way}; ${exchange.sent}`);
          if (exchange.hit === 'surely') counts.least += 1;
          if (exchange.hit !== 'none') counts.most += 1;
        }
      };
      await Promise.all(Array.from({ length: atOnce }, visitor));
    };
    const first = Math.ceil(connections / 4);
    await churn(first);
    const isLinux = process.platform === 'linux';
    const [files, memory] = isLinux ? [openFiles(program.pid), residentMegabytes(program.pid)] : [0, 0];
    await churn(connections - first);
    expect({ seed, problems }).toEqual({ seed, problems: [] });
    if (isLinux) {
      // The initial number, plus what one round of visitors may have open.
      await eventually(() => openFiles(program.pid) <= files + 8, 'files to be closed', 30_000);
      await eventually(() => residentMegabytes(program.pid) < memory * 1.5 + 64, 'memory', 30_000);
    }
    const counter = hitCounter(folder.path, '');
    const recorded = async () => {
      const hits = await Promise.all([...ids.values()].map(async (id) => (await counter.of(id)).ledger));
      return hits.reduce((sum, one) => sum + one, 0);
    };
    await eventually(async () => (await recorded()) >= counts.least, 'every hit', 120_000);
    expect(await recorded()).toBeLessThanOrEqual(counts.most);
    await counter.close();
    expect(problemsOf(program)).toEqual([]);
    program.kill('SIGTERM');
    expect(await program.exited).toBe(0);
  } finally {
    program.kill('SIGKILL');
  }
}, 3_600_000);
