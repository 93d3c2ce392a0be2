import { afterEach, beforeEach, expect, test } from 'bun:test';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { answerWhen, eventually } from './support/eventually.ts';
import { metricValues } from './support/metric-values.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { visitRaw } from './support/raw-http.ts';
import { TcpProxy } from './support/tcp-proxy.ts';

const custom = 'go.example.org';
const SECRET_KEY = 'the same secret on every node, long enough';
let wire: TcpProxy;
/** A node near the database, whose connection is never cut. */
let near: TestApp;
/** The node behind the wire. */
let far: TestApp;
let owner: TestAccount;

beforeEach(async () => {
  const database = await migratedPostgres();
  wire = new TcpProxy(database);
  await wire.open();
  near = await startApp({ env: { DATABASE_URL: database, SECRET_KEY } });
  owner = await near.createAccount();
  await near.app.context.database.write((queries) =>
    queries
      .insertInto('domains')
      .values({ created_at: 1, organization_id: owner.organizationId, host: custom, verified_at: 1 })
      .execute(),
  );
});
afterEach(async () => {
  await Promise.all([near.stop(), far.stop()]);
  await wire.close();
});

const joinFar = async () => {
  far = await startApp({ env: { DATABASE_URL: wire.url, SECRET_KEY } });
};

async function make(fields: object = {}): Promise<{ id: number; path: string }> {
  const body = { destination_url: 'https://destination.example', ...fields };
  const made = await near.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body });
  return { id: made.json.id, path: new URL(made.json.url).pathname };
}

test('while the database is away, cached links continue, others get a 503 page, and all works afterwards', async () => {
  const { path: known } = await make();
  const { path: unknown } = await make();
  const { path: locked } = await make({ password: 'open sesame' });
  const { path: checked } = await make({ captcha: true });
  const { path: onCustom } = await make({ domain: custom });
  await joinFar();
  for (const path of [known, locked, checked]) await far.visit(path);
  expect((await visitRaw(far.url, { host: custom, path: onCustom })).status).toBe(302);
  expect((await far.visit('/no-such-link')).status).toBe(404);

  await wire.close();
  for (let time = 0; time < 50; time++) expect((await far.visit(known)).status).toBe(302);
  expect((await far.visit('/no-such-link')).status).toBe(404);
  for (const path of [unknown, '/never-asked-for']) {
    const away = await far.visit(path);
    expect([path, away.status, away.headers.get('retry-after')]).toEqual([path, 503, '5']);
    expect(away.text).toContain('Try again in a few seconds.');
  }
  expect((await far.visit(locked)).status).toBe(200);
  const guess = { method: 'POST', body: new URLSearchParams({ password: 'open sesame' }) };
  expect((await far.visit(locked, {}, guess)).status).toBe(503);
  expect((await far.visit(checked)).status).toBe(200);
  far.clock.now += 61_000;
  for (let time = 0; time < 50; time++)
    expect((await visitRaw(far.url, { host: custom, path: onCustom })).status).toBe(302);

  await wire.open();
  await eventually(async () => (await far.visit(unknown)).status === 302, 'the database to be back');
  expect((await far.visit(locked, {}, guess)).status).toBe(302);
});

test('while the database is away, metrics say so, and those read from it are missing', async () => {
  const { path } = await make();
  // It joins after the link was made, as the feed would otherwise evict the new link from its cache.
  await joinFar();
  const measured = async () => metricValues(await (await fetch(`${far.url}/metrics`)).text());
  await far.visit(path);
  expect(await measured()).toMatchObject({ linnet_metrics_complete: 1, linnet_outbox_messages: 0 });
  await wire.close();
  far.clock.now += 5_000;
  expect((await far.visit('/not-in-the-cache')).status).toBe(503);
  await far.visit(path);
  const away = await answerWhen(
    measured,
    (found) => (found.linnet_journal_lag_clicks ?? 0) > 0 && (found.linnet_feed_lag_seconds ?? 0) >= 5,
    'the lag',
  );
  expect(away.linnet_metrics_complete).toBe(0);
  expect(away).not.toHaveProperty('linnet_outbox_messages');
  expect(away['linnet_database_errors_total{kind="away"}']).toBeGreaterThan(0);
  expect(away['linnet_visits_total{outcome="unavailable"}']).toBe(1);
  await wire.open();
  const back = await answerWhen(measured, (found) => found.linnet_journal_lag_clicks === 0, 'the clicks');
  expect(back).toMatchObject({ linnet_journal_lag_seconds: 0 });
});

test('a change that this node could not read is applied once it can', async () => {
  const { id, path } = await make();
  await joinFar();
  expect((await far.visit(path)).headers.get('location')).toBe('https://destination.example');
  await wire.close();
  const body = { destination_url: 'https://destination.example/changed' };
  await near.call('PATCH', `/api/v1/link/${id}`, { key: owner.key, body });
  expect((await near.visit(path)).headers.get('location')).toBe(body.destination_url);
  expect((await far.visit(path)).headers.get('location')).toBe('https://destination.example');
  await wire.open();
  await eventually(
    async () => (await far.visit(path)).headers.get('location') === body.destination_url,
    'the change to come through',
  );
});
