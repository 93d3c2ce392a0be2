import { describe, expect, test } from 'bun:test';
import { storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { foldClicks } from './support/click.ts';
import { eventually } from './support/eventually.ts';
import { targetOfEachTest } from './support/webhook-target.ts';

const target = targetOfEachTest();

describe.each(storeKinds)('Zapier on %s', (store) => {
  const { app, owner } = appWithOwner({ store });

  const createLink = () => app.createLink(owner, { destination_url: 'https://example.com/page' });
  const subscribedUrl = async (id: number) =>
    (await app.call('GET', `/api/v1/link/${id}`, { key: owner.key })).json.zapier_webhook_url_new_click;
  const subscribe = (key: string | undefined, target_url: unknown) =>
    app.call('POST', '/api/v1/zapier/hooks', { key, body: { target_url } });

  test('a Zap subscribes with the key of its link, gets each click flat, and ends its subscription', async () => {
    const hook = target();
    const { id, zapier_key } = await createLink();
    const created = await subscribe(zapier_key, hook.url);
    expect([created.status, created.json]).toEqual([201, { id: expect.any(Number), target_url: hook.url }]);
    expect(await subscribedUrl(id)).toBe(hook.url);
    await foldClicks(app, id, 2);
    const received = await hook.calls(2);
    for (const { body } of received) {
      const click = JSON.parse(body);
      expect(click).toMatchObject({ event: 'click', link_id: id, country: 'DE', ip_address: '203.0.113.0' });
      expect(Object.values(click).every((value) => typeof value !== 'object')).toBe(true);
    }
    expect(new Set(received.map(({ body }) => JSON.parse(body).id)).size).toBe(2);
    const ended = await app.call('DELETE', `/api/v1/zapier/hooks/${created.json.id}`, { key: zapier_key });
    expect(ended.status).toBe(204);
    expect(await subscribedUrl(id)).toBeNull();
    const again = await app.call('DELETE', `/api/v1/zapier/hooks/${created.json.id}`, { key: zapier_key });
    expect([again.status, again.json.error_code]).toEqual([404, 'NOT_FOUND']);
  });

  test('the key is accepted as a bearer too, and the subscription can be ended without its id', async () => {
    const { id, zapier_key } = await createLink();
    const headers = { authorization: `Bearer ${zapier_key}` };
    const body = { target_url: 'https://hooks.zapier.com/hooks/standard/1/abc/', event: 'new_click' };
    expect((await app.call('POST', '/api/v1/zapier/hooks', { body, headers })).status).toBe(201);
    expect((await app.call('DELETE', '/api/v1/zapier/hooks', { headers })).status).toBe(204);
    expect(await subscribedUrl(id)).toBeNull();
    expect((await app.call('DELETE', '/api/v1/zapier/hooks', { headers })).status).toBe(404);
  });

  test('the newest subscription counts, and the id of an older one ends nothing', async () => {
    const [first, second] = [target(), target()];
    const { id, zapier_key } = await createLink();
    const old = (await subscribe(zapier_key, first.url)).json.id;
    const current = (await subscribe(zapier_key, second.url)).json.id;
    expect(current).not.toBe(old);
    const ended = await app.call('DELETE', `/api/v1/zapier/hooks/${old}`, { key: zapier_key });
    expect(ended.status).toBe(404);
    expect(await subscribedUrl(id)).toBe(second.url);
  });

  test('a hook that answers 410 ends its subscription', async () => {
    const hook = target(() => new Response(null, { status: 410 }));
    const { id, zapier_key } = await createLink();
    await subscribe(zapier_key, hook.url);
    await foldClicks(app, id);
    await eventually(async () => (await subscribedUrl(id)) === null, 'the end of the subscription');
    expect(hook.received).toHaveLength(1);
  });

  test('a wrong key gets status 401, and nothing is stored', async () => {
    const [mine, others] = [await createLink(), await createLink()];
    const mac = others.zapier_key.split('_').slice(2).join('_');
    const wrong = [
      'x',
      owner.key,
      `lnz_${mine.id}_${mac}`,
      mine.zapier_key.slice(0, -1),
      `${mine.zapier_key}A`,
      `lnz_0${mine.id}_${mine.zapier_key.split('_').slice(2).join('_')}`,
      `lnz_${mine.id}_${'A'.repeat(32)}`,
    ];
    for (const key of wrong) {
      for (const [method, path] of [
        ['POST', 'hooks'],
        ['DELETE', 'hooks'],
        ['DELETE', 'hooks/1'],
        ['GET', 'sample'],
      ] as const) {
        const body = method === 'POST' ? { body: { target_url: 'https://example.com/x' } } : {};
        const { status, json } = await app.call(method, `/api/v1/zapier/${path}`, { key, ...body });
        expect([key, status, json.error_code]).toEqual([key, 401, 'KEY_INVALID']);
      }
    }
    const without = await subscribe(undefined, 'https://example.com/x');
    expect([without.status, without.json.error_code]).toEqual([401, 'KEY_MISSING']);
    expect([await subscribedUrl(mine.id), await subscribedUrl(others.id)]).toEqual([null, null]);
  });

  test('the key of a deleted link is invalid', async () => {
    const { id, zapier_key } = await createLink();
    await app.call('DELETE', `/api/v1/link/${id}`, { key: owner.key });
    expect((await subscribe(zapier_key, 'https://example.com/x')).status).toBe(401);
  });

  test.each([
    ['ftp://example.com/', 'WEBHOOK_TARGET_REFUSED'],
    ['example.com', 'WEBHOOK_TARGET_REFUSED'],
    ['http://10.0.0.1/', 'WEBHOOK_TARGET_REFUSED'],
    ['http://printer.local/', 'WEBHOOK_TARGET_REFUSED'],
    [`https://example.com/${'a'.repeat(2048)}`, 'FIELD_TOO_LONG'],
    ['', 'WEBHOOK_TARGET_REFUSED'],
    [7, 'FIELD_INVALID'],
    [undefined, 'FIELD_MISSING'],
  ])('the target %p is refused', async (targetUrl, code) => {
    const { id, zapier_key } = await createLink();
    const { status, json } = await subscribe(zapier_key, targetUrl);
    expect([status, json.error_code, json.field_key]).toEqual([400, code, 'target_url']);
    expect(await subscribedUrl(id)).toBeNull();
  });

  test('the sample is an invented click, marked as such, in the format of real ones', async () => {
    const hook = target();
    const { id, zapier_key } = await createLink();
    const { status, json } = await app.call('GET', '/api/v1/zapier/sample', { key: zapier_key });
    expect(status).toBe(200);
    expect(json).toHaveLength(1);
    expect(json[0]).toMatchObject({ event: 'click', link_id: id, sample: true });
    await subscribe(zapier_key, hook.url);
    await foldClicks(app, id);
    const [received] = await hook.calls(1);
    const { sample, ...click } = json[0];
    expect(Object.keys(click).sort()).toEqual(Object.keys(JSON.parse(received?.body ?? '')).sort());
  });
});
