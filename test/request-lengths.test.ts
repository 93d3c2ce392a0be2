import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { type BothPaths, openBothPaths } from './support/both-paths.ts';

/** Lengths around every buffer limit between a client and the response: earlier bugs came from lengths, never from content. */
const faults: unknown[] = [];
let paths: BothPaths;

beforeAll(() => {
  let lookups = 0;
  paths = openBothPaths(
    (cause) => faults.push(cause),
    async (request) => new Response(`behind ${(await request.bytes()).length}`),
    ({ path }) => {
      const response = (body: string, waits: boolean) => ({
        head: `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n`,
        body,
        waits,
      });
      if (path.startsWith('/behind')) return null;
      // Every second of these is looked up first, which takes a while.
      if (path === '/looked-up' && lookups++ % 2 === 0) return Bun.sleep(1);
      return response(
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
      const parsedStatuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
      resolve(isEnded ? [...parsedStatuses, 'ended'] : parsedStatuses);
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

/** The request before the tested one: none, or one that is answered at once, after a lookup, or at the end of its event loop turn. */
const precedingRequests: Readonly<Record<string, string>> = {
  alone: '',
  'behind one that is answered at once': get('/first'),
  'behind one that is looked up first': get('/looked-up'),
  'behind one that waits for the end of the event loop turn': get('/waits'),
  'behind one that the app server answers': get('/behind'),
  'behind one whose response takes several writes': get('/long-answer/70000'),
};

async function check(preceding: string, request: string, allowed: readonly number[]): Promise<void> {
  const bytes = preceding + request + last;
  const cuts = [
    preceding.length + 1,
    preceding.length + request.length - 1,
    preceding.length + (request.length >> 1),
  ];
  const variants = [[bytes], ...cuts.map((cut) => [bytes.slice(0, cut), bytes.slice(cut)])];
  for (const statusesFound of await Promise.all(variants.map(statuses))) {
    const first = preceding === '' ? [] : [200];
    const status = Number(statusesFound[first.length]);
    const isRefused = status >= 400 && status < 500;
    const expected: (number | 'ended')[] = [...first, status, ...(isRefused ? [] : [200]), 'ended'];
    expect([request.length, ...statusesFound]).toEqual([request.length, ...expected]);
    expect([request.length, allowed.includes(status), status]).toEqual([request.length, true, status]);
  }
}

async function checkAll(
  lengths: readonly number[],
  preceding: string,
  request: (length: number) => string,
  allowed: readonly number[],
) {
  const left = [...lengths];
  while (left.length > 0)
    await Promise.all(left.splice(0, 8).map((length) => check(preceding, request(length), allowed)));
}

const path = (length: number) => `/${'x'.repeat(length - 1)}`;

for (const [position, preceding] of Object.entries(precedingRequests)) {
  test(`a target of any length around 8 KB is answered ${position}`, async () => {
    await checkAll(
      [...around(8_192, 14), ...around(8_120, 60)],
      preceding,
      (length) => get(path(length)),
      [200],
    );
  }, 240_000);

  test(`a query of any length around 8 KB is answered ${position}`, async () => {
    await checkAll(around(8_190, 10), preceding, (length) => get(`/x?${'y'.repeat(length - 3)}`), [200]);
  }, 240_000);

  test(`a head of any length around 8 KB is answered ${position}`, async () => {
    const empty = get('/x', 'X: \r\n').length;
    const withHead = (length: number) => get('/x', `X: ${'x'.repeat(length - empty)}\r\n`);
    await checkAll(around(8_196, 12), preceding, withHead, [200]);
  }, 240_000);

  test(`a head of any length around 16 KB is answered or refused ${position}`, async () => {
    const empty = get('/x', 'X: \r\n').length;
    const withHead = (length: number) => get('/x', `X: ${'x'.repeat(length - empty)}\r\n`);
    await checkAll([...around(16_384, 12), ...around(16_000, 2)], preceding, withHead, [200, 431]);
    await checkAll(around(16_384, 12), preceding, (length) => get(path(length)), [200, 414, 431]);
  }, 240_000);

  test(`a body of any length around 64 KB is answered ${position}`, async () => {
    const post = (length: number) =>
      `POST /behind HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`;
    await checkAll(
      [0, 1, ...around(65_536, 4), ...around(65_536 - post(65_536).length + 65_536, 3)],
      preceding,
      post,
      [200],
    );
  }, 240_000);
}

test('requests of any total length around the buffer size behind a waiting request are answered', async () => {
  const request = get('/x');
  for (const preceding of [get('/looked-up'), get('/waits'), get('/behind')]) {
    const [requestCount, remainder] = [Math.floor(65_536 / request.length), 65_536 % request.length];
    await Promise.all(
      [-2, -1, 0, 1, 2].flatMap((more) =>
        around(remainder, 2).map(async (extra) => {
          const filled = get(path(extra + 2));
          const found = await statuses([preceding + request.repeat(requestCount + more) + filled + last]);
          expect([more, extra, found.length, found.at(-1)]).toEqual([
            more,
            extra,
            requestCount + more + 4,
            'ended',
          ]);
        }),
      ),
    );
  }
}, 240_000);

test('responses of about the length of one write are all sent', async () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n'.length + new Date().toUTCString().length + 10;
  await Promise.all(
    around(65_536 - head, 4).map(async (length) => {
      const found = await statuses([get(`/long-answer/${length}`).repeat(3) + get('/waits') + last]);
      expect([length, ...found]).toEqual([length, 200, 200, 200, 200, 200, 'ended']);
    }),
  );
});
