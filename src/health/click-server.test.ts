import { expect, test } from 'bun:test';
import { loadConfig } from '../config/load.ts';
import { clickServerFindings } from './click-server.ts';

/** With characters that a header of its own could not have. */
const password = ' hünter:2 € ';

const findingsAt = (port: number | undefined) =>
  clickServerFindings({
    config: loadConfig({
      DATABASE_URL: 'postgres://localhost/linnet',
      CLICKS_URL:
        port === undefined ? '' : `clickhouse://ann:${encodeURIComponent(password)}@127.0.0.1:${port}/linnet`,
    }),
  });

test('the server of single clicks is checked if one is set, and named without its password', async () => {
  expect(await findingsAt(undefined)).toEqual([]);
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) =>
      request.headers.get('authorization') === `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`
        ? new Response('{"version":"26.7.2.1"}\n', { headers: { 'X-ClickHouse-Summary': '{}' } })
        : new Response('who?', { status: 403 }),
  });
  const [reachable] = await findingsAt(server.port);
  expect(reachable).toMatchObject({ state: 'ok', found: 'ClickHouse 26.7.2.1 answers, for single clicks.' });
  await server.stop(true);
  const [unreachable] = await findingsAt(server.port);
  expect(unreachable?.state).toBe('problem');
  expect(unreachable?.found).toStartWith(
    `The server of single clicks at http://127.0.0.1:${server.port}/linnet does not answer: ClickHouse: `,
  );
  expect(JSON.stringify(unreachable)).not.toContain('nter');
});
