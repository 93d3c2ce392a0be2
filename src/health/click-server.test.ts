import { describe, expect, test } from 'bun:test';
import { freshClickhouse, hasClickhouse, serverOf } from '../../test/support/clickhouse.ts';
import { migratedPostgres } from '../../test/support/migrated-store.ts';
import { openReadOnlyStore } from '../backup/read-only-store.ts';
import { loadConfig } from '../config/load.ts';
import { ClickhouseHits } from '../ledger/clickhouse/clickhouse-hits.ts';
import type { CheckContext } from './check-context.ts';
import { clickServerFindings } from './click-server.ts';

/** With characters that a header of its own could not have. */
const password = ' hünter:2 € ';

const findingsAt = async (port: number | undefined, store: CheckContext['store'] = null) => {
  const config = loadConfig({
    DATABASE_URL: 'postgres://localhost/linnet',
    CLICKS_URL:
      port === undefined ? '' : `clickhouse://ann:${encodeURIComponent(password)}@127.0.0.1:${port}/linnet`,
  });
  return [await clickServerFindings({ store, config })].flat();
};

test('the server of individual clicks is checked if one is set, and named without its password', async () => {
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
  expect(reachable).toMatchObject({
    state: 'ok',
    found: 'ClickHouse 26.7.2.1 answers, for individual clicks.',
  });
  await server.stop(true);
  const [unreachable] = await findingsAt(server.port);
  expect(unreachable?.state).toBe('problem');
  expect(unreachable?.found).toStartWith(
    `The server of individual clicks at http://127.0.0.1:${server.port}/linnet does not answer: ClickHouse: `,
  );
  expect(JSON.stringify(unreachable)).not.toContain('nter');
});

describe.skipIf(!(await hasClickhouse()))('a ClickHouse', () => {
  test('is a problem if it has lost its tables, or belongs to another store', async () => {
    const url = await freshClickhouse();
    const DATABASE_URL = await migratedPostgres();
    await using store = await openReadOnlyStore(DATABASE_URL, '');
    const config = loadConfig({ DATABASE_URL, CLICKS_URL: url });
    const find = async () => [await clickServerFindings({ config, store })].flat()[0];
    expect((await find())?.state).toBe('ok');
    await store?.query("insert into settings (key, value) values ('hit_store', 'this')");
    await store?.query('update hit_ids set newest = 5');
    expect((await find())?.found).toEndWith('but individual clicks of this database were stored in it.');
    await ClickhouseHits.of(serverOf(url)).prepare('this');
    expect((await find())?.state).toBe('ok');
    await store?.query("update settings set value = 'another' where key = 'hit_store'");
    expect((await find())?.found).toEndWith('has the clicks of another store.');
  }, 60_000);
});
