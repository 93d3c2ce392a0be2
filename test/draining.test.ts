import { expect, test } from 'bun:test';
import { linkOn } from './support/account.ts';
import { answerWhen, eventually } from './support/eventually.ts';
import { storeFolder } from './support/migrated-store.ts';
import { runServer } from './support/program.ts';
import { exchange } from './support/raw-http.ts';

const ask = (url: string, path: string) =>
  exchange(url, `GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nUser-Agent: Firefox/140.0\r\n\r\n`, {
    answers: 1,
  }).then(([answer]) => answer);

test.each(['1', '2'])(
  'with %s process(es), after SIGTERM load balancers are told while everything is still answered, and each response closes its connection',
  async (WORKERS) => {
    await using data = await storeFolder();
    const program = runServer({
      PORT: '0',
      DATA_DIR: data.path,
      MISS_LIMIT: '0',
      WORKERS,
      DRAIN_SECONDS: '3',
    });
    const url = await program.address();
    const { suffix } = await linkOn(url);
    const before = await ask(url, `/${suffix}`);
    expect([before?.status, before?.headers.connection]).toEqual([302, undefined]);
    program.kill('SIGTERM');
    // On separate connections, as the system spreads them over the processes.
    const all = (path: string) => Promise.all(Array.from({ length: 8 }, () => ask(url, path)));
    await eventually(
      async () => (await all('/readyz')).every((answer) => answer?.status === 503),
      'a no from all',
    );
    for (const path of [`/${suffix}`, '/no-such-link', '/api/v1/link', '/healthz', '/app']) {
      // The thread that answers a process's redirects learns of it a moment later.
      const answers = await answerWhen(
        () => all(path),
        (found) => found.every((answer) => answer?.headers.connection?.toLowerCase() === 'close'),
        `the end of connections that asked for ${path}`,
      );
      const status = { [`/${suffix}`]: 302, '/no-such-link': 404, '/api/v1/link': 401 }[path] ?? 200;
      expect(new Set(answers.map((answer) => answer?.status))).toEqual(new Set([status]));
    }
    expect((await ask(url, '/readyz'))?.body).toContain('draining');
    expect(await program.exited).toBe(0);
  },
);
