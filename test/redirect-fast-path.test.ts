import { beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { hourLength } from '../src/rules/durations.ts';
import { findLinkForVisitor } from '../src/storage/links/links.ts';
import { firefox } from './support/agents-of-people.ts';
import { storeKinds, type TestApp } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
import { wholeLedger } from './support/hits.ts';
import { exchange, type RawResponse, visitRaw } from './support/raw-http.ts';
import { socketPorts } from './support/raw-sockets.ts';

/** A meaningless header, with a byte that keeps a request off the fast path. */
const detour = { 'x-detour': '\xe9' };
const destination = 'https://destination.example/x';
const agents = {
  phone: 'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile',
  pad: 'Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1',
  firefox,
  slack: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  crawler: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
};

const visits: {
  readonly headers: Record<string, string>;
  readonly method?: string;
  readonly query?: string;
}[] = [
  { headers: {} },
  { headers: { 'user-agent': agents.phone, 'sec-ch-ua-platform': '"Android"' } },
  { headers: { 'user-agent': agents.pad } },
  { headers: { 'user-agent': agents.slack } },
  { headers: { 'user-agent': agents.crawler } },
  { headers: { 'user-agent': '' } },
  { headers: { 'user-agent': agents.firefox, 'x-moz': 'prefetch' } },
  { headers: { 'user-agent': agents.phone, 'x-moz': 'prefetch' } },
  { headers: { 'sec-purpose': 'prefetch;prerender' } },
  { headers: { referer: 'https://news.example.org/page?q=1', 'accept-language': 'de-CH,de;q=0.8' } },
  { headers: { dnt: '1' } },
  { headers: { 'Sec-GPC': ' 1 ' } },
  { headers: { 'x-forwarded-for': '203.0.113.9, 198.51.100.3', 'cf-ipcountry': 'NL' } },
  { headers: { 'x-country-code': 'Nowhere' } },
  { headers: {}, method: 'HEAD' },
  { headers: {}, query: '?utm_source=mail&utm_campaign=week%2012&qr' },
  { headers: { 'user-agent': `x${'y'.repeat(2_000)}` } },
];

const linkKinds: [string, (now: number) => object][] = [
  ['a plain link', () => ({})],
  [
    'a link with its own destination for each device',
    () => ({ android_link_destination: `${destination}/a`, ios_link_destination: `${destination}/i` }),
  ],
  ['a link with a preview card', () => ({ og_title: 'A title' })],
  ['a link with bot protection', () => ({ bot_protection: true })],
  ['a link with a password', () => ({ password: 'open sesame' })],
  ['a link with a captcha', () => ({ captcha: true })],
  [
    'a link whose rules match several of the visits',
    () => ({
      rules: [
        {
          id: 'r_1',
          when: { query: { utm_source: ['mail'], qr: [] } },
          destination_url: `${destination}/mail`,
        },
        { id: 'r_2', when: { source: ['qr'] }, destination_url: `${destination}/qr` },
        { id: 'r_3', when: { network: ['203.0.113.0/24'] }, destination_url: `${destination}/network` },
        {
          id: 'r_4',
          when: { language: ['de'], referrer: ['*.example.org'] },
          destination_url: `${destination}/de`,
        },
        { id: 'r_5', when: { os: ['Android'] }, destination_url: `${destination}/android` },
      ],
    }),
  ],
  ['a link that has expired', (now) => ({ expiration_date: new Date(now + 60_000).toISOString() })],
];

describe.each(storeKinds)('the fast path, on %s,', (store) => {
  const app = appForSuite({ store, env: { TRUSTED_PROXIES: '1' } });
  let key: string;
  beforeAll(async () => {
    key = (await app.createAccount()).key;
  });

  test.each(linkKinds)('answers and records as the app server does: %s', async (_, fieldsAt) => {
    const body = { destination_url: destination, ...fieldsAt(app.clock.now) };
    const createLink = async () => (await app.call('POST', '/api/v1/link', { key, body })).json;
    const [fastLink, detourLink] = [await createLink(), await createLink()];
    if (fastLink.error_code !== undefined) throw new Error(fastLink.error_string);
    app.clock.now += hourLength;
    for (const { headers, method = 'GET', query = '' } of visits) {
      const send = async (suffix: string, more: object) => {
        const lines = Object.entries({ host: new URL(app.url).host, ...headers, ...more });
        const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
        const bytes = `${method} /${suffix}${query} HTTP/1.1\r\n${head}\r\n`;
        const [response] = await exchange(app.url, bytes, { responses: 1, bodyless: method === 'HEAD' });
        return response as RawResponse;
      };
      const responses = await Promise.all([send(fastLink.suffix, {}), send(detourLink.suffix, detour)]);
      const [fastResponse, detourResponse] = responses.map((response) =>
        comparable(response, [fastLink.suffix, detourLink.suffix]),
      );
      expect(fastResponse).toEqual(detourResponse as ReturnType<typeof comparable>);
    }
    await app.app.clicks.settled();
    const rows = async (id: number) => {
      const found = await wholeLedger(app.app.context.database.read);
      return found.filter((hit) => hit.link_id === id).map(({ id: _, link_id, ...row }) => row);
    };
    const recorded = await rows(fastLink.id);
    expect(recorded).toHaveLength(visits.length);
    expect(recorded).toEqual(await rows(detourLink.id));
  });

  test('writes no destination that contains a line break into a response', async () => {
    const { database } = app.app.context;
    for (const column of ['destination_url', 'android_url', 'ios_url', 'expired_url'] as const) {
      const body = { destination_url: destination };
      const { json } = await app.call('POST', '/api/v1/link', { key, body });
      const options = async () => (await findLinkForVisitor(database.lookup, 0, json.suffix))?.options;
      expect(await options()).toBe(null);
      await database.write((queries) =>
        queries
          .updateTable('links')
          .set({ [column]: `${destination}\r\nX-More: y` })
          .where('id', '=', json.id)
          .execute(),
      );
      expect(await options()).toMatchObject({ hasUnsafeUrl: true });
      expect((await visitRaw(app.url, { path: `/${json.suffix}` })).headers['x-more']).toBe(undefined);
    }
    // The visit to the first of these destinations causes this fault.
    expect(app.faults.splice(0)).toEqual([expect.stringContaining("Header 'Location' has invalid value")]);
  });
});

function comparable({ status, headers, body }: RawResponse, suffixes: readonly string[]) {
  const { date: _, 'x-request-id': __, ...rest } = headers;
  // Each captcha and each card has values of its own.
  const plain = suffixes.reduce((text, suffix) => text.replaceAll(suffix, 'SUFFIX'), body);
  return { status, headers: rest, body: plain.replace(/data-challenge="[^"]*"|\{&#34;[^<"]*\}/g, '') };
}

describe('a connection', () => {
  const app = appForSuite();
  let host: string;
  let key: string;
  beforeAll(async () => {
    host = new URL(app.url).host;
    key = (await app.createAccount()).key;
    const body = { destination_url: destination, suffix: 'abc' };
    await app.call('POST', '/api/v1/link', { key, body });
  });

  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;
  const post = (body: string) =>
    `POST /api/v1/link HTTP/1.1\r\nHost: ${host}\r\napi-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const statuses = async (bytes: string, count: number) =>
    (await exchange(app.url, bytes, { responses: count })).map(({ status }) => status);

  test('may carry pipelined requests of every kind, which are answered in order', async () => {
    const kinds: [string, number][] = [
      [get('/abc'), 302],
      [get('/nothing'), 404],
      [post(JSON.stringify({ destination_url: destination })), 201],
      [get('/abc', 'X-Odd: \xe9\r\n'), 302],
      [get('/healthz'), 200],
      [get('/abc'), 302],
    ];
    for (let first = 0; first < kinds.length; first++) {
      const rotated = [...kinds.slice(first), ...kinds.slice(0, first)];
      expect(await statuses(rotated.map(([bytes]) => bytes).join(''), rotated.length)).toEqual(
        rotated.map(([, status]) => status),
      );
    }
  });

  test('may carry requests that are split at any byte', async () => {
    const bytes = get('/abc') + post(JSON.stringify({ destination_url: destination })) + get('/abc');
    for (let cut = 1; cut < bytes.length; cut += 7) {
      const responses = await inPieces(app.url, [bytes.slice(0, cut), bytes.slice(cut)], 3);
      expect([cut, ...responses]).toEqual([cut, 302, 201, 302]);
    }
    expect(await inPieces(app.url, [...get('/abc')], 1)).toEqual([302]);
    expect(await inPieces(app.url, [...post(JSON.stringify({ destination_url: destination }))], 1)).toEqual([
      201,
    ]);
  });

  test('is answered although the client has half-closed it', async () => {
    expect(await inPieces(app.url, [get('/abc')], 1, true)).toEqual([302]);
    expect(await inPieces(app.url, [get('/nothing-at-all')], 1, true)).toEqual([404]);
  });

  test('closes after the response if the client requests that, and later requests get no response', async () => {
    const last = get('/abc', 'Connection: close\r\n');
    const all = await exchange(app.url, get('/abc') + last + get('/abc'), { timeout: 5_000 });
    expect(all.map(({ status, headers }) => [status, headers.connection])).toEqual([
      [302, undefined],
      [302, 'close'],
    ]);
    const http10Request = `GET /abc HTTP/1.0\r\nHost: ${host}\r\n\r\n`;
    expect((await exchange(app.url, http10Request, { timeout: 5_000 })).map(({ status }) => status)).toEqual([
      302,
    ]);
  });

  test('with thousands of visits at once gets thousands of responses, and loses no hit', async () => {
    const before = await hitsOf(app);
    expect(await statuses(get('/abc').repeat(5_000), 5_000)).toEqual(Array(5_000).fill(302));
    expect((await hitsOf(app)) - before).toBe(5_000);
  });

  test("whose client doesn't read is paused, and gets everything once it reads", async () => {
    const count = 40_000;
    const { port } = new URL(app.url);
    const socket = connect({ host: '127.0.0.1', port: Number(port) });
    socket.pause();
    const sent = new Promise((resolve) => socket.write(get('/abc').repeat(count), resolve));
    // Nothing reports when all buffers are full; the client waits for longer than that takes.
    await Bun.sleep(100);
    let received = 0;
    const done = new Promise<void>((resolve) => {
      socket.on('data', (part) => {
        received += part.toString('latin1').split('HTTP/1.1 302 Found').length - 1;
        // A status line that is split between two chunks isn't counted, so a few may be missing.
        if (received >= count * 0.99) resolve();
      });
    });
    socket.resume();
    await Promise.all([sent, done]);
    expect(received).toBeLessThanOrEqual(count);
    socket.destroy();
  });

  test('that requests thousands of pages and reads none takes no memory for them', async () => {
    const { port } = new URL(app.url);
    const before = process.memoryUsage.rss();
    const idleSockets = Array.from({ length: 80 }, () => {
      const socket = connect({ host: '127.0.0.1', port: Number(port) });
      socket.pause();
      socket.on('error', () => {});
      socket.write(get('/nothing').repeat(20_000));
      return socket;
    });
    // Meanwhile other clients are served, for as long as it takes to read what these sockets have sent.
    for (let turn = 0; turn < 20; turn++) {
      expect((await app.visit('/abc')).status).toBe(302);
      await Bun.sleep(20);
    }
    expect((process.memoryUsage.rss() - before) / 2 ** 20).toBeLessThan(200);
    for (const socket of idleSockets) socket.destroy();
  });

  test('carries large requests and responses unchanged', async () => {
    const big = JSON.stringify({ destination_url: `https://destination.example/${'x'.repeat(7_000)}` });
    for (let turn = 0; turn < 5; turn++)
      expect(await statuses(get('/abc') + post(big), 2)).toEqual([302, 201]);
    const document = await fetch(`${app.url}/openapi.json`);
    expect(((await document.json()) as { openapi: string }).openapi).toBe('3.1.0');
    const tooBig = 'x'.repeat(3_000_000);
    expect((await app.call('POST', '/api/v1/link', { key, body: { destination_url: tooBig } })).status).toBe(
      413,
    );
  });

  test('unknown to the app server is refused by it', async () => {
    const others = socketPorts('0A').filter((port) => port !== Number(new URL(app.url).port));
    expect(others.length).toBeGreaterThan(0);
    const responses = await Promise.all(
      others.map((port) => visitRaw(`http://127.0.0.1:${port}`, { path: '/abc', host }).catch(() => null)),
    );
    expect(responses.filter((response) => response !== null).map(({ status }) => status)).toEqual(
      responses.filter((response) => response !== null).map(() => 403),
    );
  });

  async function hitsOf({ app: { clicks, context } }: TestApp): Promise<number> {
    await clicks.settled();
    const { length } = await wholeLedger(context.database.read);
    return length;
  }
});

/** The statuses of the answers to bytes that are sent piece by piece. */
function inPieces(
  url: string,
  pieces: readonly string[],
  count: number,
  halfCloses = false,
): Promise<number[]> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true });
    socket.on('connect', async () => {
      for (const piece of pieces) {
        await new Promise((written) => socket.write(piece, 'latin1', written));
        await new Promise(setImmediate);
      }
      if (halfCloses) socket.end();
    });
    const found = () => [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
    const timer = setTimeout(() => reject(new Error(`received only: ${received}`)), 60_000);
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(found());
    };
    socket.on('data', (part) => {
      received += part.toString('latin1');
      if (found().length >= count) finish();
    });
    socket.on('close', finish);
    socket.on('error', reject);
  });
}
