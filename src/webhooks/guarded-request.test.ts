import { expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { parseAllowList } from '../rules/webhook-allow.ts';
import { guardedRequest } from './guarded-request.ts';

/** Answers with this many bytes, each of them a chunk of its own. */
async function tinyChunks(bytes: number) {
  const chunks = Buffer.from('1\r\n#\r\n'.repeat(bytes));
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      socket.write(chunks);
      socket.end('0\r\n\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address === 'string' || address === null) throw new Error('no port');
  return { port: address.port, [Symbol.dispose]: () => void server.close() };
}

/** Microseconds of CPU for reading such an answer. */
async function costOf(bytes: number): Promise<number> {
  using server = await tinyChunks(bytes);
  const host = `127.0.0.1:${server.port}`;
  const before = process.cpuUsage();
  const answer = await guardedRequest(
    `http://${host}/robots.txt`,
    { method: 'GET', headers: {}, body: null, kept: 512 * 1024 },
    parseAllowList(host) ?? [],
  );
  expect(answer).toMatchObject({ kind: 'answered', excerpt: '#'.repeat(bytes) });
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

test('an answer in chunks of a byte takes eight times the CPU when it is eight times as long, not 64 times', async () => {
  await costOf(20_000);
  const short = await costOf(60_000);
  expect(await costOf(480_000)).toBeLessThan(24 * short);
});
