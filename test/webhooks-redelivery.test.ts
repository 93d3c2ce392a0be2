import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Mailer } from '../src/mail/mailer.ts';
import { cleanUp } from '../src/manage/clean-up.ts';
import { mailOutages } from '../src/manage/webhooks/webhook-outages.ts';
import { dayLength, hourLength } from '../src/rules/durations.ts';
import { listOutages, noteFailure } from '../src/storage/webhooks/webhook-outages.ts';
import { startApp, storeKinds, type TestAccount, type TestApp } from './support/app.ts';
import { foldClicks } from './support/click.ts';
import { eventually } from './support/eventually.ts';
import { type MailServer, startMailServer } from './support/mail-server.ts';
import { targetOfEachTest } from './support/webhook-target.ts';

const target = targetOfEachTest();

/** Puts a click into the outbox and wakes the deliverer, as the fold does. */
async function clickOn(app: TestApp, linkId: number): Promise<void> {
  await foldClicks(app, linkId);
  app.app.context.webhooks.wake();
}

describe.each(storeKinds)('webhooks after an outage on %s', (store) => {
  let app: TestApp;
  let owner: TestAccount;

  let mails: MailServer;

  beforeAll(async () => {
    mails = await startMailServer();
    app = await startApp({
      store,
      env: { SMTP_URL: `smtp://127.0.0.1:${mails.port}` },
      overrides: { webhooks: { random: () => 0.5 }, outageInterval: 100 },
    });
    owner = await app.createAccount();
  });
  afterAll(async () => {
    expect(app.faults).toEqual([]);
    await app.stop();
    await mails[Symbol.asyncDispose]();
  });

  const call = (method: string, path: string, body?: object, key = owner.key) =>
    app.call(method, `/api/v1/${path}`, { key, ...(body ? { body } : {}) });
  const createLink = async (fields: object): Promise<number> =>
    (await call('POST', 'link', { destination_url: 'https://example.com/page', ...fields })).json.id;
  const advance = (milliseconds: number): void => {
    app.clock.now += milliseconds;
    app.app.context.webhooks.wake();
  };
  const deliveries = async (id: number) => (await call('GET', `link/${id}/webhook_deliveries`)).json;
  const states = async (id: number): Promise<string[]> =>
    (await deliveries(id)).webhook_deliveries.map(({ state }: { state: string }) => state);
  const eventuallyInStates = (id: number, expected: readonly string[]) =>
    eventually(
      async () => JSON.stringify(await states(id)) === JSON.stringify(expected),
      `deliveries of ${id} that are ${expected}`,
    );

  test('all failures of a time range are sent again in one call, under the same ids, and nothing else is', async () => {
    let isDown = true;
    const hook = target(() => new Response(null, { status: isDown ? 410 : 200 }));
    const start = app.clock.now;
    const [first, second, withoutWebhook] = [
      await createLink({ webhook_url: hook.url }),
      await createLink({ webhook_url: hook.url }),
      await createLink({ webhook_url: hook.url }),
    ];
    await clickOn(app, first);
    await eventuallyInStates(first, ['failed']);
    // The failure so far is before the time range.
    advance(dayLength);
    const from = new Date(app.clock.now).toISOString();
    for (const id of [first, second, withoutWebhook]) await clickOn(app, id);
    await eventuallyInStates(first, ['failed', 'failed']);
    await eventuallyInStates(second, ['failed']);
    await eventuallyInStates(withoutWebhook, ['failed']);
    await call('PATCH', `link/${withoutWebhook}`, { webhook_url: null });
    expect((await call('POST', `link/${first}/webhook_test`)).json.state).toBe('failed');
    const before = hook.received.map(({ headers }) => headers['webhook-id']);
    expect((await deliveries(first)).total_failed).toBe(2);
    const failedOfAll = async () => (await call('GET', 'webhook_outages')).json.total_failed;
    expect(await failedOfAll()).toBe(4);

    isDown = false;
    advance(1_000);
    const stranger = await app.createAccount();
    expect((await call('POST', 'webhook_delivery/redeliver', { from }, stranger.key)).json).toEqual({
      redelivered: 0,
      left_out: 0,
      continue_from: null,
    });
    const again = await call('POST', 'webhook_delivery/redeliver', { from });
    expect([again.status, again.json]).toEqual([202, { redelivered: 2, left_out: 1, continue_from: null }]);
    // The newest delivery is the test call.
    await eventuallyInStates(first, ['failed', 'delivered', 'failed']);
    await eventuallyInStates(second, ['delivered']);
    const after = hook.received.slice(before.length).map(({ headers }) => headers['webhook-id']);
    expect(after).toHaveLength(2);
    for (const id of after) expect(before).toContain(id);

    // The rest, for one link only.
    const to = new Date(start + dayLength / 2).toISOString();
    expect((await call('POST', 'webhook_delivery/redeliver', { link_id: second, to })).json.redelivered).toBe(
      0,
    );
    expect((await call('POST', 'webhook_delivery/redeliver', { link_id: first, to })).json.redelivered).toBe(
      1,
    );
    await eventuallyInStates(first, ['failed', 'delivered', 'delivered']);
    expect((await deliveries(first)).total_failed).toBe(0);
    // The delivery of the link without a webhook.
    expect(await failedOfAll()).toBe(1);
    expect((await call('POST', 'webhook_delivery/redeliver')).json).toMatchObject({
      redelivered: 0,
      left_out: 1,
    });
  });

  test('redeliveries of all links are limited for each organization by itself', async () => {
    const eager = await app.createAccount();
    const statuses: number[] = [];
    for (let count = 0; count < 11; count++)
      statuses.push((await call('POST', 'webhook_delivery/redeliver', {}, eager.key)).status);
    expect(statuses).toEqual([...Array(10).fill(202), 429]);
    const other = await app.createAccount();
    expect((await call('POST', 'webhook_delivery/redeliver', {}, other.key)).status).toBe(202);
  });

  test('administrators are notified of a target that fails for a day, once per outage', async () => {
    let isDown = true;
    const hook = target(() => new Response(null, { status: isDown ? 503 : 200 }));
    const id = await createLink({ webhook_url: hook.url });
    const outages = async (key = owner.key) =>
      (await call('GET', 'webhook_outages', undefined, key)).json.webhook_outages.filter(
        ({ target_url }: { target_url: string }) => target_url === hook.url,
      );
    const eventuallyAttempts = (count: number) =>
      eventually(
        async () => (await deliveries(id)).webhook_deliveries[0]?.attempts.length === count,
        `${count} attempts at link ${id}`,
      );
    await clickOn(app, id);
    await eventuallyAttempts(1);
    const since = new Date(app.clock.now).toISOString();
    expect(await outages()).toMatchObject([{ target_url: hook.url, since, told_at: null }]);
    expect(await outages((await app.createAccount()).key)).toEqual([]);
    advance(11 * hourLength);
    await eventuallyAttempts(2);
    advance(16 * hourLength);
    await eventuallyAttempts(3);
    const subject = `Webhooks to ${new URL(hook.url).host} have failed for a day`;
    const notifications = () => mails.mails.filter(({ headers }) => headers.get('subject') === subject);
    await eventually(async () => notifications().length > 0, 'the mail');
    const [mail] = notifications();
    expect(mail?.to).toEqual([owner.email]);
    expect(mail?.parts['text/plain']).toContain('/app/organization');
    expect(mail?.parts['text/plain']).not.toContain('/hook');
    await eventually(async () => (await outages())[0]?.told_at !== null, 'the notification to be recorded');

    isDown = false;
    advance(13 * hourLength);
    await eventuallyAttempts(4);
    await eventually(async () => (await outages()).length === 0, 'the end of the outage');
    isDown = true;
    await clickOn(app, id);
    await eventuallyAttempts(1);
    const again = new Date(app.clock.now).toISOString();
    expect(await outages()).toMatchObject([{ since: again, told_at: null }]);
    expect(notifications()).toHaveLength(1);
  });

  test('a target that asks for a day until the next attempt is listed and reported, too', async () => {
    const hook = target(() => new Response(null, { status: 503, headers: { 'retry-after': '86400' } }));
    const id = await createLink({ webhook_url: hook.url });
    const outage = async () =>
      (await call('GET', 'webhook_outages')).json.webhook_outages.find(
        ({ target_url }: { target_url: string }) => target_url === hook.url,
      );
    await clickOn(app, id);
    await eventually(async () => (await outage()) !== undefined, 'the first failure');
    const since = new Date(app.clock.now).toISOString();
    advance(20 * hourLength);
    await cleanUp(app.app.context);
    expect(await outage()).toMatchObject({ since, told_at: null });
    advance(4 * hourLength);
    await hook.calls(2);
    await eventually(async () => (await outage()).told_at !== null, 'the notification');
    expect(await outage()).toMatchObject({ since });
  });

  test('invitations of strangers use up no mails about outages', async () => {
    const hook = target(() => new Response(null, { status: 503 }));
    const id = await createLink({ webhook_url: hook.url });
    const eventuallyAttempts = (count: number) =>
      eventually(
        async () => (await deliveries(id)).webhook_deliveries[0]?.attempts.length === count,
        `${count} attempts at link ${id}`,
      );
    await clickOn(app, id);
    await eventuallyAttempts(1);
    advance(11 * hourLength);
    await eventuallyAttempts(2);
    const stranger = await app.createAccount();
    const body = { email: owner.email, role: 'editor' };
    const sent: boolean[] = [];
    for (let count = 0; count < 6; count++)
      sent.push((await call('POST', 'invitation', body, stranger.key)).json.sent);
    expect(sent).toEqual([...Array(5).fill(true), false]);
    advance(14 * hourLength);
    const subject = `Webhooks to ${new URL(hook.url).host} have failed for a day`;
    await eventually(
      async () => mails.mails.some(({ headers }) => headers.get('subject') === subject),
      'the mail about the outage',
    );
  });

  test('invalid input is refused', async () => {
    const reversed = { from: '2030-01-02', to: '2030-01-01' };
    const responses = await Promise.all([
      call('POST', 'webhook_delivery/redeliver', reversed),
      call('POST', 'webhook_delivery/redeliver', { from: 'yesterday' }),
      call('POST', 'webhook_delivery/redeliver', { link_id: 987_654_321 }),
      call('POST', 'webhook_delivery/redeliver', { link: 1 }),
    ]);
    expect(responses.map(({ status, json }) => [status, json.error_code])).toEqual([
      [400, 'RANGE_REVERSED'],
      [400, 'FIELD_INVALID'],
      [404, 'NOT_FOUND'],
      [400, 'FIELD_UNKNOWN'],
    ]);
  });

  test.each(['whsec_', 'whsec_not base64!', 'whsec_a', 'whsec_ab-_'])(
    'a key that only begins like one of Standard Webhooks is refused: %s',
    async (webhook_auth_key) => {
      const created = await call('POST', 'link', {
        destination_url: 'https://example.com',
        webhook_auth_key,
      });
      expect([created.status, created.json.error_code]).toEqual([400, 'FIELD_INVALID']);
      expect(created.text).toContain('webhook_auth_key');
    },
  );
});

test.each([
  ['as long as single clicks, if those are kept for less than 30 days', '7', 7],
  ['30 days otherwise', '180', 30],
])('deliveries are kept for %s', async (_, CLICK_RETENTION_DAYS, days) => {
  const app = await startApp({ env: { CLICK_RETENTION_DAYS } });
  const owner = await app.createAccount();
  const hook = target();
  const { id } = await app.createLink(owner, { webhook_url: hook.url });
  const kept = async () =>
    (await app.call('GET', `/api/v1/link/${id}/webhook_deliveries`, { key: owner.key })).json;
  await clickOn(app, id);
  await eventually(async () => (await kept()).webhook_deliveries[0]?.state === 'delivered', 'a delivery');
  app.clock.now += days * dayLength;
  await cleanUp(app.app.context);
  expect((await kept()).total_webhook_deliveries).toBe(1);
  app.clock.now += 1;
  await cleanUp(app.app.context);
  expect((await kept()).total_webhook_deliveries).toBe(0);
  await app.stop();
});

test('messages about clicks are deleted with clicks of their time, even if they are pending', async () => {
  const app = await startApp({
    env: { CLICK_RETENTION_DAYS: '1' },
    overrides: { webhooks: { random: () => 0.5 } },
  });
  const owner = await app.createAccount();
  const call = (method: string, path: string, body?: object) =>
    app.call(method, `/api/v1/link${path}`, { key: owner.key, ...(body ? { body } : {}) });
  const hook = target(() => new Response(null, { status: 503 }));
  const { id } = (
    await call('POST', '', {
      destination_url: 'https://example.com',
      webhook_url: hook.url,
      webhook_events: ['click', 'link.updated'],
    })
  ).json;
  const kept = async () =>
    (await call('GET', `/${id}/webhook_deliveries`)).json.webhook_deliveries.map(
      ({ event, state, attempts }: { event: string; state: string; attempts: readonly object[] }) =>
        `${event} ${state} ${attempts.length > 0}`,
    );
  await clickOn(app, id);
  await call('PATCH', `/${id}`, { name: 'Another' });
  const both = ['click waiting true', 'link.updated waiting true'];
  await eventually(async () => (await kept()).sort().join() === both.join(), 'the first attempts for both');
  app.clock.now += dayLength;
  await cleanUp(app.app.context);
  expect(await kept()).toHaveLength(2);
  app.clock.now += 1;
  await cleanUp(app.app.context);
  expect(await kept()).toEqual(['link.updated waiting true']);
  expect(app.faults).toEqual([]);
  await app.stop();
});

test('an outage that could not be reported is reported later, and delays no other report', async () => {
  const app = await startApp();
  const { database, now } = app.app.context;
  const owners = [await app.createAccount(), await app.createAccount(), await app.createAccount()];
  for (const { organizationId } of owners) {
    const target = { organization_id: organizationId, target_url: 'https://away.example/hook' };
    await database.write((queries) => noteFailure(queries, target, now() - 25 * hourLength));
    await database.write((queries) => noteFailure(queries, target, now()));
  }
  let sent = 0;
  const send = async () => {
    if (++sent === 1) throw new Error('broken on purpose');
    return true;
  };
  const mailer = { send, heldBack: () => {} } as unknown as Mailer;
  const context = {
    ...app.app.context,
    mailer,
    config: { ...app.app.context.config, registration: 'closed' },
  } as const;
  const isNotified = async () =>
    (
      await Promise.all(owners.map(({ organizationId }) => listOutages(database.read, organizationId, 0, 1)))
    ).map(([outage]) => outage?.told_at !== null);
  expect(await mailOutages(context).catch(String)).toContain('broken on purpose');
  expect((await isNotified()).filter(Boolean)).toHaveLength(2);
  await mailOutages(context);
  expect(await isNotified()).toEqual([true, true, true]);
  expect(sent).toBe(4);
  await app.stop();
});

test("an outage isn't marked as reported if no administrator has a proven address, and delays no other", async () => {
  const app = await startApp();
  const { database, now } = app.app.context;
  // Only the first account has proved its address. There are fifty others, as many as one run notifies.
  const { organizationId: proved } = await app.createAccount();
  const { organizationId: unproved } = await app.createAccount();
  const organizations = [unproved, ...Array.from({ length: 49 }, (_, index) => 10_000 + index), proved];
  for (const organization_id of organizations) {
    const target = { organization_id, target_url: 'https://away.example/hook' };
    await database.write((queries) => noteFailure(queries, target, now() - 25 * hourLength));
    await database.write((queries) => noteFailure(queries, target, now()));
  }
  const mails: string[] = [];
  const send = async ({ to }: { to: string }) => mails.push(to) > 0;
  const context = {
    ...app.app.context,
    mailer: { send, heldBack: () => {} } as unknown as Mailer,
    config: { ...app.app.context.config, registration: 'open' },
  } as const;
  await mailOutages(context);
  await mailOutages(context);
  expect(mails).toHaveLength(1);
  const notified = await database.read
    .selectFrom('webhook_outages')
    .select('organization_id')
    .where('told_at', 'is not', null)
    .execute();
  expect(notified).toEqual([{ organization_id: proved }]);
  await app.stop();
});

test('an outage whose node was killed before its mail was sent is reported by another node, an hour later', async () => {
  const app = await startApp();
  const { database, now } = app.app.context;
  const { organizationId } = await app.createAccount();
  const target = { organization_id: organizationId, target_url: 'https://away.example/hook' };
  const recordFailure = () => database.write((queries) => noteFailure(queries, target, now()));
  await recordFailure();
  app.clock.now += 25 * hourLength;
  await recordFailure();
  const mailOutagesWith = (send: () => Promise<boolean>) =>
    mailOutages({
      ...app.app.context,
      mailer: { send, heldBack: () => {} } as unknown as Mailer,
      config: { ...app.app.context.config, registration: 'closed' },
    });
  const { promise: isSending, resolve: sends } = Promise.withResolvers<void>();
  void mailOutagesWith(() => {
    sends();
    return new Promise<boolean>(() => {});
  });
  await isSending;
  let sent = 0;
  const mailFromOtherNode = () => mailOutagesWith(async () => ++sent > 0);
  await mailFromOtherNode();
  expect(sent).toBe(0);
  app.clock.now += hourLength;
  await recordFailure();
  await mailFromOtherNode();
  await mailFromOtherNode();
  expect(sent).toBe(1);
  await app.stop();
});

test.each(storeKinds)(
  'the number of failed deliveries is counted up to ten thousand, on %s',
  async (store) => {
    const app = await startApp({ store });
    const owner = await app.createAccount();
    const { id } = await app.createLink(owner);
    const failed = Array.from({ length: 11 }, (_, index) => ({
      created_at: app.clock.now,
      organization_id: owner.organizationId,
      link_id: id,
      event: 'click',
      message_id: `msg_${index}`,
      target_url: 'https://away.example/hook',
      body: '{}',
      signing_key: null,
      state: 'failed' as const,
      tries: 1,
      first_tried_at: app.clock.now,
      next_try_at: null,
      claimed_until: null,
    }));
    const { database } = app.app.context;
    const columns = Object.keys(failed[0] ?? {}) as (keyof (typeof failed)[0])[];
    await database.write(async (queries) => {
      await queries.insertInto('webhook_deliveries').values(failed).execute();
      for (let doubled = 0; doubled < 10; doubled++)
        await queries
          .insertInto('webhook_deliveries')
          .columns(columns)
          .expression(queries.selectFrom('webhook_deliveries').select(columns))
          .execute();
    });
    const list = await app.call('GET', `/api/v1/link/${id}/webhook_deliveries`, { key: owner.key });
    expect([list.json.total_webhook_deliveries, list.json.total_failed]).toEqual([11_264, 10_000]);
    await app.stop();
  },
);
