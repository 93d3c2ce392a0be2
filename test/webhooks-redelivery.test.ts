import { afterAll, describe, expect, test } from 'bun:test';
import { cleanUp } from '../src/manage/clean-up.ts';
import { dayLength, hourLength } from '../src/rules/durations.ts';
import { onOneStore, storeKinds, type TestApp } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
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
  let mails: MailServer;

  const { app, owner } = appWithOwner(async () => {
    mails = await startMailServer();
    return {
      store,
      env: { SMTP_URL: `smtp://127.0.0.1:${mails.port}` },
      overrides: { webhooks: { random: () => 0.5 }, outageInterval: 100 },
    };
  });
  afterAll(() => mails[Symbol.asyncDispose]());

  const call = (method: string, path: string, body?: object, key = owner.key) =>
    app.call(method, `/api/v1/${path}`, { key, ...(body ? { body } : {}) });
  const createLink = async (fields: object): Promise<number> =>
    (await call('POST', 'link', { destination_url: 'https://example.com/page', ...fields })).json.id;
  const advance = (milliseconds: number): void => {
    app.clock.now += milliseconds;
    app.app.context.webhooks.wake();
  };
  const deliveries = async (id: number) => (await call('GET', `link/${id}/webhook_deliveries`)).json;
  const eventuallyAttempts = (id: number, count: number) =>
    eventually(
      async () => (await deliveries(id)).webhook_deliveries[0]?.attempts.length === count,
      `${count} attempts at link ${id}`,
    );
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

  onOneStore(store, () => {
    test('redeliveries of all links are limited for each organization by itself', async () => {
      const eager = await app.createAccount();
      const statuses: number[] = [];
      for (let count = 0; count < 11; count++)
        statuses.push((await call('POST', 'webhook_delivery/redeliver', {}, eager.key)).status);
      expect(statuses).toEqual([...Array(10).fill(202), 429]);
      const other = await app.createAccount();
      expect((await call('POST', 'webhook_delivery/redeliver', {}, other.key)).status).toBe(202);
    });
  });

  test('administrators are notified of a target that fails for a day, once per outage', async () => {
    let isDown = true;
    const hook = target(() => new Response(null, { status: isDown ? 503 : 200 }));
    const id = await createLink({ webhook_url: hook.url });
    const outages = async (key = owner.key) =>
      (await call('GET', 'webhook_outages', undefined, key)).json.webhook_outages.filter(
        ({ target_url }: { target_url: string }) => target_url === hook.url,
      );
    await clickOn(app, id);
    await eventuallyAttempts(id, 1);
    const since = new Date(app.clock.now).toISOString();
    expect(await outages()).toMatchObject([{ target_url: hook.url, since, told_at: null }]);
    expect(await outages((await app.createAccount()).key)).toEqual([]);
    advance(11 * hourLength);
    await eventuallyAttempts(id, 2);
    advance(16 * hourLength);
    await eventuallyAttempts(id, 3);
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
    await eventuallyAttempts(id, 4);
    await eventually(async () => (await outages()).length === 0, 'the end of the outage');
    isDown = true;
    await clickOn(app, id);
    await eventuallyAttempts(id, 1);
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
    await clickOn(app, id);
    await eventuallyAttempts(id, 1);
    advance(11 * hourLength);
    await eventuallyAttempts(id, 2);
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

  onOneStore(store, () => {
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
});

describe('with clicks that are kept for a day', () => {
  const { app, owner } = appWithOwner({
    env: { CLICK_RETENTION_DAYS: '1' },
    overrides: { webhooks: { random: () => 0.5 } },
  });
  const call = (method: string, path: string, body?: object) =>
    app.call(method, `/api/v1/link${path}`, { key: owner.key, ...(body ? { body } : {}) });

  test('deliveries are kept for as long', async () => {
    const hook = target();
    const { id } = await app.createLink(owner, { webhook_url: hook.url });
    const kept = async () => (await call('GET', `/${id}/webhook_deliveries`)).json;
    await clickOn(app, id);
    await eventually(async () => (await kept()).webhook_deliveries[0]?.state === 'delivered', 'a delivery');
    app.clock.now += dayLength;
    await cleanUp(app.app.context);
    expect((await kept()).total_webhook_deliveries).toBe(1);
    app.clock.now += 1;
    await cleanUp(app.app.context);
    expect((await kept()).total_webhook_deliveries).toBe(0);
  });

  test('messages about clicks are deleted with clicks of their time, even if they are pending', async () => {
    const hook = target(() => new Response(null, { status: 503 }));
    const { id } = await app.createLink(owner, {
      webhook_url: hook.url,
      webhook_events: ['click', 'link.updated'],
    });
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
  });
});
