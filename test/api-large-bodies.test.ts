import { beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { routes } from '../src/api/routes.ts';
import { startApp, type TestAccount } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { eventually } from './support/eventually.ts';

const { app, owner } = appWithOwner();
let other: TestAccount;

beforeAll(async () => {
  other = await app.createAccount();
});

const bulk = (body: string, { key } = owner) => app.call('POST', '/api/v1/link/bulk', { key, body });

async function expectMalformed(body: string, sentence: string): Promise<void> {
  const { status, json } = await bulk(body);
  expect([status, json.error_code]).toEqual([400, 'BODY_MALFORMED']);
  expect(json.error_string).toContain(sentence);
}

describe('JSON that takes many times its size to parse', () => {
  test('is refused for its depth', async () => {
    await expectMalformed('['.repeat(4_000_000), 'nested more than 32 deep');
    await expectMalformed(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, 'nested more than 32 deep');
    // One level less is parsed, and refused for its fields.
    const response = await bulk(`${'{"a":'.repeat(32)}1${'}'.repeat(32)}`);
    expect(response.json.error_code).toStartWith('FIELD_');
  });

  test('is refused for the number of its values', async () => {
    await expectMalformed(`{"links":[${'[],'.repeat(1_000_000)}[]]}`, 'more than 150,000 values');
    await expectMalformed(`[${'1,'.repeat(1_500_000)}1]`, 'more than 150,000 values');
  });

  test('is refused for the number of fields of one object', async () => {
    const fields = Array.from({ length: 1_001 }, (_, index) => `"field${index}":1`);
    await expectMalformed(`{${fields.join(',')}}`, 'more than 1,000 fields');
    const response = await bulk(`{${fields.slice(1).join(',')}}`);
    expect(response.json.errors.length).toBeLessThan(50);
  });

  test('does not include brackets, commas and quotes within texts', async () => {
    const name = `${'[{,'.repeat(60)}\\"\\\\`;
    const link = `{"destination_url":"https://example.com/${'[,{'.repeat(100)}","name":"${name}"}`;
    const { status, json } = await bulk(`{"links":[${Array(500).fill(link).join(',')}]}`);
    expect(status).toBe(200);
    expect(json.results.map((result: { status: number }) => result.status)).toEqual(Array(500).fill(201));
    expect(json.results[0].link.name).toBe(JSON.parse(`"${name}"`));
  });
});

test('names with a special meaning in JavaScript, or repeated ones, are ordinary names', async () => {
  const create = (body: string) => app.call('POST', '/api/v1/link', { key: owner.key, body });
  for (const name of ['__proto__', 'constructor', 'prototype', 'toString']) {
    const response = await create(
      `{"destination_url":"https://example.com","${name}":{"bot_protection":true}}`,
    );
    expect([name, response.status, response.json.error_code]).toEqual([name, 400, 'FIELD_UNKNOWN']);
  }
  const twice = await create(
    '{"destination_url":"https://example.com/1","destination_url":"https://example.com/2"}',
  );
  expect([twice.status, twice.json.destination_url]).toEqual([201, 'https://example.com/2']);
  expect(({} as Record<string, unknown>).bot_protection).toBeUndefined();
});

describe('a body with an encoding', () => {
  const withBody = routes.filter(({ endpoint }) => endpoint.body !== undefined);

  test.each(withBody.map(({ method, path }) => [method, path] as const))(
    '%s %s refuses it',
    async (method, path) => {
      for (const body of [gzipSync('{"a":1}'), '{"a":1}']) {
        const response = await fetch(app.url + path.replace(/\{\w+\}/g, '1'), {
          method,
          body,
          headers: { 'api-key': owner.key, 'content-type': 'application/json', 'content-encoding': 'gzip' },
        });
        const { error_code: code, error_string: sentence } = (await response.json()) as Record<
          string,
          string
        >;
        expect([response.status, code]).toEqual([415, 'CONTENT_TYPE_UNSUPPORTED']);
        expect(sentence).toContain('"Content-Encoding: gzip"');
      }
    },
  );

  test('is accepted if the encoding is identity', async () => {
    const body = { destination_url: 'https://example.com' };
    const headers = { 'content-encoding': 'Identity' };
    expect((await app.call('POST', '/api/v1/link', { key: owner.key, body, headers })).status).toBe(201);
  });
});

describe('many simultaneous large bodies', () => {
  const bodyLength = 4 * 1024 * 1024;

  /** A call that has sent all but the end of its body. */
  async function openCall({ key }: TestAccount, framing: 'length' | 'chunks', { url } = app) {
    const { hostname, port, host } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    const response = Promise.withResolvers<string>();
    let received = '';
    socket.on('data', (part) => {
      received += part;
      if (received.includes('\r\n\r\n')) response.resolve(received);
    });
    socket.on('error', () => {});
    socket.on('close', () => response.resolve(received));
    const head = `POST /api/v1/link/bulk HTTP/1.1\r\nHost: ${host}\r\napi-key: ${key}\r\nContent-Type: application/json\r\n`;
    const text = `{"links":[{"destination_url":"https://example.com"}]${' '.repeat(bodyLength - 53)}`;
    socket.write(
      framing === 'length'
        ? `${head}Content-Length: ${bodyLength}\r\n\r\n${text}`
        : `${head}Transfer-Encoding: chunked\r\n\r\n${(bodyLength - 1).toString(16)}\r\n${text}\r\n`,
    );
    return {
      response: response.promise,
      finish: () => socket.write(framing === 'length' ? '}' : '1\r\n}\r\n0\r\n\r\n'),
      [Symbol.dispose]: () => socket.destroy(),
    };
  }

  test.each(['length', 'chunks'] as const)(
    'with %s: some are accepted, the rest get 503',
    async (framing) => {
      using calls = new DisposableStack();
      const open = await Promise.all(Array.from({ length: 12 }, () => openCall(owner, framing)));
      for (const call of open) calls.use(call);
      const refused: string[] = [];
      // Four are allowed for each organization.
      await atLeast(
        8,
        open.map(({ response }) => response.then((text) => refused.push(text))),
      );
      for (const text of refused) {
        expect(text).toStartWith('HTTP/1.1 503 ');
        expect(text.toLowerCase()).toContain('retry-after:');
        expect(text).toContain('"error_code":"BUSY"');
      }
      // Small calls, and large calls of other organizations, don't wait for them.
      expect((await app.call('GET', '/api/v1/user', { key: owner.key })).status).toBe(200);
      const small = { destination_url: 'https://example.com' };
      expect((await app.call('POST', '/api/v1/link', { key: owner.key, body: small })).status).toBe(201);
      expect((await bulk(`{"links":[${JSON.stringify(small)}]${' '.repeat(3_000_000)}}`, other)).status).toBe(
        200,
      );
      for (const { finish } of open) finish();
      const responses = await Promise.all(open.map(({ response }) => response));
      const accepted = responses.filter((text) => text.startsWith('HTTP/1.1 200 '));
      expect(accepted.length).toBe(4);
      // The memory that they reserved is free again.
      expect((await bulk(`{"links":[${JSON.stringify(small)}]${' '.repeat(3_000_000)}}`)).status).toBe(200);
    },
  );

  test.each(['length', 'chunks'] as const)(
    'with %s: those that have been arriving for too long give way to others',
    async (framing) => {
      const impatient = await startApp({ overrides: { bodyPatience: 0 } });
      const [one, another, third] = await Promise.all(
        Array.from({ length: 3 }, () => impatient.createAccount()),
      );
      using calls = new DisposableStack();
      let refused = 0;
      const open = await Promise.all(
        Array.from({ length: 8 }, async (_, index) => {
          const call = calls.use(await openCall((index < 4 ? one : another) ?? owner, framing, impatient));
          void call.response.then((text) => {
            if (text.includes('"error_code":"BUSY"')) refused += 1;
          });
          return call;
        }),
      );
      const body = `{"links":[{"destination_url":"https://example.com"}]${' '.repeat(3_900_000)}}`;
      // The last of the eight may still begin, and take the room of the ninth.
      await eventually(async () => {
        const { status } = await impatient.call('POST', '/api/v1/link/bulk', { key: third?.key, body });
        return status === 200 && refused > 0;
      }, 'a call to give way');
      for (const { finish } of open) finish();
      const responses = await Promise.all(open.map(({ response }) => response));
      const accepted = responses.filter((text) => text.startsWith('HTTP/1.1 200 '));
      expect(accepted.length).toBe(8 - refused);
      await impatient.stop();
    },
  );
});

/** Resolves once `count` of the promises have. */
function atLeast(count: number, promises: readonly Promise<unknown>[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let done = 0;
  for (const one of promises)
    one.then(() => {
      done += 1;
      if (done === count) resolve();
    });
  return promise;
}

test('small bodies that never end, more than fit into the memory for all of them, keep no other call from its own', async () => {
  const { hostname, port, host } = new URL(app.url);
  const text = ' '.repeat(64 * 1024 - 1);
  const head = `POST /api/v1/session HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n`;
  using calls = new DisposableStack();
  const arriving = Array.from({ length: 270 }, () => {
    const socket = connect({ host: hostname, port: Number(port) });
    calls.defer(() => socket.destroy());
    const { promise, resolve } = Promise.withResolvers<string>();
    socket.on('error', () => {});
    socket.once('data', (part) => resolve(String(part)));
    socket.write(`${head}${text.length.toString(16)}\r\n${text}\r\n`);
    return promise;
  });
  for (const part of await Promise.all(arriving)) expect(part).toStartWith('HTTP/1.1 100 ');
  // Long enough for the bodies to be read, which nothing shows.
  await Bun.sleep(500);
  const body = { destination_url: 'https://example.com', name: 'n'.repeat(100) };
  const notes = 'a'.repeat(1_000);
  for (let call = 0; call < 20; call++)
    expect(
      (await app.call('POST', '/api/v1/link', { key: owner.key, body: { ...body, notes } })).status,
    ).toBe(201);
});
