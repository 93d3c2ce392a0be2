import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { dayLength } from '../src/rules/durations.ts';
import { Log } from '../src/telemetry/log.ts';
import { startApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { wholeLedger } from './support/hits.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';

test('a visit is counted while the retention waits for a long read', async () => {
  const url = await migratedPostgres();
  const app = await startApp({ env: { DATABASE_URL: url, CLICK_RETENTION_DAYS: '30' } });
  const sql = new SQL({ url, max: 2 });
  try {
    const { key } = await app.createAccount();
    const body = { destination_url: 'https://example.com', suffix: 'counted' };
    const { id } = (await app.call('POST', '/api/v1/link', { key, body })).json;
    await app.visit('/counted');
    await app.app.clicks.settled();
    const reader = await sql.reserve();
    await reader`begin`;
    await reader`select count(*) from hits, hit_packs, hit_pack_links`;
    app.clock.now += 62 * dayLength;
    app.app.clicks.cleanUp();
    const isDropWaiting = async () =>
      (
        await sql`select 1 from pg_stat_activity where application_name = 'linnet retention'
          and wait_event_type = 'Lock' and datname = current_database()`
      ).length > 0;
    await eventually(isDropWaiting, 'the drop to wait for the reader');
    const startedAt = performance.now();
    await app.visit('/counted');
    await app.app.clicks.settled();
    expect(performance.now() - startedAt).toBeLessThan(scaledToLoad(2_000));
    expect((await app.call('GET', `/api/v1/link/${id}`, { key })).json.clicks).toBe(2);
    await reader`commit`;
    reader.release();
    const remaining = async () => (await wholeLedger(app.app.context.database.read)).length;
    await eventually(async () => (await remaining()) === 1, 'the first hit to be deleted');
  } finally {
    await sql.end();
    await app.stop();
  }
});

test('a month that cannot be dropped is reported', async () => {
  const url = await migratedPostgres();
  const sql = new SQL({ url, max: 1 });
  const lines: string[] = [];
  const log = new Log('info', (line) => lines.push(line));
  const app = await startApp({ env: { DATABASE_URL: url, CLICK_RETENTION_DAYS: '30' }, overrides: { log } });
  try {
    const { key } = await app.createAccount();
    const body = { destination_url: 'https://example.com', suffix: 'kept' };
    await app.call('POST', '/api/v1/link', { key, body });
    await app.visit('/kept');
    await app.app.clicks.settled();
    const month = new Date(app.clock.now).toISOString().slice(0, 7).replace('-', '_');
    await sql.unsafe(`create view of_the_month as select * from hits_${month}`);
    app.clock.now += 62 * dayLength;
    app.app.clicks.cleanUp();
    await eventually(
      async () => lines.some((line) => line.includes('"expired clicks not deleted"') && line.includes(month)),
      'the report',
    );
    // The fold goes on.
    await app.visit('/kept');
    await app.app.clicks.settled();
  } finally {
    await sql.end();
    await app.stop();
  }
});
