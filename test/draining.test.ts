import { expect, test } from 'bun:test';
import { createFirstLink } from './support/account.ts';
import { eventually, pollUntil } from './support/eventually.ts';
import { storeFolder } from './support/migrated-store.ts';
import { runServer } from './support/program.ts';
import { exchange } from './support/raw-http.ts';

const request = (url: string, path: string) =>
  exchange(url, `GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nUser-Agent: Firefox/140.0\r\n\r\n`, {
    responses: 1,
  }).then(([response]) => response);

test.each(['1', '2'])(
  'with %s process(es), after SIGTERM /readyz fails while all other requests are still answered, and each response closes its connection',
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
    const { suffix } = await createFirstLink(url);
    const before = await request(url, `/${suffix}`);
    expect([before?.status, before?.headers.connection]).toEqual([302, undefined]);
    program.kill('SIGTERM');
    // On separate connections, as the system spreads them over the processes.
    const requestOnAll = (path: string) => Promise.all(Array.from({ length: 8 }, () => request(url, path)));
    await eventually(
      async () => (await requestOnAll('/readyz')).every((response) => response?.status === 503),
      'all processes to be draining',
    );
    for (const path of [`/${suffix}`, '/no-such-link', '/api/v1/link', '/healthz', '/app']) {
      // The thread that answers a process's redirects starts to drain a moment later.
      const responses = await pollUntil(
        () => requestOnAll(path),
        (found) => found.every((response) => response?.headers.connection?.toLowerCase() === 'close'),
        `responses to ${path} to close their connections`,
      );
      const status = { [`/${suffix}`]: 302, '/no-such-link': 404, '/api/v1/link': 401 }[path] ?? 200;
      expect(new Set(responses.map((response) => response?.status))).toEqual(new Set([status]));
    }
    expect((await request(url, '/readyz'))?.body).toContain('draining');
    expect(await program.exited).toBe(0);
  },
);
