import { describe, expect, test } from 'bun:test';
import { hourLength } from '../src/rules/durations.ts';
import { claimDue } from '../src/storage/webhooks/webhook-queue.ts';
import { startApp, storeKinds, type TestAccount, type TestApp } from './support/app.ts';
import { nodesWithOwner } from './support/app-suite.ts';
import { foldClicks } from './support/click.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres, storeFolder } from './support/migrated-store.ts';
import { SECRET_KEY } from './support/secret-key.ts';
import { targetOfEachTest, type WebhookTarget } from './support/webhook-target.ts';

const target = targetOfEachTest();

async function deliveries(app: TestApp, { key }: TestAccount, id: number) {
  const { json } = await app.call('GET', `/api/v1/link/${id}/webhook_deliveries?limit=100`, { key });
  return json.webhook_deliveries as { state: string; message_id: string; attempts: { status: number }[] }[];
}

const messageIds = (hook: WebhookTarget) => hook.received.map(({ headers }) => headers['webhook-id']);

describe('two nodes on one database', () => {
  const { nodeA, nodeB, owner } = nodesWithOwner({
    overrides: { webhooks: { pollInterval: 20 }, expiryInterval: 20 },
  });

  test('deliver each message once', async () => {
    const hooks = Array.from({ length: 4 }, () => target());
    const made = await Promise.all(hooks.map(({ url }) => nodeA.createLink(owner, { webhook_url: url })));
    const links = made.map(({ id }) => id);
    nodeB.clock.now = nodeA.clock.now;
    for (let round = 0; round < 2; round++) {
      await Promise.all(links.map((id, index) => foldClicks(index % 2 ? nodeA : nodeB, id, 10)));
    }
    await Promise.all(hooks.map((hook) => hook.calls(20)));
    for (const id of links) {
      await eventually(
        async () => (await deliveries(nodeA, owner, id)).every(({ state }) => state === 'delivered'),
        'all deliveries to be recorded',
      );
    }
    for (const hook of hooks) {
      expect(hook.received).toHaveLength(20);
      expect(new Set(messageIds(hook)).size).toBe(20);
    }
  });

  test('notify of an expiry once', async () => {
    const hook = target();
    const expiration_date = new Date(nodeA.clock.now + 60_000).toISOString();
    for (let count = 0; count < 10; count++) {
      await nodeA.createLink(owner, {
        webhook_url: hook.url,
        webhook_events: ['link.expired'],
        expiration_date,
      });
    }
    nodeA.clock.now += 60_000;
    nodeB.clock.now = nodeA.clock.now;
    await hook.calls(10);
    // Long enough to show that no more come.
    await Bun.sleep(200);
    expect(hook.received).toHaveLength(10);
    expect(new Set(messageIds(hook)).size).toBe(10);
  });
});

describe.each(storeKinds)('on %s', (store) => {
  const envFor = async (dataDir: string) => ({
    SECRET_KEY,
    DATA_DIR: dataDir,
    ...(store === 'postgres' ? { DATABASE_URL: await migratedPostgres() } : {}),
  });

  test('a stop in the middle loses nothing: pending messages are sent after the start, under the same id', async () => {
    await using folder = await storeFolder();
    const env = await envFor(folder.path);
    const first = await startApp({ env });
    const owner = await first.createAccount();
    const hook = target((before) => (before < 8 ? new Promise<Response>(() => {}) : new Response()));
    const { id } = await first.createLink(owner, { webhook_url: hook.url });
    await foldClicks(first, id, 20);
    await hook.calls(8);
    await first.stop();
    const second = await startApp({ env });
    await hook.calls(28);
    await eventually(
      async () => (await deliveries(second, owner, id)).every(({ state }) => state === 'delivered'),
      'all deliveries',
    );
    const listed = await deliveries(second, owner, id);
    expect(new Set(messageIds(hook))).toEqual(new Set(listed.map(({ message_id }) => message_id)));
    expect(listed).toHaveLength(20);
    expect([...first.faults, ...second.faults]).toEqual([]);
    await second.stop();
  });

  test('messages claimed by a killed node are sent by another, but not before the claim expires', async () => {
    await using folder = await storeFolder();
    // The node polls only when it is woken, so the claim below gets the messages first.
    const overrides = { webhooks: { pollInterval: hourLength } };
    const app = await startApp({ env: await envFor(folder.path), overrides });
    const owner = await app.createAccount();
    const hook = target();
    const { id } = await app.createLink(owner, { webhook_url: hook.url });
    const { database, webhooks } = app.app.context;
    const [now, until] = [app.clock.now, app.clock.now + 45_000];
    const { organization_id } = await database.read
      .selectFrom('links')
      .select('organization_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const queue = { organization_id, target_url: hook.url };
    await foldClicks(app, id, 3);
    expect(await database.write((queries) => claimDue(queries, queue, { max: 10, now, until }))).toHaveLength(
      3,
    );
    app.clock.now += 44_999;
    webhooks.wake();
    // Long enough to show that none come.
    await Bun.sleep(200);
    expect(hook.received).toEqual([]);
    app.clock.now += 1;
    webhooks.wake();
    await hook.calls(3);
    await eventually(
      async () => (await deliveries(app, owner, id)).every(({ state }) => state === 'delivered'),
      'all deliveries',
    );
    expect(new Set(messageIds(hook)).size).toBe(3);
    expect(app.faults).toEqual([]);
    await app.stop();
  });
});

test('with a public BASE_URL, internal webhook targets are refused when they are saved and when they are called', async () => {
  const app = await startApp({ env: { BASE_URL: 'https://links.example.com' } });
  const owner = await app.createAccount();
  const hook = target();
  const port = new URL(hook.url).port;
  const { id } = await app.createLink(owner, { webhook_url: 'https://example.com/hook' });
  for (const url of [
    hook.url,
    'http://localhost/',
    'http://10.1.2.3/',
    'http://[::1]/',
    'http://x.internal/',
  ]) {
    for (const [method, path] of [
      ['POST', 'link'],
      ['PATCH', `link/${id}`],
    ] as const) {
      const body = { destination_url: 'https://example.com', webhook_url: url };
      const { status, json } = await app.call(method, `/api/v1/${path}`, { key: owner.key, body });
      expect([url, status, json.error_code, json.field_key]).toEqual([
        url,
        400,
        'WEBHOOK_TARGET_REFUSED',
        'webhook_url',
      ]);
    }
  }
  // Stored while it was allowed, or before its name began to resolve to an internal address.
  for (const url of [hook.url, `http://localhost:${port}/`]) {
    await app.app.context.database.write((queries) =>
      queries.updateTable('links').set({ webhook_url: url }).where('id', '=', id).execute(),
    );
    const tested = await app.call('POST', `/api/v1/link/${id}/webhook_test`, { key: owner.key });
    expect(tested.json).toMatchObject({ state: 'failed', attempts: [{ status: null }] });
    expect(tested.json.attempts[0].problem).toContain('is not a public address');
    await foldClicks(app, id);
  }
  await eventually(
    async () => (await deliveries(app, owner, id)).every(({ state }) => state === 'failed'),
    'all to be refused',
  );
  expect(hook.received).toEqual([]);
  expect(app.faults).toEqual([]);
  await app.stop();
});

test('targets that the operator allows are accepted, and "none" allows no internal target in a trial either', async () => {
  const hook = target();
  const { host } = new URL(hook.url);
  for (const [more, status] of [
    [{ BASE_URL: 'https://links.example.com', WEBHOOK_ALLOW: host }, 201],
    [{ BASE_URL: 'https://links.example.com', WEBHOOK_ALLOW: '10.0.0.0/8' }, 400],
    [{ WEBHOOK_ALLOW: 'none' }, 400],
  ] as const) {
    const app = await startApp({ env: more });
    const { key } = await app.createAccount();
    const body = { destination_url: 'https://example.com', webhook_url: hook.url };
    expect([more, (await app.call('POST', '/api/v1/link', { key, body })).status]).toEqual([more, status]);
    await app.stop();
  }
});
