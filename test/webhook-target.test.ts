import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import http from 'node:http';
import {
  type AddressInfo,
  createServer,
  isIPv6,
  type LookupFunction,
  type Server,
  type Socket,
} from 'node:net';
import tls from 'node:tls';
import { gzipSync } from 'node:zlib';
import { type AllowList, allowListOf, parseAllowList } from '../src/rules/webhook-allow.ts';
import { type Attempt, type Means, post } from '../src/webhooks/guarded-post.ts';
import { type Resolver, resolveTarget } from '../src/webhooks/target-guard.ts';
import { selfSigned } from './support/certificate.ts';
import { type NameServer, startNameServer, type Zone } from './support/name-server.ts';

/*
 * A public address can't be had in a test. The stand-in for one is a second address of the loopback that the allow-list
 * permits; 127.0.0.1 is inside, and whatever reaches it has got past the guard.
 */
const { certificate, key: certificateKey } = selfSigned('hooks.example.com');
const inside = '127.0.0.1';
/** Macs have no second IPv4 address on the loopback. */
const outside = (await canListen('127.0.0.2')) ? '127.0.0.2' : '::1';

function canListen(address: string): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.on('error', () => resolve(false));
    probe.listen(0, address, () => probe.close(() => resolve(true)));
  });
}

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

interface Target {
  readonly port: number;
  readonly connections: Socket[];
  /** All bytes that were received, over all connections. */
  received: string;
}

type Talk = (socket: Socket, received: string) => void;

/** Listens on a free port, or on the same one as another target. */
async function listen(
  address: string,
  talk: Talk,
  port = 0,
  server: Server = createServer(),
): Promise<Target> {
  const target: Target = { port: 0, connections: [], received: '' };
  server.on(server instanceof tls.Server ? 'secureConnection' : 'connection', (socket: Socket) => {
    target.connections.push(socket);
    let received = '';
    socket.on('error', () => {});
    socket.on('data', (data) => {
      received += data.toString('latin1');
      target.received += data.toString('latin1');
      if (isWhole(received)) talk(socket, received);
    });
  });
  server.listen(port, address);
  await once(server, 'listening');
  opened.push({
    close: () => {
      for (const socket of target.connections) socket.destroy();
      server.close();
    },
  });
  return Object.assign(target, { port: (server.address() as AddressInfo).port });
}

/** Two targets on the same port: one outside, and one inside that nothing may reach. */
async function listenTwice(talk: Talk): Promise<{ target: Target; trap: Target }> {
  for (let tries = 0; ; tries++) {
    const target = await listen(outside, talk);
    try {
      return { target, trap: await listen(inside, talk, target.port) };
    } catch (cause) {
      if (tries > 20) throw cause;
    }
  }
}

function isWhole(request: string): boolean {
  const [head = '', body] = request.split('\r\n\r\n');
  return body !== undefined && body.length >= Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
}

const answer = (head: string, body: string | Buffer = '') =>
  Buffer.concat([Buffer.from(`HTTP/1.1 ${head}\r\n\r\n`), Buffer.from(body)]);

const ok: Talk = (socket) => socket.end(answer('200 OK\r\ncontent-length: 2', 'ok'));

async function nameServer(zone: Zone): Promise<NameServer> {
  const server = await startNameServer(zone);
  opened.push({ close: () => server.stop() });
  return server;
}

const allowing = (...entries: string[]): AllowList => parseAllowList(entries.join(',')) ?? [];
const hostOf = (address: string) => (address.includes(':') ? `[${address}]` : address);
const permitted = (port: number) => allowing(`${hostOf(outside)}:${port}`);
const urlOf = (host: string, port: number) => `http://${hostOf(host)}:${port}/hook`;
const outgoing = { headers: { 'content-type': 'application/json' }, body: '{"event":"click"}' };

const call = (target: Target, means: Means = {}, path = '') =>
  post(urlOf(outside, target.port) + path, outgoing, permitted(target.port), means);

async function inBatches<T>(count: number, size: number, one: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let from = 0; from < count; from += size) {
    const batch = Array.from({ length: Math.min(size, count - from) }, (_, index) => one(from + index));
    results.push(...(await Promise.all(batch)));
  }
  return results;
}

describe('a name that leads elsewhere the second time', () => {
  const rebinding: Zone = (_name, type, asked) => {
    if (asked > 0) return type === 'A' ? [inside] : [];
    return [outside];
  };

  test('is resolved once: 1,000 rebinds make no connection inside', async () => {
    const { target, trap } = await listenTwice(ok);
    const names = await nameServer(rebinding);
    const attempts = await inBatches(1000, 50, (index) =>
      post(urlOf(`rebind-${index}.example.com`, target.port), outgoing, permitted(target.port), {
        lookup: names.resolver,
      }),
    );
    expect(attempts.filter(({ kind }) => kind === 'answered')).toHaveLength(1000);
    expect(target.connections).toHaveLength(1000);
    expect(trap.connections).toHaveLength(0);
    expect(new Set(names.questions).size).toBe(2000);
    expect(names.questions).toHaveLength(2000);
  });

  // c-ares remembers for a while that a name has no IPv4 address: with ::1 there is nothing to rebind to.
  test.skipIf(outside === '::1')(
    'reaches the trap when a caller checks it and then resolves it again',
    async () => {
      const { target, trap } = await listenTwice(ok);
      const names = await nameServer(rebinding);
      const host = 'rebind.example.com';
      const found = await resolveTarget(host, target.port, names.resolver, permitted(target.port));
      expect(found.kind).toBe('checked');
      const careless: LookupFunction = async (name, _options, callback) => {
        const addresses = await names.resolver(name);
        callback(
          null,
          addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 })),
        );
      };
      const request = http.get({ host, port: target.port, agent: false, lookup: careless });
      await once(request, 'response');
      expect([target.connections.length, trap.connections.length]).toEqual([0, 1]);
    },
  );

  test('is refused at the next call, 1,000 times', async () => {
    const { target, trap } = await listenTwice(ok);
    const names = await nameServer((_name, type) => (type === 'A' ? [inside] : []));
    const attempts = await inBatches(1000, 50, (index) =>
      post(urlOf(`rebound-${index}.example.com`, target.port), outgoing, permitted(target.port), {
        lookup: names.resolver,
      }),
    );
    expect(attempts.filter(({ kind }) => kind === 'refused')).toHaveLength(1000);
    expect([target.connections.length, trap.connections.length]).toEqual([0, 0]);
  });

  test('is called at the public address that was checked', async () => {
    const names = await nameServer((_name, type, asked) =>
      asked > 0 ? [inside, '::1'] : type === 'A' ? ['93.184.215.14'] : ['2606:4700::1'],
    );
    const found = await inBatches(1000, 50, (index) =>
      resolveTarget(`public-${index}.example.com`, 443, names.resolver, []),
    );
    const addresses = found.map((one) => (one.kind === 'checked' ? one.addresses.join(' ') : one.kind));
    expect(new Set(addresses)).toEqual(new Set(['93.184.215.14 2606:4700::1']));
  });

  test.each([
    ['beside a good address', [inside], true],
    ['in its IPv6 form', ['::ffff:7f00:1'], true],
    ['through NAT64', ['64:ff9b::7f00:1'], true],
    ['alone', [inside], false],
  ])('an inside address %s is refused', async (_how, bad, besideGood) => {
    const { target, trap } = await listenTwice(ok);
    const names = await nameServer(() => (besideGood ? [outside, ...bad] : bad));
    const attempt = await post(urlOf('mixed.example.com', target.port), outgoing, permitted(target.port), {
      lookup: names.resolver,
    });
    expect(attempt).toEqual({
      kind: 'refused',
      sentence: '"mixed.example.com" is not a public address. The operator can permit it by WEBHOOK_ALLOW.',
    });
    expect([target.connections.length, trap.connections.length]).toEqual([0, 0]);
  });
});

describe('a name that can not be resolved', () => {
  test.each([
    ['no such name', /^The name "gone\.example\.com" could not be resolved \(ENOTFOUND\)\.$/],
    ['server failure', /^The name "gone\.example\.com" could not be resolved \(ESERVFAIL\)\.$/],
  ] as const)('%s: the attempt says so', async (records, sentence) => {
    const names = await nameServer(() => records);
    const attempt = await post('https://gone.example.com/', outgoing, [], { lookup: names.resolver });
    expect(attempt).toMatchObject({ kind: 'failed', sentence: expect.stringMatching(sentence) });
  });

  test('a name server that says nothing is not waited for beyond the deadline', async () => {
    const names = await nameServer(() => 'silence');
    const attempt = await post('https://slow.example.com/', outgoing, [], {
      lookup: names.resolver,
      deadline: 50,
    });
    expect(attempt).toMatchObject({ kind: 'failed', sentence: 'There was no answer within 0.05 seconds.' });
  });
});

describe('20 redirects', () => {
  const statuses = [301, 302, 303, 307, 308];
  const locations = (port: number) => [
    `http://${inside}:${port}/`,
    `//${inside}:${port}/`,
    `http://2130706433:${port}/`,
    `http://localhost:${port}/`,
  ];
  const all = statuses.flatMap((status) => [0, 1, 2, 3].map((index) => ({ status, index })));

  test('are answers like any other, and none is followed', async () => {
    const { target, trap } = await listenTwice((socket, request) => {
      const { status, index } = all[Number(/\/hook(\d+)/.exec(request)?.[1])] ?? { status: 500, index: 0 };
      const location = locations(target.port)[index];
      socket.end(answer(`${status} Elsewhere\r\nlocation: ${location}\r\ncontent-length: 0`));
    });
    const attempts = await inBatches(20, 20, (index) => call(target, {}, String(index)));
    expect(attempts.map((attempt) => attempt.kind === 'answered' && attempt.status)).toEqual(
      all.map(({ status }) => status),
    );
    expect(target.connections).toHaveLength(20);
    expect(trap.connections).toHaveLength(0);
  });
});

describe('what is sent', () => {
  test('is one request with the name as its host, and no wish for compression', async () => {
    const { target } = await listenTwice(ok);
    const names = await nameServer(() => [outside]);
    const attempt = await post(
      `http://hooks.example.com:${target.port}/a?b=c#d`,
      outgoing,
      permitted(target.port),
      {
        lookup: names.resolver,
      },
    );
    expect(attempt).toEqual({
      kind: 'answered',
      status: 200,
      retryAfter: null,
      excerpt: 'ok',
      duration: expect.any(Number),
    });
    const [head = '', body] = target.received.split('\r\n\r\n');
    const lines = head.toLowerCase().split('\r\n');
    expect(lines[0]).toBe('post /a?b=c http/1.1');
    expect(lines.slice(1).toSorted()).toEqual([
      'accept-encoding: identity',
      'connection: close',
      'content-length: 17',
      'content-type: application/json',
      `host: hooks.example.com:${target.port}`,
    ]);
    expect(body).toBe(outgoing.body);
  });

  test('reaches a service of this machine in a trial, by the name that the machine has for itself', async () => {
    const { trap: service } = await listenTwice(ok);
    const url = `http://localhost:${service.port}/hook`;
    expect(await post(url, outgoing, allowListOf(null, true))).toMatchObject({
      kind: 'answered',
      status: 200,
    });
    expect(await post(url, outgoing, allowListOf(null, false))).toMatchObject({ kind: 'refused' });
    expect(await post(url, outgoing, allowListOf([], true))).toMatchObject({ kind: 'refused' });
    expect(service.connections).toHaveLength(1);
  });

  test('does not go through a proxy of the environment', async () => {
    const { target, trap } = await listenTwice(ok);
    const before = process.env.HTTP_PROXY;
    process.env.HTTP_PROXY = `http://${inside}:${trap.port}`;
    try {
      expect((await call(target)).kind).toBe('answered');
    } finally {
      if (before === undefined) delete process.env.HTTP_PROXY;
      else process.env.HTTP_PROXY = before;
    }
    expect(trap.connections).toHaveLength(0);
  });

  test('goes to the next checked address when the first does not take it', async () => {
    const { target, trap } = await listenTwice(ok);
    const lookup: Resolver = async () => ['127.0.0.3', outside];
    const attempt = await post(
      urlOf('two.example.com', target.port),
      outgoing,
      allowing('127.0.0.3', `${hostOf(outside)}:${target.port}`),
      { lookup },
    );
    expect(attempt.kind).toBe('answered');
    expect(trap.connections).toHaveLength(0);
  });

  test('stays here when its headers are no headers', async () => {
    const { target } = await listenTwice(ok);
    const attempt = await post(
      urlOf(outside, target.port),
      { headers: { 'webhook-id': 'x\r\nhost: y' }, body: '' },
      permitted(target.port),
    );
    expect(attempt.kind).toBe('failed');
    expect(target.connections).toHaveLength(0);
  });
});

describe('what is answered', () => {
  const said = async (talk: Talk, means: Means = {}): Promise<Attempt> => {
    const { target } = await listenTwice(talk);
    const attempt = await call(target, means);
    await Promise.all(
      target.connections.map((socket) => socket.destroyed || once(socket, 'close').catch(() => {})),
    );
    return attempt;
  };

  test.each([
    ['120', 120_000],
    ['Mon, 05 Jan 2026 12:00:30 GMT', 30_000],
    ['soon', null],
  ])('Retry-After: %s is told in milliseconds', async (header, expected) => {
    const talk: Talk = (socket) =>
      socket.end(answer(`503 Busy\r\nretry-after: ${header}\r\ncontent-length: 0`));
    const attempt = await said(talk, { now: () => Date.UTC(2026, 0, 5, 12) });
    expect(attempt).toMatchObject({ kind: 'answered', status: 503, retryAfter: expected, excerpt: '' });
  });

  test('is kept to its first 1,000 characters, without what a database or a page would choke on', async () => {
    const body = `\u0000\u001b[31mgrüße\t🐦\n${'é'.repeat(5000)}`;
    const attempt = await said((socket) => socket.end(answer('200 OK', body)));
    if (attempt.kind !== 'answered') throw new Error(attempt.sentence);
    expect(attempt.excerpt).toStartWith('\ufffd\ufffd[31mgrüße\t🐦\néé');
    expect(attempt.excerpt).toHaveLength(1000);
    expect(attempt.excerpt.isWellFormed()).toBe(true);
  });

  test('is not unpacked: 48 KB of gzip stay 48 KB', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 'a'));
    expect(bomb.length).toBeLessThan(64 * 1024);
    const attempt = await said((socket) =>
      socket.end(answer(`200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}`, bomb)),
    );
    expect(attempt).toMatchObject({
      kind: 'answered',
      status: 200,
      excerpt: `(${bomb.length} bytes of gzip, not unpacked)`,
    });
  });

  test('is cut when it has no end', async () => {
    let sent = 0;
    const attempt = await said((socket) => {
      socket.write(answer('200 OK\r\ntransfer-encoding: chunked'));
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
    // What the buffers of two sockets hold is sent, not read.
    expect(sent).toBeLessThan(32_000_000);
  });

  test('fails when its headers have no end', async () => {
    const attempt = await said((socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1_000_000)}`));
    expect(attempt).toMatchObject({ kind: 'failed', sentence: 'The headers of the answer are too long.' });
  });

  test('fails when it is never more than a prelude', async () => {
    const attempt = await said((socket) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)));
    expect(attempt).toMatchObject({ kind: 'failed', sentence: 'The target never came to its answer.' });
  });

  test.each([
    ['says nothing', () => {}],
    ['drips its status line', (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\n')],
    [
      'drips headers without end',
      (socket: Socket) => drip(socket, `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(9999)}`),
    ],
  ] as [string, Talk][])('is cut by the deadline when the target %s', async (_how, talk) => {
    const attempt = await said(talk, { deadline: 60 });
    expect(attempt).toMatchObject({ kind: 'failed', sentence: 'There was no answer within 0.06 seconds.' });
    expect(attempt.kind === 'failed' && attempt.duration).toBeWithin(55, 5000);
  });

  test('counts by its status when the deadline cuts a body that drips', async () => {
    const talk: Talk = (socket) => {
      socket.write(answer('200 OK\r\ncontent-length: 9999'));
      drip(socket, 'y'.repeat(9999));
    };
    const attempt = await said(talk, { deadline: 60 });
    expect(attempt).toMatchObject({ kind: 'answered', status: 200, excerpt: expect.stringMatching(/^y+$/) });
    expect(attempt.kind === 'answered' && attempt.duration).toBeWithin(55, 5000);
  });

  test('counts by its status when the body breaks off', async () => {
    const attempt = await said((socket) => socket.end(answer('202 OK\r\ncontent-length: 100', 'half')));
    expect(attempt).toMatchObject({ kind: 'answered', status: 202, excerpt: 'half' });
  });

  test.each([
    ['is not HTTP', (socket: Socket) => socket.end('SSH-2.0-x\r\n\r\n'), /did not answer in HTTP/],
    ['is a closed door', (socket: Socket) => socket.destroy(), /closed the connection without an answer/],
    [
      'switches to another protocol',
      (socket: Socket) => socket.end(switching),
      /closed the connection without/,
    ],
  ] as [string, Talk, RegExp][])('fails when it %s', async (_how, talk, sentence) => {
    expect(await said(talk)).toMatchObject({ kind: 'failed', sentence: expect.stringMatching(sentence) });
  });

  test('fails when nobody listens', async () => {
    const { target } = await listenTwice(ok);
    for (const one of opened.splice(0)) await one.close();
    expect(await call(target)).toMatchObject({
      kind: 'failed',
      sentence: 'The target refused the connection.',
    });
  });

  test('is not waited for when the program stops', async () => {
    const stop = new AbortController();
    const { target } = await listenTwice(() => stop.abort());
    const attempt = await post(
      urlOf(outside, target.port),
      { ...outgoing, signal: stop.signal },
      permitted(target.port),
    );
    expect(attempt).toMatchObject({ kind: 'failed', sentence: 'The delivery was broken off.' });
    const late = await post(
      urlOf(outside, target.port),
      { ...outgoing, signal: stop.signal },
      permitted(target.port),
    );
    expect(late).toMatchObject({ kind: 'failed', sentence: 'The delivery was broken off.' });
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
  const names: (string | false | null)[] = [];
  let target: Target;
  let close: { close(): unknown }[];

  beforeAll(async () => {
    const server = tls.createServer({ cert: certificate, key: certificateKey });
    server.on('tlsClientError', () => {});
    server.on('secureConnection', (socket: tls.TLSSocket & { servername?: string | false }) =>
      names.push(socket.servername ?? null),
    );
    target = await listen(outside, ok, 0, server as unknown as Server);
    close = opened.splice(0);
  });
  afterAll(async () => {
    for (const one of close) await one.close();
  });

  const secure = (host: string, means: Means = { ca: certificate }) =>
    post(`https://${hostOf(host)}:${target.port}/`, outgoing, permitted(target.port), {
      lookup: async () => [outside],
      ...means,
    });

  test.each(['hooks.example.com', 'HOOKS.example.com.'])('is called by its name, %s', async (host) => {
    expect(await secure(host)).toMatchObject({ kind: 'answered', status: 200, excerpt: 'ok' });
    expect(names.at(-1)).toBe('hooks.example.com');
  });

  test.each([
    ['a name that its certificate does not have', 'other.example.com', { ca: certificate }],
    ['an address that its certificate does not have', () => outside, { ca: certificate }],
    ['a certificate of nobody known', 'hooks.example.com', {}],
  ])('%s is not trusted, and nothing is posted', async (_what, host, means) => {
    const before = target.received;
    const attempt = await secure(typeof host === 'string' ? host : host(), means);
    expect(attempt).toMatchObject({
      kind: 'failed',
      sentence: expect.stringMatching(/^The target's certificate is not accepted \(/),
    });
    expect(target.received).toBe(before);
  });

  test('a target that speaks no TLS fails', async () => {
    const talker = createServer((socket) => socket.end('220 mail.example.com ESMTP\r\n'));
    const plain = await listen(outside, ok, 0, talker);
    const attempt = await post(`https://${hostOf(outside)}:${plain.port}/`, outgoing, permitted(plain.port));
    expect(attempt.kind).toBe('failed');
  });
});
