import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { type BothPaths, openBothPaths } from './support/both-paths.ts';

/** Lengths around every buffer limit between a visitor and the answer: earlier bugs came from lengths, never from content. */
const faults: unknown[] = [];
let paths: BothPaths;

beforeAll(() => {
  let looked = 0;
  paths = openBothPaths(
    (cause) => faults.push(cause),
    async (request) => new Response(`behind ${(await request.bytes()).length}`),
    ({ path }) => {
      const answer = (body: string, waits: boolean) => ({
        head: `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n`,
        body,
        waits,
      });
      if (path.startsWith('/behind')) return null;
      // Every second of these is looked up first, which takes a while.
      if (path === '/looked-up' && looked++ % 2 === 0) return Bun.sleep(1);
      return answer(
        path.startsWith('/long-answer') ? 'y'.repeat(Number(path.slice(13))) : '',
        path === '/waits',
      );
    },
  );
});
afterAll(async () => {
  await paths.drain();
  expect(faults).toEqual([]);
});

const get = (target: string, more = '') => `GET ${target} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
const last = get('/last', 'Connection: close\r\n');
const around = (bound: number, reach: number) =>
  Array.from({ length: 2 * reach + 1 }, (_, index) => bound - reach + index);

/** All statuses until the connection ends; `ended` is missing if it was aborted. */
function statuses(pieces: readonly string[]): Promise<(number | 'ended')[]> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const socket = connect({ host: '127.0.0.1', port: paths.port, noDelay: true });
    let isEnded = false;
    socket.setTimeout(30_000, () => socket.destroy());
    socket.on('error', () => {});
    socket.on('data', (part: Buffer) => parts.push(part));
    socket.on('end', () => {
      isEnded = true;
    });
    socket.on('close', () => {
      const text = Buffer.concat(parts).toString('latin1');
      const found = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
      resolve(isEnded ? [...found, 'ended'] : found);
    });
    socket.on('connect', async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        await new Promise((written) => socket.write(piece, 'latin1', written));
        if (pieces.length > 1) await new Promise(setImmediate);
      }
    });
  });
}

/** What precedes the request: nothing, or one that is answered at once, after a lookup, or at the end of its turn. */
const before: Readonly<Record<string, string>> = {
  alone: '',
  'behind one that is answered at once': get('/first'),
  'behind one that is looked up first': get('/looked-up'),
  "behind one that waits for the turn's end": get('/waits'),
  'behind one that goes to the server behind': get('/behind'),
  'behind more answers than leave at once': get('/long-answer/70000'),
};

async function check(front: string, request: string, allowed: readonly number[]): Promise<void> {
  const bytes = front + request + last;
  const cuts = [front.length + 1, front.length + request.length - 1, front.length + (request.length >> 1)];
  const ways = [[bytes], ...cuts.map((cut) => [bytes.slice(0, cut), bytes.slice(cut)])];
  for (const found of await Promise.all(ways.map(statuses))) {
    const first = front === '' ? [] : [200];
    const status = Number(found[first.length]);
    const isRefused = status >= 400 && status < 500;
    const wanted: (number | 'ended')[] = [...first, status, ...(isRefused ? [] : [200]), 'ended'];
    expect([request.length, ...found]).toEqual([request.length, ...wanted]);
    expect([request.length, allowed.includes(status), status]).toEqual([request.length, true, status]);
  }
}

async function checkAll(
  lengths: readonly number[],
  front: string,
  request: (length: number) => string,
  allowed: readonly number[],
) {
  const left = [...lengths];
  while (left.length > 0)
    await Promise.all(left.splice(0, 8).map((length) => check(front, request(length), allowed)));
}

const path = (length: number) => `/${'x'.repeat(length - 1)}`;

for (const [place, front] of Object.entries(before)) {
  test(`a target of any length around 8 KB is answered ${place}`, async () => {
    await checkAll([...around(8_192, 14), ...around(8_120, 60)], front, (length) => get(path(length)), [200]);
  }, 240_000);

  test(`a query of any length around 8 KB is answered ${place}`, async () => {
    await checkAll(around(8_190, 10), front, (length) => get(`/x?${'y'.repeat(length - 3)}`), [200]);
  }, 240_000);

  test(`a head of any length around 8 KB is answered ${place}`, async () => {
    const empty = get('/x', 'X: \r\n').length;
    const withHead = (length: number) => get('/x', `X: ${'x'.repeat(length - empty)}\r\n`);
    await checkAll(around(8_196, 12), front, withHead, [200]);
  }, 240_000);

  test(`a head of any length around 16 KB is answered or refused ${place}`, async () => {
    const empty = get('/x', 'X: \r\n').length;
    const withHead = (length: number) => get('/x', `X: ${'x'.repeat(length - empty)}\r\n`);
    await checkAll([...around(16_384, 12), ...around(16_000, 2)], front, withHead, [200, 431]);
    await checkAll(around(16_384, 12), front, (length) => get(path(length)), [200, 414, 431]);
  }, 240_000);

  test(`a body of any length around 64 KB is answered ${place}`, async () => {
    const post = (length: number) =>
      `POST /behind HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`;
    await checkAll(
      [0, 1, ...around(65_536, 4), ...around(65_536 - post(65_536).length + 65_536, 3)],
      front,
      post,
      [200],
    );
  }, 240_000);
}

test('any number of bytes around the buffer behind a waiting request is answered', async () => {
  const one = get('/x');
  for (const front of [get('/looked-up'), get('/waits'), get('/behind')]) {
    const [most, fill] = [Math.floor(65_536 / one.length), 65_536 % one.length];
    await Promise.all(
      [-2, -1, 0, 1, 2].flatMap((more) =>
        around(fill, 2).map(async (extra) => {
          const filled = get(path(extra + 2));
          const found = await statuses([front + one.repeat(most + more) + filled + last]);
          expect([more, extra, found.length, found.at(-1)]).toEqual([more, extra, most + more + 4, 'ended']);
        }),
      ),
    );
  }
}, 240_000);

test('responses as long as what is sent at once are all sent', async () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n'.length + new Date().toUTCString().length + 10;
  await Promise.all(
    around(65_536 - head, 4).map(async (length) => {
      const found = await statuses([get(`/long-answer/${length}`).repeat(3) + get('/waits') + last]);
      expect([length, ...found]).toEqual([length, 200, 200, 200, 200, 200, 'ended']);
    }),
  );
});
