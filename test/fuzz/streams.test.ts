import { expect, test } from 'bun:test';
import { accountWithLinks } from '../support/account.ts';
import { hitCounter } from '../support/counted-hits.ts';
import { eventually } from '../support/eventually.ts';
import { storeFolder } from '../support/migrated-store.ts';
import { problemsOf, runServer, stop } from '../support/program.ts';
import { drawStream, type Stream, type StreamRequest } from '../support/request-streams.ts';
import { type ReadResponse, ResponseReader } from '../support/response-reader.ts';
import { seededRandom } from '../support/seeded-random.ts';

/** `npm run test:fuzz` sends more streams. To repeat a failure, use its seed: `SEED=… npm run test:fuzz`. */
const streams = Number(process.env.STREAMS ?? 400);
const seed = Number(process.env.SEED ?? 1 + (Date.now() % 1_000_000_000));
const concurrency = 16;
const responseTimeout = 60_000;

const suffixes = Array.from({ length: 64 }, (_, index) => `token-${index}`);
const destinationOf = (suffix: string) => `https://destination.example/${suffix}`;

/** Sends the parts one by one, and reads until every answer has arrived, one has `Connection: close`, or the connection ends. */
function send(port: number, stream: Stream): Promise<ReadResponse[]> {
  const { requests, cuts } = stream;
  const bytes = Buffer.from(requests.map((request) => request.bytes).join(''), 'latin1');
  const reader = new ResponseReader((index) => requests[index]?.isHead === true);
  const responses: ReadResponse[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<ReadResponse[]>();
  const timer = setTimeout(() => reject(new Error('no answer in time')), responseTimeout);
  let onDrain = () => {};
  const done = () => {
    clearTimeout(timer);
    onDrain();
    if (reader.rest === '') resolve(responses);
    else reject(new Error(`half an answer: ${reader.rest.slice(0, 200)}`));
  };
  Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      async open(socket) {
        let isClosed = false;
        for (const [index, start] of [0, ...cuts].entries()) {
          const end = cuts[index] ?? bytes.length;
          for (let sent = start; sent < end && !isClosed; ) {
            const taken = socket.write(bytes.subarray(sent, end));
            if (taken < 0) isClosed = true;
            else sent += taken;
            if (sent < end && !isClosed)
              await new Promise<void>((resolve) => {
                onDrain = resolve;
              });
            if (socket.readyState <= 0) isClosed = true;
          }
          // Alternately with no pause and a pause of a millisecond.
          await Bun.sleep(index % 2);
        }
      },
      drain: () => onDrain(),
      data(socket, chunk) {
        try {
          responses.push(...reader.take(chunk.toString('latin1')));
        } catch (cause) {
          reject(cause);
        }
        const isOver = responses.length >= requests.length || responses.at(-1)?.closes === true;
        if (!isOver || reader.rest !== '') return;
        socket.end();
        done();
      },
      close: done,
      error: () => {},
    },
  }).catch(reject);
  return promise;
}

const describeRequest = ({ bytes }: StreamRequest): string =>
  `${bytes.length} ${JSON.stringify(bytes.slice(0, 24))}${bytes.includes('X-Detour') ? ' by the detour' : ''}`;

/** What is wrong with these answers, or null. */
function problemIn({ requests }: Stream, responses: readonly ReadResponse[]): string | null {
  for (const [index, { status, location, closes }] of responses.entries()) {
    const request = requests[index];
    if (request === undefined) return `answer ${index} of ${requests.length}`;
    if (!request.statuses.includes(status)) return `request ${index} is answered ${status}`;
    if (status === 302 && location !== destinationOf(request.suffix))
      return `request ${index} for ${request.suffix} leads to ${location}`;
    if (closes && status < 400) return `request ${index} is answered ${status}, as the last`;
    if (closes && index < responses.length - 1) return `an answer after the last, ${index}`;
  }
  if (responses.length === requests.length || responses.at(-1)?.closes === true) return null;
  return `${responses.length} answers to ${requests.length} requests`;
}

test(`${streams} streams of pipelined requests, with lengths around every limit and split anywhere, get correct responses`, async () => {
  await using folder = await storeFolder();
  const program = runServer({ PORT: '0', DATA_DIR: folder.path, MISS_LIMIT: '0' });
  try {
    const address = await program.address();
    const { ids } = await accountWithLinks(address, suffixes, destinationOf);
    const { host, port } = new URL(address);
    const answered = new Map(suffixes.map((suffix) => [suffix, 0]));
    const problems: string[] = [];
    let next = 0;
    const sender = async () => {
      while (next < streams && problems.length < 5) {
        const index = next++;
        const stream = drawStream(seededRandom(seed + index * 7_919), { host, suffixes });
        const sent = await send(Number(port), stream).catch((cause: Error) => cause);
        const problem = sent instanceof Error ? sent.message : problemIn(stream, sent);
        if (problem !== null) {
          const lengths = stream.requests.map(describeRequest).join('; ');
          problems.push(`stream ${index}: ${problem}; lengths ${lengths}; cut at ${stream.cuts.join(' ')}`);
        }
        if (sent instanceof Error) continue;
        for (const [index, { status }] of sent.entries()) {
          const suffix = stream.requests[index]?.suffix ?? '';
          if (status === 302) answered.set(suffix, (answered.get(suffix) ?? 0) + 1);
        }
      }
    };
    await Promise.all(Array.from({ length: concurrency }, sender));
    expect({ seed, problems }).toEqual({ seed, problems: [] });
    const counter = hitCounter(folder.path, '');
    const recorded = async () => {
      const counted = suffixes.map(async (suffix) => (await counter.of(ids.get(suffix) ?? 0)).ledger);
      return new Map((await Promise.all(counted)).map((hits, index) => [suffixes[index] ?? '', hits]));
    };
    const total = (hits: ReadonlyMap<string, number>) =>
      [...hits.values()].reduce((sum, count) => sum + count, 0);
    await eventually(async () => total(await recorded()) >= total(answered), 'every hit', 120_000);
    expect({ seed, hits: await recorded() }).toEqual({ seed, hits: answered });
    await counter.close();
    expect(problemsOf(program)).toEqual([]);
    await stop(program);
  } finally {
    program.kill('SIGKILL');
  }
}, 3_600_000);
