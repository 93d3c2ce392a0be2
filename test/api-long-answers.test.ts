import { beforeAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { appForSuite } from './support/app-suite.ts';

const app = appForSuite();
let key: string;

beforeAll(async () => {
  key = (await app.createAccount()).key;
  const links = Array.from({ length: 30 }, (_, at) => ({
    destination_url: `https://a.example/${at}`,
    name: `€ ü ${at}`,
  }));
  expect((await app.call('POST', '/api/v1/link/bulk', { key, body: { links } })).status).toBe(200);
});

async function responseTo(version: string): Promise<{ head: string; body: string }> {
  const { hostname, port } = new URL(app.url);
  const socket = connect({ host: hostname, port: Number(port) }).setEncoding('utf8');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write(
    `GET /api/v1/link?limit=30 HTTP/${version}\r\nHost: ${hostname}:${port}\r\nAPI-Key: ${key}\r\nConnection: close\r\n\r\n`,
  );
  await new Promise((resolve, reject) => socket.on('end', resolve).on('error', reject));
  socket.end();
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { head, body };
}

test('a long response is complete, also on a reused connection', async () => {
  const expected = (await app.call('GET', '/api/v1/link?limit=10', { key })).json.links;
  for (let turn = 0; turn < 5; turn++) {
    const response = await fetch(`${app.url}/api/v1/link?limit=30`, { headers: { 'api-key': key } });
    expect(response.headers.get('content-type')).toBe('application/json;charset=utf-8');
    const text = await response.text();
    expect(text.length).toBeGreaterThan(60_000);
    const { links } = JSON.parse(text);
    expect(links.slice(0, 10)).toEqual(expected);
    expect(links[29].name).toBe('€ ü 0');
  }
});

test('a long response is streamed, a short one is not', async () => {
  const headers = { 'api-key': key };
  const [long, short] = [30, 1].map((limit) => fetch(`${app.url}/api/v1/link?limit=${limit}`, { headers }));
  expect((await long)?.headers.get('transfer-encoding')).toBe('chunked');
  expect(Number((await short)?.headers.get('content-length'))).toBeGreaterThan(1_000);
});

test('a client that closes the connection, as with HTTP/1.0, gets a long response with a Content-Length', async () => {
  for (const version of ['1.0', '1.1']) {
    const { head, body } = await responseTo(version);
    expect(head).not.toMatch(/transfer-encoding/i);
    expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
    expect(JSON.parse(body).links).toHaveLength(30);
  }
});
