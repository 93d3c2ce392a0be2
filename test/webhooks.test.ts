import { describe, expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { dayLength, minuteLength } from '../src/rules/durations.ts';
import { onOneStore, storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { foldClicks } from './support/click.ts';
import { eventually } from './support/eventually.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';
import { targetOfEachTest } from './support/webhook-target.ts';

const target = targetOfEachTest();

describe.each(storeKinds)('webhooks on %s', (store) => {
  const { app, owner } = appWithOwner({
    store,
    overrides: { webhooks: { random: () => 0.5 }, expiryInterval: 150 },
  });

  const call = (method: string, path: string, body?: object, key = owner.key) =>
    app.call(method, `/api/v1/${path}`, { key, ...(body ? { body } : {}) });

  async function createLink(fields: object): Promise<number> {
    const created = await call('POST', 'link', { destination_url: 'https://example.com/page', ...fields });
    if (created.status !== 201) throw new Error(created.text);
    return created.json.id;
  }

  async function deliveries(id: number) {
    return (await call('GET', `link/${id}/webhook_deliveries`)).json.webhook_deliveries;
  }

  /** Sets the clock forward and lets the deliverer look at once, which it else does a few times a second. */
  const advance = (milliseconds: number): void => {
    app.clock.now += milliseconds;
    app.app.context.webhooks.wake();
  };

  /** Puts clicks on a link into the outbox and wakes the deliverer, as the fold does. */
  async function click(id: number, count = 1): Promise<void> {
    await foldClicks(app, id, count);
    app.app.context.webhooks.wake();
  }

  /** Waits until the newest delivery of a link has `count` attempts. */
  async function eventuallyAttempts(id: number, count: number) {
    await eventually(
      async () => (await deliveries(id))[0]?.attempts.length === count,
      `${count} attempts at link ${id}`,
    );
    return (await deliveries(id))[0];
  }

  test('a click reaches its target within two seconds, even without waking the deliverer', async () => {
    const hook = target();
    const id = await createLink({ webhook_url: hook.url });
    const start = Date.now();
    await foldClicks(app, id);
    const [received] = await hook.calls(1);
    expect((received?.at ?? 0) - start).toBeLessThan(scaledToLoad(2_000));
    expect(received?.headers['content-type']).toBe('application/json');
    const { event, payload } = JSON.parse(received?.body ?? '');
    expect(event).toBe('click');
    expect(payload).toMatchObject({
      link_id: id,
      ip_address: '203.0.113.0',
      country: 'DE',
      region: 'Unknown',
      browser_version: expect.stringMatching(/^\d{1,4}$/),
      destination: 'https://example.com/page',
    });
    expect(await eventuallyAttempts(id, 1)).toMatchObject({
      event: 'click',
      state: 'delivered',
      next_try_at: null,
      attempts: [{ status: 200, answer: 'thanks', problem: null }],
    });
  });

  onOneStore(store, () => {
    test('messages are signed with the key of the link, and the key is shown nowhere', async () => {
      const hook = target();
      const webhook_auth_key = `whsec_${Buffer.from('a secret of 24 bytes or more').toString('base64')}`;
      const id = await createLink({ webhook_url: hook.url, webhook_auth_key });
      await click(id);
      const [received] = await hook.calls(1);
      const headers = received?.headers ?? {};
      const body = received?.body ?? '';
      // The library checks against the real clock, which the app's still equals here.
      expect(new Webhook(webhook_auth_key).verify(body, headers)).toMatchObject({ event: 'click' });
      expect(() => new Webhook(webhook_auth_key).verify(`${body} `, headers)).toThrow();
      await eventuallyAttempts(id, 1);
      expect((await call('GET', `link/${id}/webhook_deliveries`)).text).not.toContain('whsec');
      expect(body).not.toContain('whsec');
    });
  });

  test('a retry is signed with the key that the link has by then', async () => {
    const hook = target((before) => new Response(null, { status: before === 0 ? 401 : 200 }));
    const keys = ['mistyped', 'current'].map((text) => `whsec_${Buffer.from(text).toString('base64')}`);
    const id = await createLink({ webhook_url: hook.url, webhook_auth_key: keys[0] });
    await click(id);
    await eventuallyAttempts(id, 1);
    await call('PATCH', `link/${id}`, { webhook_auth_key: keys[1] });
    advance(10_000);
    const signedWith = (await hook.calls(2)).map(({ headers, body }) =>
      keys.findIndex((key) => {
        const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
        return new Webhook(key).sign(headers['webhook-id'] ?? '', at, body) === headers['webhook-signature'];
      }),
    );
    expect(signedWith).toEqual([0, 1]);
    expect((await eventuallyAttempts(id, 2)).state).toBe('delivered');
  });

  test('a failed delivery is retried under the same id, and the log shows both attempts', async () => {
    const hook = target((before) => new Response('not now', { status: before === 0 ? 500 : 204 }));
    const id = await createLink({ webhook_url: hook.url });
    await click(id);
    const first = await eventuallyAttempts(id, 1);
    expect(first.state).toBe('waiting');
    expect(Date.parse(first.next_try_at)).toBe(app.clock.now + 5_000);
    advance(5_000);
    const second = await eventuallyAttempts(id, 2);
    expect(second.state).toBe('delivered');
    expect(second.attempts.map(({ status }: { status: number }) => status)).toEqual([500, 204]);
    expect(second.attempts[0].answer).toBe('not now');
    expect(new Set(hook.received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([second.message_id]),
    );
  });

  onOneStore(store, () => {
    test('Retry-After is respected, and 410 ends the attempts', async () => {
      const hook = target((before) =>
        before === 0
          ? new Response(null, { status: 429, headers: { 'retry-after': '600' } })
          : new Response(null, { status: 410 }),
      );
      const id = await createLink({ webhook_url: hook.url });
      await click(id);
      const first = await eventuallyAttempts(id, 1);
      expect(Date.parse(first.next_try_at)).toBe(app.clock.now + 10 * minuteLength);
      advance(10 * minuteLength);
      expect(await eventuallyAttempts(id, 2)).toMatchObject({ state: 'failed', next_try_at: null });
      advance(3 * dayLength);
      // Long enough to show that no more come.
      await Bun.sleep(600);
      expect(hook.received).toHaveLength(2);
    });
  });

  test('after three days of failures a delivery has failed; redelivered, it is sent under the same id', async () => {
    const hook = target((before) => new Response(null, { status: before < 2 ? 503 : 200 }));
    const id = await createLink({ webhook_url: hook.url });
    await click(id);
    await eventuallyAttempts(id, 1);
    advance(3 * dayLength);
    const failed = await eventuallyAttempts(id, 2);
    expect(failed.state).toBe('failed');
    const again = await call('POST', `webhook_delivery/${failed.id}/redeliver`);
    expect([again.status, again.json.id, again.json.state]).toEqual([202, failed.id, 'waiting']);
    expect(await eventuallyAttempts(id, 3)).toMatchObject({
      state: 'delivered',
      message_id: failed.message_id,
    });
    expect(new Set(hook.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('a redelivery is sent to the current webhook', async () => {
    const [wrong, right] = [target(() => new Response(null, { status: 410 })), target()];
    const id = await createLink({ webhook_url: wrong.url });
    await click(id);
    const failed = await eventuallyAttempts(id, 1);
    await call('PATCH', `link/${id}`, { webhook_url: right.url });
    await call('POST', `webhook_delivery/${failed.id}/redeliver`);
    expect((await right.calls(1))[0]?.headers['webhook-id']).toBe(failed.message_id);
    await eventuallyAttempts(id, 2);
    await call('PATCH', `link/${id}`, { webhook_url: null });
    const refused = await call('POST', `webhook_delivery/${failed.id}/redeliver`);
    expect([refused.status, refused.json.error_code]).toEqual([409, 'WEBHOOK_MISSING']);
  });

  test('a redelivery during an attempt is sent to the current webhook, whatever becomes of that attempt', async () => {
    const released = Promise.withResolvers<Response>();
    const [slow, right] = [target(() => released.promise), target()];
    const id = await createLink({ webhook_url: slow.url });
    await click(id);
    await slow.calls(1);
    advance(1_000);
    const [{ id: deliveryId, message_id }] = await deliveries(id);
    await call('PATCH', `link/${id}`, { webhook_url: right.url });
    const again = await call('POST', `webhook_delivery/${deliveryId}/redeliver`);
    expect([again.status, again.json.state, again.json.target_url]).toEqual([202, 'waiting', right.url]);
    expect((await right.calls(1))[0]?.headers['webhook-id']).toBe(message_id);
    await eventuallyAttempts(id, 1);
    released.resolve(new Response(null, { status: 410 }));
    expect(await eventuallyAttempts(id, 2)).toMatchObject({
      state: 'delivered',
      attempts: [{ status: 410 }, { status: 200 }],
    });
  });

  test('pending messages are not sent when the webhook is removed', async () => {
    const hook = target(() => new Response(null, { status: 500 }));
    const id = await createLink({ webhook_url: hook.url });
    await click(id);
    await eventuallyAttempts(id, 1);
    await call('PATCH', `link/${id}`, { webhook_url: null });
    advance(minuteLength);
    const outdated = await eventuallyAttempts(id, 2);
    expect(outdated).toMatchObject({ state: 'failed', attempts: [{ status: 500 }, { status: null }] });
    expect(hook.received).toHaveLength(1);
  });

  test('a hanging target delays no other, however many messages wait for it', async () => {
    const released = Promise.withResolvers<Response>();
    const slow = target(() => released.promise);
    const fast = target();
    const slowId = await createLink({ webhook_url: slow.url });
    const fastId = await createLink({ webhook_url: fast.url });
    await click(slowId, 300);
    await slow.calls(8);
    const start = Date.now();
    await click(fastId, 20);
    const received = await fast.calls(20);
    expect((received.at(-1)?.at ?? 0) - start).toBeLessThan(scaledToLoad(2_000));
    expect(slow.received).toHaveLength(8);
    released.resolve(new Response());
    await slow.calls(9);
    await call('DELETE', `link/${slowId}`);
  });

  onOneStore(store, () => {
    test('a hanging target delays no other target on the same server', async () => {
      const released = Promise.withResolvers<Response>();
      const server = target((_before, { path }) => (path === '/slow' ? released.promise : new Response()));
      const slowId = await createLink({ webhook_url: server.url.replace('/hook', '/slow') });
      const fastId = await createLink({ webhook_url: server.url });
      await click(slowId, 50);
      await server.calls(8);
      await click(fastId, 20);
      const received = await server.calls(28);
      expect(received.filter(({ path }) => path === '/slow')).toHaveLength(8);
      await call('PATCH', `link/${slowId}`, { webhook_url: null });
      released.resolve(new Response());
    });
  });

  test('a target may have the maximum length', async () => {
    const hook = target();
    const padding = Array.from({ length: 2_100 }, () => Math.floor(Math.random() * 36).toString(36)).join('');
    const webhook_url = `${hook.url}?${padding}`.slice(0, 2_048);
    const id = await createLink({ webhook_url });
    await click(id);
    expect(webhook_url).toEndWith((await hook.calls(1))[0]?.path ?? '-');
  });

  test('a test call sends a marked click at once and returns the result', async () => {
    const hook = target(() => new Response('a page', { status: 404 }));
    const webhook_auth_key = `whsec_${Buffer.from('another secret of ours').toString('base64')}`;
    const id = await createLink({ webhook_url: hook.url, webhook_auth_key });
    const { status, json, text } = await call('POST', `link/${id}/webhook_test`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      state: 'failed',
      link_id: id,
      target_url: hook.url,
      attempts: [{ status: 404, answer: 'a page' }],
    });
    expect(text).not.toContain('whsec');
    const headers = hook.received[0]?.headers ?? {};
    const body = hook.received[0]?.body ?? '';
    // The signature has the app's time, which this file has advanced.
    expect(headers['webhook-signature']).toStartWith('v1,');
    expect(JSON.parse(body)).toMatchObject({ event: 'click', payload: { sample: true, link_id: id } });
    expect((await deliveries(id))[0].id).toBe(json.id);
  });

  test("a link without a webhook can't be tested", async () => {
    const id = await createLink({});
    const { status, json } = await call('POST', `link/${id}/webhook_test`);
    expect([status, json.error_code]).toEqual([409, 'WEBHOOK_MISSING']);
  });

  onOneStore(store, () => {
    test('ten tests a minute are allowed', async () => {
      const hook = target();
      const id = await createLink({ webhook_url: hook.url });
      const statuses: number[] = [];
      for (let count = 0; count < 11; count++) {
        statuses.push((await call('POST', `link/${id}/webhook_test`)).status);
      }
      expect(statuses).toEqual([...Array(10).fill(200), 429]);
      advance(minuteLength);
      expect((await call('POST', `link/${id}/webhook_test`)).status).toBe(200);
    });
  });

  test('links notify of their updates, deletion and expiry if enabled', async () => {
    const hook = target();
    const webhook_events = ['link.updated', 'link.deleted', 'link.expired', 'link.updated'];
    const expires = app.clock.now + minuteLength;
    const id = await createLink({
      webhook_url: hook.url,
      webhook_events,
      expiration_date: new Date(expires).toISOString(),
    });
    expect((await call('GET', `link/${id}`)).json.webhook_events).toEqual([
      'link.expired',
      'link.updated',
      'link.deleted',
    ]);
    await click(id);
    await call('PATCH', `link/${id}`, { name: 'new name' });
    await hook.calls(1);
    // A minute is longer than a claim: a message that isn't recorded as sent by then would be sent again.
    await eventuallyAttempts(id, 1);
    advance(minuteLength);
    await hook.calls(2);
    // Sent back as it was read: the same time is not a new expiry.
    const whole = (await call('GET', `link/${id}`)).json;
    expect((await call('PATCH', `link/${id}`, { ...whole, webhook_events: ['link.deleted'] })).status).toBe(
      200,
    );
    // Long enough to show that the change isn't sent.
    await Bun.sleep(200);
    await call('DELETE', `link/${id}`);
    await hook.calls(3);
    // Long enough to show that no more come.
    await Bun.sleep(200);
    const messages = hook.received.map(({ body }) => JSON.parse(body));
    expect(messages.map(({ event }) => event)).toEqual(['link.updated', 'link.expired', 'link.deleted']);
    expect(messages[0].payload).toMatchObject({ link_id: id, name: 'new name' });
    expect(messages[0].payload).not.toHaveProperty('webhook_auth_key');
  });

  test('events: only clicks by default; null and "" restore that', async () => {
    const id = await createLink({});
    const events = async () => (await call('GET', `link/${id}`)).json.webhook_events;
    expect(await events()).toEqual(['click']);
    for (const cleared of [null, '']) {
      await call('PATCH', `link/${id}`, { webhook_events: [] });
      expect(await events()).toEqual([]);
      await call('PATCH', `link/${id}`, { webhook_events: cleared });
      expect(await events()).toEqual(['click']);
    }
    for (const wrong of [['clicks'], 'click', [1], {}]) {
      const { status, json } = await call('PATCH', `link/${id}`, { webhook_events: wrong });
      expect([status, json.field_key]).toEqual([400, 'webhook_events']);
    }
  });

  test('deliveries are listed newest first in pages, only for their own organization', async () => {
    const hook = target();
    const id = await createLink({ webhook_url: hook.url });
    await click(id, 3);
    await hook.calls(3);
    const { json } = await call('GET', `link/${id}/webhook_deliveries?limit=2&offset=1`);
    expect(json.total_webhook_deliveries).toBe(3);
    const ids = json.webhook_deliveries.map((one: { id: number }) => one.id);
    expect(ids).toEqual([...ids].sort((one, other) => other - one));
    expect(ids).toHaveLength(2);
    const stranger = await app.createAccount();
    for (const [method, path] of [
      ['GET', `link/${id}/webhook_deliveries`],
      ['POST', `link/${id}/webhook_test`],
      ['POST', `webhook_delivery/${ids[0]}/redeliver`],
    ] as const) {
      expect((await call(method, path, undefined, stranger.key)).status).toBe(404);
    }
  });

  test('completed deliveries are kept for thirty days', async () => {
    const hook = target();
    const id = await createLink({ webhook_url: hook.url });
    await click(id);
    await eventuallyAttempts(id, 1);
    const { cleanUp } = await import('../src/manage/clean-up.ts');
    advance(30 * dayLength);
    await cleanUp(app.app.context);
    expect(await deliveries(id)).toHaveLength(1);
    advance(1);
    await cleanUp(app.app.context);
    expect(await deliveries(id)).toEqual([]);
  });
});
