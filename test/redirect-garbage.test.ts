import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { storeFolder } from './support/migrated-store.ts';
import { type Program, problemsOf, runServer, stop } from './support/program.ts';
import { exchange, visitRaw } from './support/raw-http.ts';
import { seededRandom } from './support/seeded-random.ts';

/** The program runs in a process of its own, with its own memory and log. */
let program: Program;
let folder: Awaited<ReturnType<typeof storeFolder>>;
let url: string;

beforeAll(async () => {
  folder = await storeFolder();
  program = runServer({ PORT: '0', DATA_DIR: folder.path, MISS_LIMIT: '0' });
  url = await program.address();
});
afterAll(async () => {
  program.kill('SIGKILL');
  await program.exited;
  await folder[Symbol.asyncDispose]();
});

/** The same garbage in every run. */
const random = seededRandom(20_300_101);
const pick = <T>(choices: readonly T[]): T => choices[random(choices.length)] as T;
const randomBytes = (length: number): string =>
  Array.from({ length }, () => String.fromCharCode(random(256))).join('');
const percentEncoded = (length: number): string =>
  Array.from({ length }, () => `%${random(256).toString(16).padStart(2, '0')}`).join('');
const maybe = (text: () => string): string => (random(3) === 0 ? text() : '');
const rarely = (text: () => string): string => (random(15) === 0 ? text() : '');

const splitWords = (text: string): string[] => text.trim().split(/\s+/);

const methods = splitWords('GET GET GET HEAD POST PUT PATCH DELETE OPTIONS TRACE');
const paths = splitWords(`
  / /abc /a/b // /api/v1/link /api/v1/link/1 /api/v1/user /api/v1/auth/create_tokens /api/v1/tag /qr/ /qr/1.png /docs
  /openapi.json /readyz /_linnet/captcha.js /robots.txt http://h/x
`);
const oddParts = [
  ...splitWords(
    `%00 %zz % %2e%2e/ ../ \\ ? # &a[]=1 ; ' " <b> %f0%9f%8e%89 %c0%af -1 1e9 NaN __proto__ %0d%0aX:1 ?limit=9999`,
  ),
  '\xc3\xa9',
  'a'.repeat(3_000),
];
const headerNames = splitWords(`
  Cookie Content-Type Authorization api-key X-Forwarded-For User-Agent sec-ch-ua-platform Expect Upgrade Range
  Accept-Encoding If-None-Match Origin Transfer-Encoding
`);
const headerValues = [
  ...splitWords(
    '0 -5 1e5 chunked gzip Bearer linnet_pass=1.2 linnet_pass=.... application/json 100-continue websocket',
  ),
  ...splitWords('application/x-www-form-urlencoded bytes=0-1 "Android" 1.2.3.4,::1 \xff\xfe % ,,, =;='),
  '',
  'Bearer x.y.z',
];
const bodies = [
  ...splitWords('{ {} [] null "x" {"destination_url":1} {"__proto__":{}} password=x altcha=e30= altcha=%'),
  '',
  '['.repeat(5_000),
  '\0\0\0',
  '3\r\nabc\r\n0\r\n\r\n',
];

function garbage(): string {
  if (random(20) === 0) return randomBytes(random(400));
  const target =
    pick(paths) +
    maybe(() => pick(oddParts)) +
    maybe(() => percentEncoded(random(20))) +
    rarely(() => randomBytes(random(20)));
  const method = rarely(() => pick(['BREW', 'G\0T', ''])) || pick(methods);
  const version = rarely(() => pick(['HTTP/1.0', 'HTTP/2', 'http/1.1', ' '])) || 'HTTP/1.1';
  const body = pick(bodies);
  const lines = [`${method} ${target} ${version}`, rarely(() => 'X\0: ') || 'Host: 127.0.0.1'];
  for (let count = random(4); count > 0; count--)
    lines.push(`${pick(headerNames)}: ${pick(headerValues)}${rarely(() => randomBytes(random(10)))}`);
  lines.push(`Content-Length: ${body.length + (rarely(() => '1') ? 9 : 0)}`);
  if (random(3) > 0) lines.push('Connection: close');
  const request = `${lines.join(rarely(() => '\n') || '\r\n')}\r\n\r\n${body}`;
  return rarely(() => request.slice(0, random(request.length))) || request;
}

/** In KB; always 0 where the system doesn't report it. */
function memory(): number {
  const file = `/proc/${program.pid}/status`;
  return existsSync(file) ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(file, 'utf8'))?.[1]) : 0;
}

async function sendGarbage(rounds: number): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  for (let round = 0; round < rounds; round++) {
    const batch = Array.from({ length: 250 }, garbage);
    const answered = await Promise.all(batch.map((bytes) => exchange(url, bytes, { timeout: 150 })));
    for (const [index, responses] of answered.entries()) {
      for (const { status } of responses) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        // 501 and 505 are right for an unknown method or HTTP version.
        if (status >= 500 && status !== 501 && status !== 505)
          throw new Error(`${status} for ${JSON.stringify(batch[index])}`);
      }
    }
    expect((await visitRaw(url, { path: '/healthz' })).status).toBe(200);
  }
  return statuses;
}

test('a body of 100 MB is answered without being stored, with its length announced or in chunks', async () => {
  const bulk = Buffer.alloc(100_000_000, 'x');
  const head = 'POST /abc HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n';
  const before = memory();
  for (const framing of [
    `Content-Length: ${bulk.length}\r\n\r\n`,
    `Transfer-Encoding: chunked\r\n\r\n5f5e100\r\n`,
  ]) {
    const [response] = await exchange(url, Buffer.concat([Buffer.from(head + framing), bulk]), {
      responses: 1,
    });
    expect(response?.status).toBe(404);
    expect(memory() - before).toBeLessThan(64 * 1024);
  }
});

test('three thousand malformed requests cause no 5xx response, no exit and no growth of memory', async () => {
  await sendGarbage(4);
  const before = memory();
  const statuses = await sendGarbage(8);
  expect(memory() - before).toBeLessThan(64 * 1024);
  // Shows that most were read as requests, instead of being refused at the first byte.
  expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1_000);
  expect([...statuses.keys()]).toContain(404);
  await stop(program);
  const errors = problemsOf(program).filter((line) => line.includes('"level":"error"'));
  // A client that closes its connection within a body is no fault, though the API still logs it as one.
  expect(errors.filter((line) => !line.includes('The connection was closed.'))).toEqual([]);
});
