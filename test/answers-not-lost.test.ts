import { beforeAll, describe, expect, test } from 'bun:test';
import { request } from 'node:http';
import { connect } from 'node:net';
import { appForSuite } from './support/app-suite.ts';
import { eventually } from './support/eventually.ts';
import { exchange } from './support/raw-http.ts';

/** A change that was made is reported as made; a refused or incomplete request changes nothing. */
const app = appForSuite();
let key: string;
let host: string;
let made = 0;

beforeAll(async () => {
  key = (await app.createAccount()).key;
  host = new URL(app.url).host;
});

const newSuffix = () => `made-${++made}`;
const bodyOf = (suffix: string) => JSON.stringify({ destination_url: 'https://a.example/', suffix });
const head = (more: string) =>
  `POST /api/v1/link HTTP/1.1\r\nHost: ${host}\r\napi-key: ${key}\r\nContent-Type: application/json\r\n${more}\r\n`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const chunked = 'Transfer-Encoding: chunked\r\n';
const isMade = async (suffix: string) => (await app.visit(`/${suffix}`)).status === 302;

test("a creation in chunks with a trailer, as Node's client sends it, succeeds with a response", async () => {
  const suffix = newSuffix();
  const status = await new Promise((resolve, reject) => {
    const sending = request(`${app.url}/api/v1/link`, {
      method: 'POST',
      headers: { 'api-key': key, 'content-type': 'application/json', trailer: 'x-checksum' },
    });
    sending.on('response', (response) => resolve(response.statusCode));
    sending.on('error', reject);
    sending.write(bodyOf(suffix).slice(0, 10));
    sending.write(bodyOf(suffix).slice(10));
    sending.addTrailers({ 'x-checksum': 'abc' });
    sending.end();
  });
  expect(status).toBe(201);
  expect(await isMade(suffix)).toBe(true);
});

test('requests after one in chunks with a trailer are answered in order', async () => {
  const [one, two] = [newSuffix(), newSuffix()];
  const get = `GET /${one} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  const post = (suffix: string) => `${head(chunked)}${chunk(bodyOf(suffix))}0\r\nX: y\r\n\r\n`;
  const missing = `GET /no-such-link HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  const responses = await exchange(app.url, post(one) + get + post(two) + missing + get, { responses: 5 });
  expect(responses.map(({ status }) => status)).toEqual([201, 302, 201, 404, 302]);
});

describe('a creation that is refused as malformed is not carried out:', () => {
  const large = `{"destination_url":"https://a.example/","suffix":"large","x":"${'x'.repeat(100_000)}"}`;
  test.each<[string, (suffix: string) => string]>([
    ['an invalid trailer', (suffix) => `${head(chunked)}${chunk(bodyOf(suffix))}0\r\nnothing\r\n\r\n`],
    ['data after the last chunk', (suffix) => `${head(chunked)}${chunk(bodyOf(suffix))}0\r\n5\r\n\r\n`],
    [
      'a chunk that is longer than its size',
      (suffix) => `${head(chunked)}${chunk(bodyOf(suffix)).slice(0, -2)}xx0\r\n\r\n`,
    ],
    ['an invalid chunk size', (suffix) => `${head(chunked)}${chunk(bodyOf(suffix))}zz\r\n`],
    [
      'two different Content-Lengths',
      (suffix) => `${head('Content-Length: 9\r\nContent-Length: 8\r\n')}${bodyOf(suffix)}`,
    ],
    [
      'chunks and a Content-Length',
      (suffix) => `${head(`${chunked}Content-Length: 9\r\n`)}${chunk(bodyOf(suffix))}0\r\n\r\n`,
    ],
  ])('%s', async (_, bytes) => {
    const suffix = newSuffix();
    const responses = await exchange(app.url, bytes(suffix), { responses: 1 });
    expect(responses.map(({ status }) => status)).toEqual([400]);
    expect(await isMade(suffix)).toBe(false);
  });

  test('a large body with an invalid chunk size', async () => {
    const bytes = `${head(chunked)}${chunk(large)}zz\r\n`;
    const [{ status } = { status: 0 }] = await exchange(app.url, bytes, { responses: 1 });
    // It is passed on before its end is read: too large, or malformed.
    expect([400, 413]).toContain(status);
  });
});

test('a creation that is cut off is not carried out, wherever it is cut', async () => {
  const suffixes = await Promise.all(
    [chunked, 'length'].flatMap((framing) =>
      [0, 1, 2, 3, 5, 10, 40].map(async (missingBytes) => {
        const suffix = newSuffix();
        const body = bodyOf(suffix);
        const whole =
          framing === chunked
            ? `${head(chunked)}${chunk(body)}0\r\n\r\n`
            : `${head(`Content-Length: ${body.length}\r\n`)}${body}`;
        const socket = connect({ host: '127.0.0.1', port: Number(host.split(':')[1]) });
        socket.on('error', () => {});
        socket.resume();
        socket.end(whole.slice(0, whole.length - missingBytes));
        await new Promise((closed) => socket.once('close', closed));
        return [suffix, missingBytes === 0] as const;
      }),
    ),
  );
  for (const [suffix, isWhole] of suffixes) {
    if (isWhole) await eventually(() => isMade(suffix), 'the link of the complete request to be created');
    else expect([suffix, await isMade(suffix)]).toEqual([suffix, false]);
  }
});

test('garbage after a creation does not replace its response', async () => {
  const suffix = newSuffix();
  const body = bodyOf(suffix);
  const bytes = `${head(`Content-Length: ${body.length}\r\n`)}${body}\0\x01garbage\r\n\r\n`;
  const responses = await exchange(app.url, bytes);
  expect(responses.map(({ status }) => status)).toEqual([201, 400]);
  expect(await isMade(suffix)).toBe(true);
});

test('a client that half-closes after its creation, or waits for 100 Continue, gets its response', async () => {
  const [one, two] = [newSuffix(), newSuffix()];
  const post = (suffix: string, more: string) =>
    `${head(`${more}Content-Length: ${bodyOf(suffix).length}\r\n`)}${bodyOf(suffix)}`;
  const received = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port: Number(host.split(':')[1]), allowHalfOpen: true });
    socket.on('data', (part) => {
      text += part.toString('latin1');
    });
    socket.on('end', () => resolve(text));
    socket.end(post(one, ''));
  });
  expect(received).toStartWith('HTTP/1.1 201 ');
  const responses = await exchange(app.url, post(two, 'Expect: 100-continue\r\n'), { responses: 2 });
  expect(responses.map(({ status }) => status)).toEqual([100, 201]);
});

test('an upgrade request is answered without the upgrade', async () => {
  const suffix = newSuffix();
  const body = bodyOf(suffix);
  const more = `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\nContent-Length: ${body.length}\r\n`;
  const responses = await exchange(app.url, head(more) + body, { responses: 1 });
  expect(responses.map(({ status }) => status)).toEqual([201]);
});
