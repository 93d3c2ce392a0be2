import { afterEach, expect, test } from 'bun:test';
import { hourLength } from '../src/rules/durations.ts';
import { minMigration } from '../src/storage/min-migration.ts';
import { newestFormat } from '../src/storage/newer-formats.ts';
import { newestMigration } from '../src/storage/newest-migration.ts';
import { reportNode } from '../src/storage/nodes.ts';
import { minMigrationKey } from '../src/storage/setting-keys.ts';
import { findSetting, replaceSetting } from '../src/storage/settings.ts';
import { startApp, storeKinds, type TestApp } from './support/app.ts';
import { eventually, pollUntil } from './support/eventually.ts';

let app: TestApp;
afterEach(() => app.stop());

test.each(storeKinds)(
  'a node on %s that has become too old for the store reports it, is not ready and counts nothing; links still redirect',
  async (store) => {
    app = await startApp({ store, overrides: { versionInterval: 20 } });
    const { key } = await app.createAccount();
    const body = { destination_url: 'https://destination.example' };
    const create = () => app.call('POST', '/api/v1/link?disable_png=true', { key, body });
    const { json } = await create();
    const { database } = app.app.context;
    const setLeastMigration = (number: number) =>
      database.migrate((queries) => replaceSetting(queries, 'least_migration', String(number)));
    const ready = () => app.call('GET', '/readyz');
    const clicks = async () => (await app.call('GET', `/api/v1/link/${json.id}`, { key })).json.clicks;
    // A newer node that only adds to the schema doesn't affect this one.
    await database.write((queries) =>
      queries
        .insertInto('migrations' as never)
        .values({ number: newestMigration + 1 } as never)
        .execute(),
    );
    expect((await ready()).status).toBe(200);

    await setLeastMigration(newestMigration + 1);
    const response = await pollUntil(ready, ({ status }) => status === 503, 'readiness to fail');
    expect(response.json.status).toBe('too old for the database');
    const refusal = await create();
    if (store === 'postgres') {
      expect(refusal.status).toBe(503);
      expect(refusal.headers.get('retry-after')).not.toBeNull();
    }
    expect((await app.visit(new URL(json.url).pathname)).status).toBe(302);
    // Long enough to show that the click isn't folded.
    await Bun.sleep(300);
    expect(await clicks()).toBe(0);
    expect(app.faults.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'too old for the database', knows: newestMigration, needs: newestMigration + 1 },
    ]);

    await setLeastMigration(newestMigration);
    await pollUntil(ready, ({ status }) => status === 200, 'readiness to succeed');
    expect((await create()).status).toBe(201);
    await eventually(async () => (await clicks()) === 1, 'the click made meanwhile');
  },
);

test('newer table formats are used an hour after an older program was last seen, and from the start in a new store', async () => {
  app = await startApp({ store: 'postgres', overrides: { versionInterval: 20, heartbeatInterval: 20 } });
  const { database } = app.app.context;
  const least = () => minMigration(database.read);
  expect(await least()).toBe(newestFormat);
  await database.migrate((queries) => replaceSetting(queries, minMigrationKey, '1'));
  const aloneSince = async () => {
    const since = await findSetting(database.read, 'alone_since');
    return since === null ? null : Number(since);
  };
  const older = { node: 'older', process: 'one', host_name: 'there', version: '0.0.1', migration: null };
  const reportOlderNode = () =>
    database.write((queries) =>
      reportNode(queries, {
        ...older,
        started_at: 0,
        seen_at: app.clock.now,
        waiting_clicks: 0,
        waiting_since: null,
        waiting_bytes: 0,
      }),
    );
  await eventually(async () => (await aloneSince()) === app.clock.now, 'a check without older programs');
  await reportOlderNode();
  await eventually(async () => (await aloneSince()) === null, 'a check while one is running');
  // The older node is gone without deregistering.
  app.clock.now += 61_000;
  await eventually(async () => (await aloneSince()) === app.clock.now, 'a check after its end');
  app.clock.now += 59 * 60_000;
  await reportOlderNode();
  await eventually(async () => (await aloneSince()) === null, 'a check while it is running again');
  expect(await least()).toBe(1);
  app.clock.now += 61_000;
  await eventually(async () => (await aloneSince()) === app.clock.now, 'another check after its end');
  app.clock.now += hourLength;
  await eventually(async () => (await least()) === newestFormat, 'the newer formats');
});
