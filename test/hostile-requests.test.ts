import { beforeAll, describe, expect, test } from 'bun:test';
import { appForSuite } from './support/app-suite.ts';
import { exchange, type RawResponse } from './support/raw-http.ts';

const destination = 'https://destination.example/x';
const app = appForSuite();
let host: string;

beforeAll(async () => {
  host = new URL(app.url).host;
  const owner = await app.createAccount();
  for (const fields of [{ suffix: 'abc' }, { suffix: 'café' }, { suffix: 'locked', password: 'open sesame' }])
    await app.call('POST', '/api/v1/link', {
      key: owner.key,
      body: { destination_url: destination, ...fields },
    });
});

/** All answers to these bytes. */
const send = (bytes: string): Promise<RawResponse[]> => exchange(app.url, bytes, { timeout: 1_000 });

const get = (target: string, headers = `Host: ${host}\r\n`): string =>
  `GET ${target} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`;

async function sendOne(bytes: string): Promise<RawResponse> {
  const responses = await send(bytes);
  expect([bytes, responses.length]).toEqual([bytes, 1]);
  return responses[0] as RawResponse;
}

describe('a Host', () => {
  test.each([
    ['with a space', 'Host: a b\r\n'],
    ['that is empty', 'Host:\r\n'],
    ['with an impossible port', 'Host: localhost:99999\r\n'],
    ['with a port that is not a number', 'Host: localhost:http\r\n'],
    ['with an open bracket', 'Host: [::1\r\n'],
    ['with a user', 'Host: user@localhost\r\n'],
    ['with a path', 'Host: localhost/abc\r\n'],
    ['with a query', 'Host: localhost?x\r\n'],
    ['with a fragment', 'Host: localhost#x\r\n'],
    ['with a backslash', 'Host: localhost\\evil\r\n'],
    ['with a percent sign', 'Host: %6cocalhost\r\n'],
    ['with a NUL', 'Host: local\0host\r\n'],
    ['with bytes beyond ASCII', 'Host: l\xf6calhost\r\n'],
    ['with markup', 'Host: <script>\r\n'],
    ['with two values', 'Host: localhost, evil.example\r\n'],
    ['given twice', 'Host: localhost\r\nHost: evil.example\r\n'],
    ['given twice, both the same', 'Host: localhost\r\nHost: localhost\r\n'],
    ['that is missing', ''],
    ['that is very long', `Host: ${'a'.repeat(5_000)}\r\n`],
  ])('%s is malformed', async (_, headers) => {
    expect((await sendOne(get('/abc', headers))).status).toBe(400);
  });

  test('is required with HTTP/1.0 too', async () => {
    expect((await sendOne('GET /abc HTTP/1.0\r\n\r\n')).status).toBe(400);
    expect((await sendOne('GET /api/v1/link HTTP/1.0\r\n\r\n')).status).toBe(400);
    expect((await sendOne(`GET /abc HTTP/1.0\r\nHost: ${host}\r\n\r\n`)).headers.location).toBe(destination);
  });
});

test("a load balancer's HTTP/1.0 request without a Host is answered", async () => {
  for (const path of ['/healthz', '/livez', '/readyz', '/healthz?x'])
    expect([path, (await sendOne(`GET ${path} HTTP/1.0\r\n\r\n`)).status]).toEqual([path, 200]);
  expect((await sendOne('GET /healthz HTTP/1.1\r\n\r\n')).status).toBe(400);
});

test('the authority of an absolute target overrides Host, on the fast path and on the slow one', async () => {
  const sendTarget = (target: string, more: string) =>
    sendOne(`GET ${target} HTTP/1.1\r\n${more}Connection: close\r\n\r\n`);
  expect((await sendTarget(`http://${host}/abc`, 'Host: elsewhere.example\r\n')).headers.location).toBe(
    destination,
  );
  for (const slowPathHeader of ['', 'X: \xe9\r\n'])
    expect(
      (await sendTarget('http://elsewhere.example/abc', `Host: ${host}\r\n${slowPathHeader}`)).status,
    ).toBe(404);
  expect((await sendTarget(`http://user@${host}/abc`, `Host: ${host}\r\n`)).status).toBe(400);
  expect((await sendTarget(`http://${host}/abc`, '')).status).toBe(400);
});

describe('a target', () => {
  test.each<[string, string, number]>([
    ['in absolute form', `http://127.0.0.1/abc`, 302],
    ['with an extra slash', '//abc', 404],
    ['that looks like another host', '//evil.example', 404],
    ['that looks like another host and a link', '//evil.example/abc', 404],
    ['with three slashes', '///abc', 404],
    ['with a backslash for a slash', '/\\evil.example', 404],
    ['with an encoded slash in front', '/%2Fabc', 404],
    ['with an encoded slash and a host', '/%2F%2Fevil.example', 404],
    ['with an encoded letter', '/%61bc', 302],
    ['with a NUL', '/abc%00', 404],
    ['with an encoded line break', '/abc%0D%0ASet-Cookie:x=1', 404],
    ['with a broken escape', '/%zz', 404],
    ['with half an escape', '/abc%4', 404],
    ['with an escape that is not UTF-8', '/caf%E9', 404],
    ['with an overlong escape', '/%c0%afabc', 404],
    ['with a surrogate', '/%ED%A0%80', 404],
    ['with bytes of UTF-8', '/caf\xc3\xa9', 302],
    ['with a byte that is not UTF-8', '/caf\xe9', 404],
    ['with a dot segment', '/x/../abc', 302],
    ['with an encoded dot segment', '/x/%2e%2e/abc', 302],
    ['with dot segments above the root', '/../../../abc', 302],
    ['with a dot segment that leads to the API', '/abc/../api/v1/link', 401],
    ['with an encoded dot segment and an encoded slash', '/%2e%2e%2fabc', 404],
    ['with a fragment', '/abc#part', 404],
    ['with a parameter', '/abc;x=1', 404],
    ['with markup', '/<script>alert(1)</script>', 404],
    ['as long as a request may be', `/${'a'.repeat(15_000)}`, 404],
    ['of a thousand segments', `/${'a/'.repeat(1_000)}`, 404],
    ['with a very long query', `/abc?${'q=%00&'.repeat(2_000)}`, 302],
  ])('%s', async (_, target, status) => {
    const response = await sendOne(get(target));
    expect([target.slice(0, 60), response.status]).toEqual([target.slice(0, 60), status]);
    expect(response.headers['set-cookie']).toBeUndefined();
    if (status === 302) expect(response.headers.location).toBe(destination);
    else expect(response.headers.location).toBeUndefined();
  });

  test.each(['abc', '*', '?x', '', '/a b'])('"%s" is malformed', async (target) => {
    const response = await sendOne(get(target));
    expect([400, 505]).toContain(response.status);
  });

  test("can't make a password page redirect a visitor to another host", async () => {
    const form = 'password=open+sesame';
    const post = (target: string) =>
      `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`;
    for (const target of [
      '//evil.example/locked',
      '/\\evil.example/locked',
      '//locked',
      '/locked//evil.example',
    ])
      expect([target, (await sendOne(post(target))).status]).toEqual([target, 404]);
    expect((await sendOne(post('/x/../locked/'))).headers.location).toBe(destination);
  });
});

describe('a request', () => {
  test('with 20 KB of headers is refused, even if each of them is small', async () => {
    expect((await sendOne(get('/abc', `Host: ${host}\r\nX: ${'x'.repeat(20_000)}\r\n`))).status).toBe(431);
    const many = Array.from({ length: 1_000 }, (_, index) => `X-${index}: x\r\n`).join('');
    expect((await sendOne(get('/abc', `Host: ${host}\r\n${many}`))).status).toBe(431);
  });

  test('with a chunked body, a wrong length, or two lengths is answered or disconnected, without an internal error', async () => {
    const head = `POST /abc HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`;
    const statuses = async (bytes: string) => (await send(bytes)).map(({ status }) => status);
    expect(await statuses(`${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`)).toEqual([405]);
    expect(await statuses(`${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`)).toEqual(
      [400],
    );
    expect(await statuses(`${head}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`)).toEqual([400]);
    for (const framing of [
      'Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n',
      'Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc',
      'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      'Transfer-Encoding: xchunked\r\n\r\n',
      'Content-Length: -1\r\n\r\n',
      'Content-Length: 0x3\r\n\r\nabc',
      'Content-Length: 99999999999999999999\r\n\r\n',
      'Content-Length: 1000000\r\n\r\nabc',
    ])
      for (const status of await statuses(head + framing))
        expect([framing, status < 500]).toEqual([framing, true]);
  });

  test('whose client disconnects in the middle of a form causes no internal error', async () => {
    const form = 'Content-Type: application/x-www-form-urlencoded';
    for (const framing of [
      'Content-Length: 1000\r\n\r\npassword=op',
      'Transfer-Encoding: chunked\r\n\r\n9\r\npass',
    ])
      expect(
        await exchange(app.url, `POST /locked HTTP/1.1\r\nHost: ${host}\r\n${form}\r\n${framing}`, {
          timeout: 50,
        }),
      ).toEqual([]);
    // By the time of this answer the server has noticed the disconnection.
    expect((await sendOne(get('/abc'))).status).toBe(302);
    expect(app.faults).toEqual([]);
  });

  test('with another request smuggled in its body is one request', async () => {
    const inner = `GET /abc HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const responses = await send(
      `POST /nothing HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
    );
    expect(responses.map(({ status }) => status)).toEqual([404]);
  });

  test('pipelined behind others on the same connection is answered after them, fifty in order', async () => {
    const keepAliveGet = (target: string) => `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const responses = await send(
      Array.from({ length: 25 }, () => keepAliveGet('/abc') + keepAliveGet('/nothing')).join(''),
    );
    expect(responses.map(({ status }) => status)).toEqual(
      Array.from({ length: 50 }, (_, index) => (index % 2 ? 404 : 302)),
    );
  });

  test.each<[string, number]>([
    ['TRACE', 501],
    ['CONNECT', 501],
    ['OPTIONS', 405],
    ['PROPFIND', 501],
    ['FOO', 501],
    ['get', 501],
    ['', 400],
  ])('with the method "%s" does not get the destination of a link', async (method, status) => {
    const response = await sendOne(`${method} /abc HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(response.status).toBe(status);
    expect(JSON.stringify(response)).not.toContain(destination);
  });
});

test('after all of these requests a link still redirects', async () => {
  expect((await app.visit('/abc')).status).toBe(302);
});
