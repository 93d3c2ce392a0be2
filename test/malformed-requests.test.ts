import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { type BothPaths, openBothPaths } from './support/both-paths.ts';
import { exchange } from './support/raw-http.ts';

const faults: unknown[] = [];
const requests: string[] = [];
let paths: BothPaths;
let url: string;

beforeAll(() => {
  paths = openBothPaths(
    (cause) => faults.push(cause),
    async (request) => {
      requests.push(`${request.method} ${request.url}`);
      return new Response(await request.text());
    },
    ({ path }) => {
      // A lookup that takes a while, and fails.
      if (path === '/looked-up') return Bun.sleep(1).then(() => Promise.reject(new Error('away')));
      if (path !== '/known' && path !== '/waits') return null;
      return { head: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n', body: '', waits: path === '/waits' };
    },
  );
  url = `http://127.0.0.1:${paths.port}`;
});
afterAll(async () => {
  await paths.drain();
  expect(faults).toEqual([]);
});

const host = 'Host: a\r\n';
const get = (path: string) => `GET ${path} HTTP/1.1\r\n${host}\r\n`;
const post = (headers: string, body = '') => `POST /read HTTP/1.1\r\n${host}${headers}\r\n${body}`;
const chunked = 'Transfer-Encoding: chunked\r\n';
const long = 'x'.repeat(20_000);

const malformed: readonly (readonly [string, string, number])[] = [
  ...['TRACE', 'CONNECT', 'PROPFIND', 'FOO', 'get', 'QUERY', 'PURGE', 'X'.repeat(100), "!#$%&'*+-.^_`|~"].map(
    (method) => [`the method ${method}`, `${method} /known HTTP/1.1\r\n${host}\r\n`, 501] as const,
  ),
  ['CONNECT to an authority', `CONNECT a:443 HTTP/1.1\r\n${host}\r\n`, 501],
  ['no method', ` /known HTTP/1.1\r\n${host}\r\n`, 400],
  ['a method with a bracket', `G(T /known HTTP/1.1\r\n${host}\r\n`, 400],
  ['no target', `GET HTTP/1.1\r\n${host}\r\n`, 400],
  ['no version', `GET /known\r\n\r\n`, 400],
  ['an empty line in front', `\r\n${get('/known')}`, 400],
  ['two spaces', `GET  /known HTTP/1.1\r\n${host}\r\n`, 400],
  ['a space in the target', `GET /a b HTTP/1.1\r\n${host}\r\n`, 400],
  ['a target without a slash', `GET known HTTP/1.1\r\n${host}\r\n`, 400],
  ['a target with a user', `GET http://u@a/known HTTP/1.1\r\n${host}\r\n`, 400],
  ['a target of another protocol', `GET ftp://a/known HTTP/1.1\r\n${host}\r\n`, 400],
  ['HTTP/2.0', `GET /known HTTP/2.0\r\n${host}\r\n`, 505],
  ['HTTP/1.2', `GET /known HTTP/1.2\r\n${host}\r\n`, 505],
  ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 501],
  ['a version in lower case', `GET /known http/1.1\r\n${host}\r\n`, 400],
  ['an overlong target', get(`/${long}`), 414],
  ['an overlong target with an unknown method', `FOO /${long} HTTP/1.1\r\n${host}\r\n`, 414],
  ['an overlong target that never ends', `GET /${long}`, 414],
  ['headers that are too large', `GET /known HTTP/1.1\r\n${host}X: ${long}\r\n\r\n`, 431],
  [
    'headers that never end',
    `GET /known HTTP/1.1\r\n${host}${'X: yyyyyyyyyyyyyyyyyyyy\r\n'.repeat(1_000)}`,
    431,
  ],
  ['too many headers', `GET /other HTTP/1.1\r\n${host}${'X: y\r\n'.repeat(500)}\r\n`, 431],
  ['a bare line feed', 'GET /known HTTP/1.1\nHost: a\n\n', 400],
  ['a bare carriage return', `GET /known HTTP/1.1\r\nX: a\rb\r\n${host}\r\n`, 400],
  ['a NUL in a header', `GET /known HTTP/1.1\r\n${host}X: a\0b\r\n\r\n`, 400],
  ['a NUL in the target', `GET /kno\0wn HTTP/1.1\r\n${host}\r\n`, 400],
  ['a TLS ClientHello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['a folded header line', `GET /known HTTP/1.1\r\n${host}X: a\r\n b\r\n\r\n`, 400],
  ['a header line without a colon', `GET /known HTTP/1.1\r\n${host}X\r\n\r\n`, 400],
  ['a header line without a name', `GET /known HTTP/1.1\r\n${host}: x\r\n\r\n`, 400],
  ['a header name with a space', `GET /known HTTP/1.1\r\n${host}X : x\r\n\r\n`, 400],
  ['no Host', 'GET /known HTTP/1.1\r\n\r\n', 400],
  ['two Hosts', `GET /known HTTP/1.1\r\n${host}${host}\r\n`, 400],
  ...['-1', '+1', '0x1', '1,1', '1 1', '', 'a', '9'.repeat(20)].map(
    (length) => [`a length of "${length}"`, post(`Content-Length: ${length}\r\n`, 'a'), 400] as const,
  ),
  ['two lengths', post('Content-Length: 1\r\nContent-Length: 2\r\n', 'ab'), 400],
  ['a length and chunks', post(`Content-Length: 5\r\n${chunked}`, '0\r\n\r\n'), 400],
  ['chunks twice', post(chunked.repeat(2), '0\r\n\r\n'), 400],
  ['another transfer coding', post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'), 400],
  ['chunks with HTTP/1.0', post(chunked, '0\r\n\r\n').replace('1.1', '1.0'), 400],
  ...[
    'zz\r\n',
    '-1\r\na\r\n',
    '1\na\n0\n\n',
    '1\r\nab\r\n',
    '123456789\r\n',
    '1 x\r\na\r\n',
    ' 1\r\na\r\n',
  ].map(
    (chunks) => [`the chunks ${JSON.stringify(chunks)}`, post(chunked, `${chunks}0\r\n\r\n`), 400] as const,
  ),
  ['an endless extension of a chunk', post(chunked, `1;${long}`), 400],
  ['trailers that are not headers', post(chunked, '0\r\nnothing\r\n\r\n'), 400],
  ['endless trailers', post(chunked, `0\r\n${'X: yyyyyyyyyyyyyyyyyyyy\r\n'.repeat(1_000)}`), 400],
];

const positions: readonly (readonly [string, string])[] = [
  ['alone', ''],
  ['after one that is answered at once', get('/known')],
  ['after one whose answer waits', get('/waits')],
  ['after one whose lookup fails later', get('/looked-up')],
];

describe.each(positions)('a malformed request is answered, %s:', (_, preceding) => {
  test.each(malformed)('%s', async (name, bytes, status) => {
    requests.length = 0;
    const responses = await exchange(url, preceding + bytes + get('/smuggled'), { timeout: 10_000 });
    const first = preceding === '' ? [] : [200];
    expect([name, ...responses.map((response) => response.status)]).toEqual([name, ...first, status]);
    expect(requests.join()).not.toContain('smuggled');
    const last = responses.at(-1);
    expect(last?.headers.connection).toBe('close');
    expect(last?.headers['content-type']).toStartWith('text/plain');
    expect(last?.body.length).toBe(Number(last?.headers['content-length']));
  });
});

test('a client that continues to send, and reads only afterwards, gets the response too', async () => {
  const received = await Promise.all(
    malformed.map(
      ([, bytes]) =>
        new Promise<string>((resolve) => {
          const socket = connect({ host: '127.0.0.1', port: paths.port });
          let text = '';
          socket.pause();
          socket.on('data', (part) => {
            text += part.toString('latin1');
          });
          socket.on('error', (cause) => resolve(`${cause.message} after ${text}`));
          socket.on('end', () => resolve(text));
          socket.write(bytes, 'latin1');
          socket.write('x'.repeat(2_000_000), () => socket.resume());
        }),
    ),
  );
  expect(received.map((text) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]))).toEqual(
    malformed.map(([, , status]) => status),
  );
}, 240_000);

test('a request is answered if its client ends the connection before it is complete', async () => {
  const whole = post('Content-Length: 10\r\n', '0123456789');
  const cuts = [3, 20, 40, whole.length - 5, whole.length - 1];
  const responses = await Promise.all(
    [
      ...cuts.map((cut) => whole.slice(0, cut)),
      post(chunked, '5\r\nab'),
      post(chunked, '1\r\na\r\n0\r\n'),
    ].map(
      (bytes) =>
        new Promise<string>((resolve) => {
          requests.length = 0;
          let text = '';
          const socket = connect({ host: '127.0.0.1', port: paths.port, allowHalfOpen: true }, () =>
            socket.end(bytes),
          );
          socket.on('data', (part) => {
            text += part.toString('latin1');
          });
          socket.on('end', () => resolve(text.slice(0, 12)));
        }),
    ),
  );
  expect(responses).toEqual(Array.from({ length: 7 }, () => 'HTTP/1.1 400'));
  expect(requests).toEqual([]);
});

test('HEAD gets no body', async () => {
  const [response] = await exchange(url, `HEAD /known HTTP/1.1\r\n${host}${host}\r\n`, { bodyless: true });
  expect([response?.status, Number(response?.headers['content-length']) > 0]).toEqual([400, true]);
});
