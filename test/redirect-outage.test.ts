import { afterEach, beforeEach, expect, test } from 'bun:test';
import { addDomain } from './support/add-domain.ts';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { eventually, pollUntil } from './support/eventually.ts';
import { metricValues } from './support/metric-values.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { visitRaw } from './support/raw-http.ts';
import { SECRET_KEY } from './support/secret-key.ts';
import { TcpProxy } from './support/tcp-proxy.ts';

const custom = 'go.example.org';
let proxy: TcpProxy;
/** A node with a direct connection to the database, which is never cut. */
let directNode: TestApp;
/** The node that connects to the database through the proxy. */
let proxiedNode: TestApp;
let owner: TestAccount;

beforeEach(async () => {
  const database = await migratedPostgres();
  proxy = new TcpProxy(database);
  await proxy.open();
  directNode = await startApp({ env: { DATABASE_URL: database, SECRET_KEY } });
  owner = await directNode.createAccount();
  await addDomain(directNode, owner, custom);
});
afterEach(async () => {
  await Promise.all([directNode.stop(), proxiedNode.stop()]);
  await proxy.close();
});

const startProxiedNode = async () => {
  proxiedNode = await startApp({ env: { DATABASE_URL: proxy.url, SECRET_KEY } });
};

const createLink = (fields: object = {}) =>
  directNode.createLink(owner, { destination_url: 'https://destination.example', ...fields });

test('while the database is unreachable, cached links still redirect, others get a 503 page, and all links work afterwards', async () => {
  const { path: cached } = await createLink();
  const { path: uncached } = await createLink();
  const { path: withPassword } = await createLink({ password: 'open sesame' });
  const { path: withCaptcha } = await createLink({ captcha: true });
  const { path: onCustom } = await createLink({ domain: custom });
  await startProxiedNode();
  for (const path of [cached, withPassword, withCaptcha]) await proxiedNode.visit(path);
  expect((await visitRaw(proxiedNode.url, { host: custom, path: onCustom })).status).toBe(302);
  expect((await proxiedNode.visit('/no-such-link')).status).toBe(404);

  await proxy.close();
  for (let time = 0; time < 50; time++) expect((await proxiedNode.visit(cached)).status).toBe(302);
  expect((await proxiedNode.visit('/no-such-link')).status).toBe(404);
  for (const path of [uncached, '/never-requested']) {
    const unavailable = await proxiedNode.visit(path);
    expect([path, unavailable.status, unavailable.headers.get('retry-after')]).toEqual([path, 503, '5']);
    expect(unavailable.text).toContain('Try again in a few seconds.');
  }
  expect((await proxiedNode.visit(withPassword)).status).toBe(200);
  const guess = { method: 'POST', body: new URLSearchParams({ password: 'open sesame' }) };
  expect((await proxiedNode.visit(withPassword, {}, guess)).status).toBe(503);
  expect((await proxiedNode.visit(withCaptcha)).status).toBe(200);
  proxiedNode.clock.now += 61_000;
  for (let time = 0; time < 50; time++)
    expect((await visitRaw(proxiedNode.url, { host: custom, path: onCustom })).status).toBe(302);

  await proxy.open();
  await eventually(
    async () => (await proxiedNode.visit(uncached)).status === 302,
    'the database to be reachable again',
  );
  expect((await proxiedNode.visit(withPassword, {}, guess)).status).toBe(302);
});

test('while the database is unreachable, metrics report it, and those read from it are missing', async () => {
  const { path } = await createLink();
  // It starts after the link was created, as the feed would otherwise evict the new link from its cache.
  await startProxiedNode();
  const measured = async () => metricValues(await (await fetch(`${proxiedNode.url}/metrics`)).text());
  await proxiedNode.visit(path);
  expect(await measured()).toMatchObject({ linnet_metrics_complete: 1, linnet_outbox_messages: 0 });
  await proxy.close();
  proxiedNode.clock.now += 5_000;
  expect((await proxiedNode.visit('/not-in-the-cache')).status).toBe(503);
  await proxiedNode.visit(path);
  const unavailable = await pollUntil(
    measured,
    (found) => (found.linnet_journal_lag_clicks ?? 0) > 0 && (found.linnet_feed_lag_seconds ?? 0) >= 5,
    'the lag',
  );
  expect(unavailable.linnet_metrics_complete).toBe(0);
  expect(unavailable).not.toHaveProperty('linnet_outbox_messages');
  expect(unavailable['linnet_database_errors_total{kind="away"}']).toBeGreaterThan(0);
  expect(unavailable['linnet_visits_total{outcome="unavailable"}']).toBe(1);
  await proxy.open();
  const recovered = await pollUntil(measured, (found) => found.linnet_journal_lag_clicks === 0, 'the clicks');
  expect(recovered).toMatchObject({ linnet_journal_lag_seconds: 0 });
});

test('a change that a node could not read is applied once it can', async () => {
  const { id, path } = await createLink();
  await startProxiedNode();
  expect((await proxiedNode.visit(path)).headers.get('location')).toBe('https://destination.example');
  await proxy.close();
  const body = { destination_url: 'https://destination.example/changed' };
  await directNode.call('PATCH', `/api/v1/link/${id}`, { key: owner.key, body });
  expect((await directNode.visit(path)).headers.get('location')).toBe(body.destination_url);
  expect((await proxiedNode.visit(path)).headers.get('location')).toBe('https://destination.example');
  await proxy.open();
  await eventually(
    async () => (await proxiedNode.visit(path)).headers.get('location') === body.destination_url,
    'the change to be applied',
  );
});
