import { beforeAll, describe, expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { firefox } from './support/agents-of-people.ts';
import { onOneStore, storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { eventually } from './support/eventually.ts';
import { plainHit } from './support/plain-hit.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';
import { targetOfEachTest } from './support/webhook-target.ts';

const target = targetOfEachTest();

describe.each(storeKinds)('from a visit to its webhook on %s', (store) => {
  const { app, owner } = appWithOwner({
    store,
    env: { TRUSTED_PROXIES: '1', WEBHOOK_ALLOW: 'localhost,127.0.0.1' },
    // The default interval.
    overrides: { webhooks: { pollInterval: 500 } },
  });

  beforeAll(async () => {
    // The first visit starts the fold worker, whose low priority makes that slow on a busy machine.
    await visit((await createLink({})).path, 1);
    await app.app.clicks.settled();
  });

  const createLink = (fields: object) =>
    app.createLink(owner, { destination_url: 'https://example.com/page', ...fields });
  /** Each visit from an address of its own, as a second one from the same address would be a repeat. */
  const visit = (path: string, visitor: number, headers: Record<string, string> = {}) =>
    app.visit(path, { 'x-forwarded-for': `198.51.${visitor >> 8}.${visitor & 255}`, ...headers });

  test('a click arrives within two seconds of its response, signed, with a shortened address', async () => {
    const hook = target();
    const webhook_auth_key = `whsec_${Buffer.from('a key that both sides know').toString('base64')}`;
    const { id, path } = await createLink({ webhook_url: hook.url, webhook_auth_key });
    expect((await visit(`${path}?utm_source=mail`, 77)).status).toBe(302);
    const answered = Date.now();
    const [received] = await hook.calls(1);
    expect((received?.at ?? 0) - answered).toBeLessThan(scaledToLoad(2_000));
    const body = received?.body ?? '';
    expect(new Webhook(webhook_auth_key).verify(body, received?.headers ?? {})).toMatchObject({
      event: 'click',
      payload: {
        link_id: id,
        url: `${app.url}${path}`,
        destination: 'https://example.com/page',
        ip_address: '198.51.0.0',
        browser: 'Chrome',
        device: 'desktop',
        utm_source: 'mail',
        class: 'human',
      },
    });
    expect(body).not.toContain('198.51.0.77');
  });

  test('a click on a link that was lost in a restore is not sent to the webhook of the link that gets its id', async () => {
    const hook = target();
    const { id } = await createLink({ webhook_url: hook.url });
    const { organizationId } = await app.createAccount();
    const hit = { ...plainHit, linkId: id, at: app.clock.now };
    await app.app.clicks.append({ ...hit, organizationId, acceptLanguage: 'fr' });
    await app.app.clicks.append({ ...hit, organizationId: owner.organizationId, acceptLanguage: 'de' });
    await hook.calls(1);
    // Longer than it takes to send a message.
    await Bun.sleep(700);
    expect(hook.received.map(({ body }) => JSON.parse(body).payload.language)).toEqual(['de']);
  });

  onOneStore(store, () => {
    test('a click redirected by a rule is sent with the rule, its variant and the destination', async () => {
      const hook = target();
      const rules = [
        { id: 'mail', when: { query: { vip: [] } }, destination_url: 'https://example.com/mail' },
        { id: 'split', variants: [{ id: 'b', destination_url: 'https://example.com/b' }] },
      ];
      const { path } = await createLink({ webhook_url: hook.url, rules });
      await visit(`${path}?vip`, 91, { 'cf-ipcountry': 'NL' });
      await visit(path, 92);
      const payloads = (await hook.calls(2)).map(({ body }) => JSON.parse(body).payload);
      const named = payloads.map(({ rule, variant, destination, country }) => [
        rule,
        variant,
        destination,
        country,
      ]);
      expect(named.sort()).toEqual([
        ['mail', 'Unknown', 'https://example.com/mail', 'NL'],
        ['split', 'b', 'https://example.com/b', expect.any(String)],
      ]);
    });
  });

  onOneStore(store, () => {
    test.each([['DNT'], ['Sec-GPC']])(
      'neither address nor user agent of a visitor who asked by %s not to be tracked is sent',
      async (header) => {
        const hook = target();
        const { path } = await createLink({ webhook_url: hook.url });
        await visit(path, 55, { [header]: '1', 'user-agent': `${firefox} by-${header}` });
        const [received] = await hook.calls(1);
        expect(JSON.parse(received?.body ?? '').payload).toMatchObject({
          ip_address: 'Unknown',
          user_agent: 'Unknown',
          browser: 'Firefox',
        });
        expect(received?.body).not.toContain(`by-${header}`);
        expect(received?.body).not.toContain('198.51');
      },
    );
  });

  test('a hundred clicks are sent in a hundred requests, each with its own id; visits of bots are not sent', async () => {
    const hook = target();
    const { path } = await createLink({ webhook_url: hook.url });
    await visit(path, 1, { 'user-agent': 'Googlebot/2.1' });
    await Promise.all(Array.from({ length: 100 }, (_, visitor) => visit(path, 1_000 + visitor)));
    await hook.calls(100);
    // Long enough to show that no more come.
    await Bun.sleep(700);
    expect(hook.received).toHaveLength(100);
    expect(new Set(hook.received.map(({ headers }) => headers['webhook-id'])).size).toBe(100);
  });

  test('Zapier gets clicks while it is subscribed, and the latest ones as its sample', async () => {
    const hook = target();
    const { path, id, zapier_key } = await createLink({});
    const zapier = (method: string, where: string, body?: object) =>
      app.call(method, `/api/v1/zapier/${where}`, { key: zapier_key, ...(body ? { body } : {}) });
    await zapier('POST', 'hooks', { target_url: hook.url });
    await visit(path, 2_000);
    const [received] = await hook.calls(1);
    const click = JSON.parse(received?.body ?? '');
    expect(click).toMatchObject({ event: 'click', link_id: id, browser: 'Chrome' });
    await zapier('DELETE', 'hooks');
    await visit(path, 2_001);
    await eventually(async () => (await zapier('GET', 'sample')).json.length === 2, 'both clicks');
    const { json } = await zapier('GET', 'sample');
    for (const one of json) {
      expect(Object.keys(one).sort()).toEqual(Object.keys(click).sort());
      expect(one).toMatchObject({ event: 'click', link_id: id, browser: 'Chrome', ip_address: 'Unknown' });
    }
    // Long enough to show that no more come.
    await Bun.sleep(700);
    expect(hook.received).toHaveLength(1);
  });
});
