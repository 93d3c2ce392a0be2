import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import type { Server } from 'bun';
import { type BothPaths, openBothPaths } from './support/both-paths.ts';
import { eventually } from './support/eventually.ts';
import { stretched } from './support/stretched.ts';
import { dial, essence, hearAfterSending, ports, statusesOf, talk } from './support/talk.ts';

/**
 * A listener with a fast path in front of the app server, against a server of the runtime alone: whatever bytes come, both
 * must find the same requests in them and give the same answers.
 */
const moved = 'https://destination.example/';
const large = 'x'.repeat(7_000_000);

let paths: BothPaths;
let alone: Server<undefined>;
const faults: unknown[] = [];
/** What the app server was asked. */
const asked: string[] = [];

function answer(request: Request): Response | Promise<Response> {
  const path = request.url.slice(request.url.indexOf('/', 8));
  if (path.startsWith('/known')) return new Response(null, { status: 302, headers: { location: moved } });
  if (path === '/read') return request.text().then((text) => new Response(`read ${text}\n`));
  if (path === '/none') return new Response(null, { status: 204 });
  if (path === '/same') return new Response(null, { status: 304 });
  if (path === '/large') return new Response(large);
  if (path === '/late') return Bun.sleep(20).then(() => new Response('late\n'));
  return new Response(`${request.method} ${path}\n`);
}

const host = 'Host: a\r\n';
const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\n${host}${more}\r\n`;
const post = (path: string, more: string, body: string) =>
  `POST ${path} HTTP/1.1\r\n${host}${more}\r\n${body}`;
const known = get('/known');
const other = get('/other');
/** It ends the connection, so that the end of the answers needn't be waited for. */
const last = get('/other', 'Connection: close\r\n');
const smuggled = get('/smuggled');
const ofLength = (text: string) => `Content-Length: ${text.length}\r\n`;
const withBody = (method: string, path: string) =>
  `${method} ${path} HTTP/1.1\r\n${host}${ofLength(smuggled)}\r\n${smuggled}`;

const streams: readonly (readonly [string, string])[] = [
  ['a body', post('/read', ofLength('abc'), 'abc')],
  ['a body of no bytes', post('/read', ofLength(''), '')],
  ['a body of no length', post('/read', '', '')],
  ['a request in a body', post('/read', ofLength(smuggled), smuggled)],
  ['a request in a body that is not read', post('/other', ofLength(smuggled), smuggled)],
  ...['GET', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE', 'FOO'].flatMap((method) => [
    [`a body of ${method}`, withBody(method, '/other')] as const,
    [`a body of ${method} to what is known`, withBody(method, '/known')] as const,
  ]),
  ['chunks', post('/read', 'Transfer-Encoding: chunked\r\n', '3;a=b\r\nabc\r\n0\r\n\r\n')],
  ['chunks with a trailer', post('/read', 'Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n0\r\nX: y\r\n\r\n')],
  ['chunks of GET', get('/known', 'Transfer-Encoding: chunked\r\n').concat('0\r\n\r\n')],
  [
    'chunks and a length',
    post('/read', `Transfer-Encoding: chunked\r\n${ofLength('abc')}`, `0\r\n\r\n${smuggled}`),
  ],
  [
    'a length and chunks',
    post('/read', `${ofLength('abc')}Transfer-Encoding: chunked\r\n`, `0\r\n\r\n${smuggled}`),
  ],
  ['chunks of no size', post('/read', 'Transfer-Encoding: chunked\r\n', `zz\r\n${smuggled}`)],
  ['a coding that is none', post('/read', 'Transfer-Encoding: identity\r\n', smuggled)],
  ['a coding behind a tab', post('/read', 'Transfer-Encoding:\tchunked\r\n', `0\r\n\r\n`)],
  [
    'a coding behind a vertical tab',
    post('/read', 'Transfer-Encoding: \x0bchunked\r\n', `0\r\n\r\n${smuggled}`),
  ],
  [
    'a coding with a space before its colon',
    post('/read', 'Transfer-Encoding : chunked\r\n', `0\r\n\r\n${smuggled}`),
  ],
  ['one length twice', post('/read', ofLength('abc').repeat(2), 'abc')],
  ['two lengths', post('/read', ofLength('abc') + ofLength(''), smuggled)],
  ...['3, 3', '+3', '-3', '0x3', '3 3', '', '3abc', '3.0', '0000000000000000003'].map(
    (length) => [`the length "${length}"`, post('/read', `Content-Length: ${length}\r\n`, 'abc')] as const,
  ),
  ['a length with blanks', post('/read', 'Content-Length:   3  \r\n', 'abc')],
  ['a length with a space before its colon', post('/read', 'Content-Length : 3\r\n', smuggled)],
  ['a folded line', get('/known', 'X: a\r\n Content-Length: 5\r\n')],
  ['a bare line feed', get('/known', 'X: a\nContent-Length: 5\r\n')],
  ['a bare carriage return', get('/known', 'X: a\rContent-Length: 5\r\n')],
  ['a NUL', get('/known', 'X: a\0\r\n')],
  ['a tab', get('/known', 'X:\ta\tb\r\n')],
  ['a delete sign', get('/known', 'X: \x7f\r\n')],
  ['a byte beyond ASCII', get('/known', 'X: \xe9\r\n')],
  ['a path beyond ASCII', get('/known/\xe9')],
  ['a line without a colon', get('/known', 'X\r\n')],
  ['a line without a name', get('/known', ': a\r\n')],
  ['a name with brackets', get('/known', 'a(b): a\r\n')],
  ['a name of all its signs', get('/known', "!#$%&'*+-.^_`|~: a\r\n")],
  ['empty lines in front', `\r\n\r\n${known}`],
  ['no version', 'GET /known\r\n\r\n'],
  ['HTTP/1.0', known.replace('1.1', '1.0')],
  ['HTTP/1.0 that wants to go on', get('/known', 'Connection: keep-alive\r\n').replace('1.1', '1.0')],
  ['HTTP/1.2', known.replace('1.1', '1.2')],
  ['HTTP/2.0', known.replace('1.1', '2.0')],
  ['two spaces', known.replace(' ', '  ')],
  ['a tab for a space', known.replace(' ', '\t')],
  ['a space behind the version', known.replace('1.1', '1.1 ')],
  ...['close', 'Keep-Alive', 'keep-alive, close', 'close, keep-alive', 'Upgrade', 'te'].flatMap((value) => [
    [`the connection "${value}"`, get('/known', `Connection: ${value}\r\n`)] as const,
    [`the connection "${value}" elsewhere`, get('/other', `Connection: ${value}\r\n`)] as const,
  ]),
  [
    'an upgrade to HTTP/2',
    get('/known', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n'),
  ],
  [
    'a web socket',
    get(
      '/known',
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n',
    ),
  ],
  ['an expectation', post('/read', `Expect: 100-continue\r\n${ofLength('abc')}`, 'abc')],
  ['an expectation of GET', get('/known', 'Expect: 100-continue\r\n')],
  ['an odd expectation', get('/known', 'Expect: the unexpected\r\n')],
  ['204', get('/none')],
  ['304', get('/same')],
  ['HEAD', other.replace('GET', 'HEAD')],
  ['HEAD of what is known', known.replace('GET', 'HEAD')],
  ['a whole address', get('http://a/known')],
  ['a whole address elsewhere', get('https://b.example/other')],
  ['OPTIONS *', known.replace('GET /known', 'OPTIONS *')],
  ['CONNECT', known.replace('GET /known', 'CONNECT a:80')],
  ['a small method', known.replace('GET', 'get')],
  ['two hosts', get('/known', 'Host: b\r\n')],
  ['no host', known.replace(host, '')],
  ['an odd host', known.replace(host, 'Host: A.:99\r\n')],
  ['nearly too much', get('/known', `X: ${'x'.repeat(15_000)}\r\n`)],
  ['too much', get('/known', `X: ${'x'.repeat(17_000)}\r\n`)],
];

/** Refused by us with an answer, and not let pass or hung up on. */
const refusedHere = /TRACE|FOO|CONNECT|small method|one length twice|a delete sign|two hosts/;
/** Bun answers, and then refuses the trailer as the next request. */
const acceptedHere = 'chunks with a trailer';

/** What a refusal says, and that nothing comes after it, `malformed-requests.test.ts` holds. */
function areAlike(name: string, expected: string, found: string): boolean {
  const plain = (answers: string) =>
    answers.replace(/HTTP\/1\.1 [45][\s\S]*/, 'refused').replaceAll('HTTP/1.1 100 \n', '');
  const [wanted, got] = [plain(expected), plain(found)];
  if (name === acceptedHere) return got.includes(wanted.replace('refused', '')) && !got.includes('refused');
  if (!refusedHere.test(name)) return got === wanted;
  return got.endsWith('refused') && wanted.startsWith(got.replace('refused', ''));
}

/** What stands around it: a reader that disagrees on where it ends gives other answers to what follows. */
const positions: readonly (readonly [string, (stream: string) => string])[] = [
  ['before a known and another', (stream) => stream + known + last],
  ['between a known and another', (stream) => known + stream + last],
  ['between another and a known', (stream) => other + stream + known + last],
];

beforeAll(() => {
  paths = openBothPaths(
    (cause) => faults.push(cause),
    (request, { address }) => {
      const path = request.url.slice(request.url.indexOf('/', 8));
      asked.push(`${request.method} ${path}`);
      return path === '/who' ? new Response(`${address}\n`) : answer(request);
    },
    ({ path }, peer) => {
      if (path === '/known/who')
        return { head: `HTTP/1.1 200 OK\r\nContent-Length: ${peer.length}\r\n`, body: peer, waits: false };
      if (!path.startsWith('/known')) return null;
      const head = `HTTP/1.1 302 Found\r\nLocation: ${moved}\r\nContent-Length: 0\r\n`;
      return { head, body: '', waits: false };
    },
  );
  alone = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
});
afterAll(async () => {
  expect(faults).toEqual([]);
  await Promise.all([paths.drain(), alone.stop(true)]);
});

describe('the same requests are found as without the fast path', () => {
  test.each(positions)('in what stands %s', async (_, around) => {
    const wrong: string[] = [];
    const check = async ([name, stream]: readonly [string, string]) => {
      const bytes = around(stream);
      const [expected, found] = await Promise.all([
        talk(alone.port ?? 0, [bytes]),
        talk(paths.port, [bytes]),
      ]);
      if (!areAlike(name, essence(expected), essence(found)))
        wrong.push(`${name}: ${essence(found)} instead of ${essence(expected)}`);
    };
    await Promise.all(streams.map(check));
    expect(wrong).toEqual([]);
    expect(asked).not.toContain('GET /smuggled');
  });
});

describe('a stream of requests of every kind', () => {
  const mixed = [
    known,
    post('/read', ofLength('abc'), 'abc'),
    known,
    known,
    other,
    get('/known', 'X: \xe9\r\n'),
    post('/read', 'Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n0\r\n\r\n'),
    known,
    get('/none'),
    other,
  ].join('');

  test('may be cut in two anywhere', async () => {
    const whole = essence(await talk(alone.port ?? 0, [mixed], { count: 10 }));
    const cuts = Array.from({ length: mixed.length - 1 }, (_, index) => index + 1);
    while (cuts.length > 0) {
      const batch = cuts.splice(0, 40);
      const answers = await Promise.all(
        batch.map((cut) => talk(paths.port, [mixed.slice(0, cut), mixed.slice(cut)], { count: 10 })),
      );
      for (const [index, found] of answers.entries())
        expect([batch[index], essence(found)]).toEqual([batch[index], whole]);
    }
  });

  test('stays on the fast path where one that is plain is cut in two', async () => {
    asked.length = 0;
    for (let cut = 1; cut < known.length; cut++) {
      const pieces = [known + known.slice(0, cut), known.slice(cut) + known];
      expect(statusesOf(await talk(paths.port, pieces, { count: 3 }))).toEqual([302, 302, 302]);
    }
    expect(asked).toEqual([]);
  });

  test('may come byte by byte', async () => {
    const whole = essence(await talk(alone.port ?? 0, [mixed], { count: 10 }));
    expect(essence(await talk(paths.port, [...mixed], { count: 10 }))).toEqual(whole);
  });

  test('is answered in its order although some answers come late', async () => {
    const bytes = get('/late') + known + get('/late') + other + known;
    expect(statusesOf(await talk(paths.port, [bytes], { count: 5 }))).toEqual([200, 302, 200, 200, 302]);
  });
});

describe('the address of a visitor', () => {
  test('is the one of their connection on both paths, whatever their headers say, for many at once', async () => {
    const claims = [
      'X-Forwarded-For: 203.0.113.5\r\nForwarded: for=203.0.113.5\r\nX-Real-IP: 203.0.113.5\r\n',
      'X-Forwarded-For: 127.0.0.1\r\nVia: 1.1 elsewhere\r\nCF-Connecting-IP: 127.0.0.1\r\n',
      '',
    ];
    for (let round = 0; round < 3; round++) {
      const visitors = Array.from({ length: 40 }, (_, index) => `127.0.${round}.${index + 2}`);
      await Promise.all(
        visitors.map(async (address, index) => {
          const more = claims[index % claims.length];
          const bytes =
            get('/who', more) + get('/known/who', more) + get('/who', `${more}Connection: close\r\n`);
          const bodies = (await talk(paths.port, [bytes], { from: address })).match(/127\.[\d.]+/g);
          expect(bodies).toEqual([address, address, address]);
        }),
      );
    }
  });
});

describe('a connection', () => {
  test('what comes after the answer to a request that announced more is never read as a request', async () => {
    asked.length = 0;
    const socket = await dial(paths.port, get('/large', 'Connection: close\r\nContent-Length: 9999999\r\n'));
    socket.pause();
    // The app server has answered and closed its connection; the answer waits in the listener, since the client doesn't read.
    for (let turn = 0; turn < 20; turn++) {
      // Shows that nothing is read as a request, whenever it comes.
      await Bun.sleep(10);
      socket.write(post('/smuggled', ofLength(''), ''));
    }
    socket.destroy();
    expect(asked).toEqual(['GET /large']);
  });

  test('a neighbour on this machine is not taken for a visitor whose port number they borrow', async () => {
    const before = ports('01');
    const visitor = await dial(paths.port, other);
    await new Promise((answered) => visitor.once('data', answered));
    const behind = ports('0A').find((port) => port !== paths.port && port !== alone.port) ?? 0;
    const hop = ports('01', behind).find((port) => !before.includes(port)) ?? 0;
    asked.length = 0;
    const options = { from: '127.0.0.2', fromPort: hop, count: 1 };
    expect(statusesOf(await talk(behind, [get('/forged')], options))).toEqual([403]);
    visitor.destroy();
    expect(asked).toEqual([]);
  });

  test('a client that hangs up in the middle of a body is let go at once', async () => {
    await talk(paths.port, [other], { count: 1 });
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    const socket = await dial(paths.port, post('/read', 'Content-Length: 9\r\n', 'a'));
    // Nothing tells when half a body has arrived.
    await Bun.sleep(50);
    socket.destroy();
    await eventually(() => open() <= before, 'the connections to be let go');
    expect(faults).toEqual([]);
  });

  test('whose visitor says that nothing more comes is answered, also where it is to be closed', async () => {
    const last = [known, other, get('/known', 'Connection: close\r\n'), known.replace('1.1', '1.0')];
    const answers = await Promise.all(last.map((bytes) => talk(paths.port, [bytes], { hangsUp: true })));
    expect(answers.map(statusesOf)).toEqual([[302], [200], [302], [302]]);
  });

  test('is told when its connection ends with the answer, on the fast path and by the app server', async () => {
    for (const path of ['/known', '/other', '/late']) {
      const answer = await talk(paths.port, [get(path, 'Connection: close\r\n')]);
      expect([path, /\r\nConnection: close\r\n/i.test(String(answer))]).toEqual([path, true]);
    }
  });

  test('that ends in any way leaves nothing open behind', async () => {
    const open = () => readdirSync('/proc/self/fd').length;
    await talk(paths.port, [other], { count: 1 });
    const before = open();
    const begun = [known, other, get('/late'), get('/large'), 'GET /kn', 'POST'];
    for (let round = 0; round < 5; round++) {
      const sockets = await Promise.all(
        Array.from({ length: 10 }, () => begun.map((bytes) => dial(paths.port, bytes))).flat(),
      );
      for (const [index, socket] of sockets.entries()) {
        if (index % 3 === 0) socket.resetAndDestroy();
        else if (index % 3 === 1) socket.destroy();
        else socket.end(() => socket.destroy());
      }
    }
    await eventually(() => open() <= before, 'the connections to be let go');
    expect(faults).toEqual([]);
  });
});

describe('a connection, also', () => {
  test('whose visitor says that nothing more comes is answered also by the app server, as by a server alone', async () => {
    const last = [
      get('/other', 'Connection: close\r\n'),
      other.replace('1.1', '1.0'),
      post('/other', 'Transfer-Encoding: chunked\r\n', '0\r\n\r\n'),
    ];
    const answers = await Promise.all(last.map((bytes) => talk(paths.port, [bytes], { hangsUp: true })));
    expect(answers.map(statusesOf)).toEqual([[200], [200], [200]]);
  });

  test('whose request has come when the service is told to stop is answered', async () => {
    const stopping = openBothPaths(
      (cause) => faults.push(cause),
      answer,
      ({ path }) =>
        path === '/known' ? { head: 'HTTP/1.1 204 No Content\r\n', body: '', waits: false } : null,
    );
    const visitors = await Promise.all([known, other].map((bytes) => dial(stopping.port, bytes)));
    await Promise.all(visitors.map((visitor) => new Promise((answered) => visitor.once('data', answered))));
    const received = visitors.map(
      (visitor) =>
        new Promise<string>((resolve) => {
          let text = '';
          visitor.on('data', (part) => {
            text += part.toString('latin1');
          });
          visitor.on('close', () => resolve(text));
        }),
    );
    visitors[0]?.write(known);
    visitors[1]?.write(other);
    await stopping.drain();
    expect((await Promise.all(received)).map(statusesOf)).toEqual([[204], [200]]);
  });

  test('whose large body is refused unread hears why, is ended, and holds up no stop', async () => {
    const refusing = openBothPaths(
      (cause) => faults.push(cause),
      () => new Response('too large', { status: 413 }),
      () => null,
    );
    const body = 'x'.repeat(3_000_000);
    const framings = [
      post('/other', `Content-Length: ${body.length}\r\n`, body),
      post('/other', 'Transfer-Encoding: chunked\r\n', `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`),
    ];
    const visitors = framings.map((bytes) => hearAfterSending(refusing.port, bytes));
    await Promise.all(visitors.map(({ heard }) => heard));
    const begun = performance.now();
    await refusing.drain();
    // Of the ten seconds that requests under way are given.
    expect(performance.now() - begun).toBeLessThan(stretched(5_000));
    expect((await Promise.all(visitors.map(({ all }) => all))).map(statusesOf)).toEqual([[413], [413]]);
  });

  test('a head with bare line feeds is refused at once', async () => {
    expect(statusesOf(await talk(paths.port, ['GET /known HTTP/1.1\nHost: a\n\n']))).toEqual([400]);
  });
});
