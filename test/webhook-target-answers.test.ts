import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import tls from 'node:tls';
import { gzipSync } from 'node:zlib';
import { post } from '../src/webhooks/deliver.ts';
import type { Attempt, RequestOptions } from '../src/webhooks/guarded-request.ts';
import {
  call,
  certificate,
  certificateKey,
  closeTargets,
  hostOf,
  listen,
  listenTwice,
  ok,
  opened,
  outgoing,
  outside,
  permitted,
  type Responder,
  response,
  type Target,
  urlOf,
} from './support/outside-target.ts';

afterEach(closeTargets);

describe("a target's response", () => {
  const attemptWith = async (respond: Responder, options: RequestOptions = {}): Promise<Attempt> => {
    const { target } = await listenTwice(respond);
    const attempt = await call(target, options);
    await Promise.all(
      target.connections.map((socket) => socket.destroyed || once(socket, 'close').catch(() => {})),
    );
    return attempt;
  };

  test.each([
    ['120', 120_000],
    ['Mon, 05 Jan 2026 12:00:30 GMT', 30_000],
    ['soon', null],
  ])('Retry-After: %s is converted to milliseconds', async (header, expected) => {
    const respond: Responder = (socket) =>
      socket.end(response(`503 Busy\r\nretry-after: ${header}\r\ncontent-length: 0`));
    const attempt = await attemptWith(respond, { now: () => Date.UTC(2026, 0, 5, 12) });
    expect(attempt).toMatchObject({ kind: 'answered', status: 503, retryAfter: expected, excerpt: '' });
  });

  test.each(['/größe?日本', '/gr%C3%B6%C3%9Fe?%E6%97%A5%E6%9C%AC'])(
    'Location: %s is read as browsers do',
    async (header) => {
      const attempt = await attemptWith((socket) =>
        socket.end(response(`301 Moved\r\nlocation: ${header}\r\ncontent-length: 0`)),
      );
      expect(attempt).toMatchObject({ location: '/gr%C3%B6%C3%9Fe?%E6%97%A5%E6%9C%AC' });
    },
  );

  test("is stored up to 1,000 characters, without any that a database or a page couldn't handle", async () => {
    const body = `\u0000\u001b[31mgrüße\t🐦\n${'é'.repeat(5000)}`;
    const attempt = await attemptWith((socket) => socket.end(response('200 OK', body)));
    if (attempt.kind !== 'answered') throw new Error(attempt.sentence);
    expect(attempt.excerpt).toStartWith('\ufffd\ufffd[31mgrüße\t🐦\néé');
    expect(attempt.excerpt).toHaveLength(1000);
    expect(attempt.excerpt.isWellFormed()).toBe(true);
  });

  test('is not decompressed: 48 KB of gzip stay 48 KB', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 'a'));
    expect(bomb.length).toBeLessThan(64 * 1024);
    const attempt = await attemptWith((socket) =>
      socket.end(response(`200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}`, bomb)),
    );
    expect(attempt).toMatchObject({
      kind: 'answered',
      status: 200,
      excerpt: `(${bomb.length} bytes of gzip, not unpacked)`,
    });
  });

  test('is cut off if it has no end', async () => {
    let sent = 0;
    const attempt = await attemptWith((socket) => {
      socket.write(response('200 OK\r\ntransfer-encoding: chunked'));
      const block = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`);
      const more = () => {
        while (!socket.destroyed) {
          sent += block.length;
          if (!socket.write(block)) return socket.once('drain', more);
        }
      };
      more();
    });
    expect(attempt).toMatchObject({ kind: 'answered', status: 200, excerpt: 'x'.repeat(1000) });
    // What the buffers of two sockets hold is sent, but not read.
    expect(sent).toBeLessThan(32_000_000);
  });

  test('fails if its headers have no end', async () => {
    const attempt = await attemptWith((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1_000_000)}`),
    );
    expect(attempt).toMatchObject({ kind: 'failed', sentence: 'The headers of the answer are too long.' });
  });

  test('fails if it never gets beyond informational responses', async () => {
    const attempt = await attemptWith((socket) =>
      socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)),
    );
    expect(attempt).toMatchObject({ kind: 'failed', sentence: 'The target sent no final response.' });
  });

  test.each([
    ['sends nothing', () => {}],
    ['drips its status line', (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\n')],
    [
      'drips headers without end',
      (socket: Socket) => drip(socket, `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(9999)}`),
    ],
  ] as [string, Responder][])('is cut off by the deadline if the target %s', async (_how, respond) => {
    const attempt = await attemptWith(respond, { deadline: 60 });
    expect(attempt).toMatchObject({ kind: 'failed', sentence: 'There was no answer within 0.06 seconds.' });
    expect(attempt.kind === 'failed' && attempt.duration).toBeWithin(55, 5000);
  });

  test('counts by its status if the deadline cuts off a slow body', async () => {
    const respond: Responder = (socket) => {
      socket.write(response('200 OK\r\ncontent-length: 9999'));
      drip(socket, 'y'.repeat(9999));
    };
    const attempt = await attemptWith(respond, { deadline: 500 });
    expect(attempt).toMatchObject({ kind: 'answered', status: 200, excerpt: expect.stringMatching(/^y+$/) });
    expect(attempt.kind === 'answered' && attempt.duration).toBeWithin(450, 5000);
  });

  test('counts by its status if the body is interrupted', async () => {
    const attempt = await attemptWith((socket) =>
      socket.end(response('202 OK\r\ncontent-length: 100', 'half')),
    );
    expect(attempt).toMatchObject({ kind: 'answered', status: 202, excerpt: 'half' });
  });

  test.each([
    ['is not HTTP', (socket: Socket) => socket.end('SSH-2.0-x\r\n\r\n'), /did not answer in HTTP/],
    [
      'closes the connection',
      (socket: Socket) => socket.destroy(),
      /closed the connection without an answer/,
    ],
    [
      'switches to another protocol',
      (socket: Socket) => socket.end(switching),
      /closed the connection without/,
    ],
  ] as [string, Responder, RegExp][])('fails if it %s', async (_how, respond, sentence) => {
    expect(await attemptWith(respond)).toMatchObject({
      kind: 'failed',
      sentence: expect.stringMatching(sentence),
    });
  });

  test('fails if nothing listens', async () => {
    const { target } = await listenTwice(ok);
    for (const one of opened.splice(0)) await one.close();
    expect(await call(target)).toMatchObject({
      kind: 'failed',
      sentence: 'The target refused the connection.',
    });
  });

  test('is not awaited when the program stops', async () => {
    const stop = new AbortController();
    const { target } = await listenTwice(() => stop.abort());
    const attempt = await post(
      urlOf(outside, target.port),
      { ...outgoing, signal: stop.signal },
      permitted(target.port),
    );
    expect(attempt).toMatchObject({ kind: 'failed', sentence: 'The request was cancelled.' });
    const late = await post(
      urlOf(outside, target.port),
      { ...outgoing, signal: stop.signal },
      permitted(target.port),
    );
    expect(late).toMatchObject({ kind: 'failed', sentence: 'The request was cancelled.' });
    expect(target.connections).toHaveLength(1);
  });
});

const switching = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';

function drip(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++] ?? 'z'), 2);
  socket.on('close', () => clearInterval(timer));
}

describe('a target with TLS', () => {
  const serverNames: (string | false | null)[] = [];
  let target: Target;
  let servers: { close(): unknown }[];

  beforeAll(async () => {
    const server = tls.createServer({ cert: certificate, key: certificateKey });
    server.on('tlsClientError', () => {});
    server.on('secureConnection', (socket: tls.TLSSocket & { servername?: string | false }) =>
      serverNames.push(socket.servername ?? null),
    );
    target = await listen(outside, ok, 0, server as unknown as Server);
    servers = opened.splice(0);
  });
  afterAll(async () => {
    for (const one of servers) await one.close();
  });

  const secure = (host: string, options: RequestOptions = { ca: certificate }) =>
    post(`https://${hostOf(host)}:${target.port}/`, outgoing, permitted(target.port), {
      lookup: async () => [outside],
      ...options,
    });

  test.each(['hooks.example.com', 'HOOKS.example.com.'])('is called by its name, %s', async (host) => {
    expect(await secure(host)).toMatchObject({ kind: 'answered', status: 200, excerpt: 'ok' });
    expect(serverNames.at(-1)).toBe('hooks.example.com');
  });

  test.each([
    ['a name that its certificate does not have', 'other.example.com', { ca: certificate }],
    ['an address that its certificate does not have', () => outside, { ca: certificate }],
    ['a certificate of an unknown authority', 'hooks.example.com', {}],
  ])('%s is not trusted, and nothing is posted', async (_what, host, options) => {
    const before = target.received;
    const attempt = await secure(typeof host === 'string' ? host : host(), options);
    expect(attempt).toMatchObject({
      kind: 'failed',
      sentence: expect.stringMatching(/^The target's certificate is not accepted \(/),
    });
    expect(target.received).toBe(before);
  });

  test('without TLS support fails', async () => {
    const smtpServer = createServer((socket) => socket.end('220 mail.example.com ESMTP\r\n'));
    const plain = await listen(outside, ok, 0, smtpServer);
    const attempt = await post(`https://${hostOf(outside)}:${plain.port}/`, outgoing, permitted(plain.port));
    expect(attempt.kind).toBe('failed');
  });
});
