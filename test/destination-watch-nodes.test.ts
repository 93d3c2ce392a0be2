import { expect, test } from 'bun:test';
import { dayLength, minuteLength } from '../src/rules/durations.ts';
import { startApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { advanceWatch, startSites } from './support/monitored-sites.ts';
import { SECRET_KEY } from './support/secret-key.ts';

test('two nodes request a host no more often than one, and repeat the check that a killed node began', async () => {
  const sites = startSites();
  const env = {
    ...{ DATABASE_URL: await migratedPostgres(), WEBHOOK_ALLOW: '127.0.0.0/8' },
    SECRET_KEY,
  };
  const overrides = { watchInterval: 5, webhooks: { postOptions: { lookup: sites.lookup } } };
  const nodeA = await startApp({ env, overrides });
  const nodeB = await startApp({ env, overrides });
  nodeB.clock.now = nodeA.clock.now;
  sites.clock = nodeA.clock;
  const { key } = await nodeA.createAccount();
  const urlOf = (host: string, path: string) => `http://${host}.example.com:${sites.port}${path}`;
  const create = (destination_url: string) =>
    nodeA.call('POST', '/api/v1/link', { key, body: { destination_url, watch_destination: true } });
  for (const host of ['x', 'y', 'z'])
    for (const path of ['/1', '/2', '/3', '/4']) await create(urlOf(host, path));
  await advanceWatch([nodeA, nodeB], 16 * minuteLength);
  // As if a node had claimed a host and been killed.
  await create(urlOf('x', '/5'));
  await advanceWatch([nodeA, nodeB], 16 * minuteLength);
  await nodeA.app.context.database.write((queries) =>
    queries
      .updateTable('watched_hosts')
      .set({ free_at: nodeA.clock.now + dayLength + minuteLength })
      .where('host', '=', 'x.example.com')
      .execute(),
  );
  nodeA.clock.now += dayLength;
  nodeB.clock.now = nodeA.clock.now;
  await eventually(() => sites.requestsTo('z.example.com').length > 5, 'the other hosts to be requested');
  expect(sites.requestsTo('x.example.com')).toHaveLength(6);
  await nodeB.stop();
  nodeA.clock.now += minuteLength;
  await advanceWatch([nodeA], 10 * minuteLength);
  for (const [host, requests] of [
    ['x.example.com', 12],
    ['y.example.com', 10],
    ['z.example.com', 10],
  ] as const) {
    const times = sites.requestsTo(host).map((asked) => asked.at);
    // A request of the other node that was under way when it was stopped may be repeated.
    expect(times.length - requests).toBeOneOf([0, 1]);
    for (const [index, time] of times.slice(1).entries())
      expect(time - (times[index] ?? 0)).toBeGreaterThanOrEqual(10_000);
  }
  expect([...nodeA.faults, ...nodeB.faults]).toEqual([]);
  await nodeA.stop();
  sites.stop();
});

test('a destination watch that is off for the instance accepts the settings, reports that it is off, and sends no requests', async () => {
  const sites = startSites();
  const app = await startApp({
    env: { WATCH_DESTINATIONS: 'off', WEBHOOK_ALLOW: '127.0.0.0/8' },
    overrides: { watchInterval: 5, webhooks: { postOptions: { lookup: sites.lookup } } },
  });
  sites.clock = app.clock;
  const { key } = await app.createAccount();
  const call = (method: string, path: string, body?: object) =>
    app.call(method, `/api/v1/${path}`, { key, ...(body && { body }) });
  const destination_url = `http://off.example.com:${sites.port}/`;
  expect((await call('POST', 'link', { destination_url, watch_destination: true })).status).toBe(201);
  const { json } = await call('PATCH', 'organization', { watch_destinations: true });
  expect(json).toMatchObject({ watch_destinations: true, can_watch_destinations: false });
  await advanceWatch([app], dayLength);
  expect(sites.requestsTo('off.example.com')).toEqual([]);
  await app.stop();
  sites.stop();
});
