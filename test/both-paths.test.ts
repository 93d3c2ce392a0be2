import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Server } from 'bun';
import { sendPieces, statusesAndBodies, statusesOf } from './support/raw-sockets.ts';
import {
  fastRequest,
  forwardedRequest,
  get,
  hostLine,
  ofLength,
  openSampleService,
  post,
  respond,
  type SampleService,
} from './support/sample-service.ts';

/**
 * A listener with a fast path in front of the app server is compared with a plain Bun server: whatever bytes come, both must
 * find the same requests in them and give the same answers.
 */
let service: SampleService;
let plainServer: Server<undefined>;

/** Closes the connection, so that the end of the answers is known at once. */
const closingRequest = get('/other', 'Connection: close\r\n');
const smuggled = get('/smuggled');
const withBody = (method: string, path: string) =>
  `${method} ${path} HTTP/1.1\r\n${hostLine}${ofLength(smuggled)}\r\n${smuggled}`;

const streams: readonly (readonly [string, string])[] = [
  ['a body', post('/read', ofLength('abc'), 'abc')],
  ['a body of no bytes', post('/read', ofLength(''), '')],
  ['a body of no length', post('/read', '', '')],
  ['a request in a body', post('/read', ofLength(smuggled), smuggled)],
  ['a request in a body that is not read', post('/other', ofLength(smuggled), smuggled)],
  ...['GET', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE', 'FOO'].flatMap((method) => [
    [`a body of ${method}`, withBody(method, '/other')] as const,
    [`a body of ${method} to a known link`, withBody(method, '/known')] as const,
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
  ['the identity coding', post('/read', 'Transfer-Encoding: identity\r\n', smuggled)],
  ['a coding after a tab', post('/read', 'Transfer-Encoding:\tchunked\r\n', `0\r\n\r\n`)],
  [
    'a coding after a vertical tab',
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
  ['a DEL character', get('/known', 'X: \x7f\r\n')],
  ['a non-ASCII byte', get('/known', 'X: \xe9\r\n')],
  ['a non-ASCII path', get('/known/\xe9')],
  ['a line without a colon', get('/known', 'X\r\n')],
  ['a line without a name', get('/known', ': a\r\n')],
  ['a name with brackets', get('/known', 'a(b): a\r\n')],
  ['a name of all allowed punctuation', get('/known', "!#$%&'*+-.^_`|~: a\r\n")],
  ['empty lines in front', `\r\n\r\n${fastRequest}`],
  ['no version', 'GET /known\r\n\r\n'],
  ['HTTP/1.0', fastRequest.replace('1.1', '1.0')],
  ['HTTP/1.0 with keep-alive', get('/known', 'Connection: keep-alive\r\n').replace('1.1', '1.0')],
  ['HTTP/1.2', fastRequest.replace('1.1', '1.2')],
  ['HTTP/2.0', fastRequest.replace('1.1', '2.0')],
  ['two spaces', fastRequest.replace(' ', '  ')],
  ['a tab for a space', fastRequest.replace(' ', '\t')],
  ['a space after the version', fastRequest.replace('1.1', '1.1 ')],
  ...['close', 'Keep-Alive', 'keep-alive, close', 'close, keep-alive', 'Upgrade', 'te'].flatMap((value) => [
    [`the connection "${value}"`, get('/known', `Connection: ${value}\r\n`)] as const,
    [`the connection "${value}" to the app server`, get('/other', `Connection: ${value}\r\n`)] as const,
  ]),
  [
    'an upgrade to HTTP/2',
    get('/known', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n'),
  ],
  [
    'a WebSocket',
    get(
      '/known',
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n',
    ),
  ],
  ['an expectation', post('/read', `Expect: 100-continue\r\n${ofLength('abc')}`, 'abc')],
  ['an expectation of GET', get('/known', 'Expect: 100-continue\r\n')],
  ['an unknown expectation', get('/known', 'Expect: the unexpected\r\n')],
  ['204', get('/none')],
  ['304', get('/same')],
  ['HEAD', forwardedRequest.replace('GET', 'HEAD')],
  ['HEAD of a known link', fastRequest.replace('GET', 'HEAD')],
  ['an absolute URL', get('http://a/known')],
  ['an absolute URL of another host', get('https://b.example/other')],
  ['OPTIONS *', fastRequest.replace('GET /known', 'OPTIONS *')],
  ['CONNECT', fastRequest.replace('GET /known', 'CONNECT a:80')],
  ['a lowercase method', fastRequest.replace('GET', 'get')],
  ['two hosts', get('/known', 'Host: b\r\n')],
  ['no host', fastRequest.replace(hostLine, '')],
  ['an unusual host', fastRequest.replace(hostLine, 'Host: A.:99\r\n')],
  ['a head below the limit', get('/known', `X: ${'x'.repeat(15_000)}\r\n`)],
  ['a head above the limit', get('/known', `X: ${'x'.repeat(17_000)}\r\n`)],
];

/** Cases that we refuse with an answer, where Bun accepts them or closes the connection. */
const refusedHere = /TRACE|FOO|CONNECT|lowercase method|one length twice|a DEL character|two hosts/;
/** Bun answers, and then refuses the trailer as the next request. */
const acceptedHere = 'chunks with a trailer';

/** The text of a refusal, and that no answer follows it, are tested in `malformed-requests.test.ts`. */
function areAlike(name: string, expected: string, found: string): boolean {
  const normalized = (responses: string) =>
    responses.replace(/HTTP\/1\.1 [45][\s\S]*/, 'refused').replaceAll('HTTP/1.1 100 \n', '');
  const [wanted, got] = [normalized(expected), normalized(found)];
  if (name === acceptedHere) return got.includes(wanted.replace('refused', '')) && !got.includes('refused');
  if (!refusedHere.test(name)) return got === wanted;
  return got.endsWith('refused') && wanted.startsWith(got.replace('refused', ''));
}

/** Requests around the stream: a parser that disagrees on where it ends answers the following requests differently. */
const positions: readonly (readonly [string, (stream: string) => string])[] = [
  ['before a fast and a closing request', (stream) => stream + fastRequest + closingRequest],
  ['between a fast and a closing request', (stream) => fastRequest + stream + closingRequest],
  [
    'between a forwarded and a fast request',
    (stream) => forwardedRequest + stream + fastRequest + closingRequest,
  ],
];

beforeAll(() => {
  service = openSampleService();
  plainServer = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: respond });
});
afterAll(async () => {
  expect(service.faults).toEqual([]);
  await Promise.all([service.paths.drain(), plainServer.stop(true)]);
});

describe('requests get the same result as without the fast path', () => {
  test.each(positions)('in any position: %s', async (_, around) => {
    const differences: string[] = [];
    const check = async ([name, stream]: readonly [string, string]) => {
      const bytes = around(stream);
      const [expected, found] = await Promise.all([
        sendPieces(plainServer.port ?? 0, [bytes]),
        sendPieces(service.paths.port, [bytes]),
      ]);
      if (!areAlike(name, statusesAndBodies(expected), statusesAndBodies(found)))
        differences.push(`${name}: ${statusesAndBodies(found)} instead of ${statusesAndBodies(expected)}`);
    };
    await Promise.all(streams.map(check));
    expect(differences).toEqual([]);
    expect(service.appServerRequests).not.toContain('GET /smuggled');
  });
});

describe('a stream of requests of every kind', () => {
  const mixed = [
    fastRequest,
    post('/read', ofLength('abc'), 'abc'),
    fastRequest,
    fastRequest,
    forwardedRequest,
    get('/known', 'X: \xe9\r\n'),
    post('/read', 'Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n0\r\n\r\n'),
    fastRequest,
    get('/none'),
    forwardedRequest,
  ].join('');

  test('may be split in two anywhere', async () => {
    const whole = statusesAndBodies(await sendPieces(plainServer.port ?? 0, [mixed], { count: 10 }));
    const cuts = Array.from({ length: mixed.length - 1 }, (_, index) => index + 1);
    while (cuts.length > 0) {
      const batch = cuts.splice(0, 40);
      const responses = await Promise.all(
        batch.map((cut) =>
          sendPieces(service.paths.port, [mixed.slice(0, cut), mixed.slice(cut)], { count: 10 }),
        ),
      );
      for (const [index, found] of responses.entries())
        expect([batch[index], statusesAndBodies(found)]).toEqual([batch[index], whole]);
    }
  });

  test('stays on the fast path if a request of a visit is split in two', async () => {
    service.appServerRequests.length = 0;
    for (let cut = 1; cut < fastRequest.length; cut++) {
      const pieces = [fastRequest + fastRequest.slice(0, cut), fastRequest.slice(cut) + fastRequest];
      expect(statusesOf(await sendPieces(service.paths.port, pieces, { count: 3 }))).toEqual([302, 302, 302]);
    }
    expect(service.appServerRequests).toEqual([]);
  });

  test('may arrive byte by byte', async () => {
    const whole = statusesAndBodies(await sendPieces(plainServer.port ?? 0, [mixed], { count: 10 }));
    expect(statusesAndBodies(await sendPieces(service.paths.port, [...mixed], { count: 10 }))).toEqual(whole);
  });

  test('is answered in order even if some responses are late', async () => {
    const bytes = get('/late') + fastRequest + get('/late') + forwardedRequest + fastRequest;
    expect(statusesOf(await sendPieces(service.paths.port, [bytes], { count: 5 }))).toEqual([
      200, 302, 200, 200, 302,
    ]);
  });
});
