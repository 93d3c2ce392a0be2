import { describe, expect, test } from 'bun:test';
import { startApp, storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { decoded } from './support/decoded.ts';
import { visitRaw } from './support/raw-http.ts';

const destination = 'https://destination.example/secret/path?q=1#part';
const crawler = { 'user-agent': 'facebookexternalhit/1.1' };
const bot = { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' };
const phone = {
  android:
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  ios: 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
  ipad: 'Mozilla/5.0 (iPad; CPU OS 12_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1 Mobile/15E148 Safari/604.1',
};

describe.each(storeKinds)('a short link on %s', (store) => {
  const { app, owner } = appWithOwner({ store });

  /** A new link's id and path. */
  async function createLink(fields: object = {}): Promise<{ id: number; path: string }> {
    const body = { destination_url: destination, ...fields };
    const created = await app.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body });
    expect([created.status, created.text]).toEqual([201, created.text]);
    return { id: created.json.id, path: new URL(created.json.url).pathname };
  }

  const change = (id: number, body: object) =>
    app.call('PATCH', `/api/v1/link/${id}`, { key: owner.key, body });

  test('redirects to its destination, with an uncacheable response', async () => {
    const { path } = await createLink();
    for (const visit of ['first', 'from the cache']) {
      const response = await app.visit(path);
      expect([visit, response.status, response.headers.get('location')]).toEqual([visit, 302, destination]);
      expect(response.headers.get('cache-control')).toBe('private, no-store');
      expect(response.headers.get('set-cookie')).toBeNull();
      expect(response.text).toBe('');
    }
  });

  test('redirects to the URL as it was sent, with braces escaped', async () => {
    const sent = {
      destination_url: 'https://Example.com?id={click_id}',
      android_link_destination: 'https://example.com/{store}/a|b',
    };
    const { id, path } = await createLink(sent);
    const { json } = await app.call('GET', `/api/v1/link/${id}`, { key: owner.key });
    expect([json.destination_url, json.android_link_destination]).toEqual([
      'https://Example.com?id={click_id}',
      'https://example.com/{store}/a%7Cb',
    ]);
    for (const visit of ['first', 'from the cache']) {
      const desktop = (await app.visit(path)).headers.get('location');
      const android = (await app.visit(path, { 'user-agent': phone.android })).headers.get('location');
      expect([visit, desktop]).toEqual([visit, 'https://Example.com?id=%7Bclick_id%7D']);
      expect([visit, android]).toEqual([visit, 'https://example.com/%7Bstore%7D/a%7Cb']);
    }
  });

  test('is found by its suffix in any encoding and with a trailing slash, but not in another case', async () => {
    const suffix = `Café/🎉-${store}`;
    await createLink({ suffix });
    const encoded = `/Caf%C3%A9/%F0%9F%8E%89-${store}`;
    const variants = [
      encoded,
      `${encoded}/`,
      encoded.toLowerCase().replace('/c', '/C'),
      `/Cafe%CC%81/🎉-${store}`,
    ];
    for (const path of [...variants, `${encoded}?utm_source=x`, encoded.replace('C', '%43')])
      expect([path, (await app.visit(path)).headers.get('location')]).toEqual([path, destination]);
    for (const path of [encoded.replace('C', 'c'), `${encoded}//`, `${encoded}x`])
      expect([path, (await app.visit(path)).status]).toEqual([path, 404]);
  });

  test('that does not exist is a 404 page, even if the miss is cached', async () => {
    for (const path of ['/nothing-here', '/nothing-here', '/a/b/c', '/%00', '/%zz', '/%2e%2e%2fetc', '/<b>'])
      expect([path, (await app.visit(path)).status]).toEqual([path, 404]);
    const page = await app.visit('/nothing-here');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('cache-control')).toBe('private, no-store');
  });

  test('that is created after a miss is found at once', async () => {
    const suffix = `wanted-${store}`;
    expect((await app.visit(`/${suffix}`)).status).toBe(404);
    await createLink({ suffix });
    expect((await app.visit(`/${suffix}`)).status).toBe(302);
  });

  test('is gone from the exact time of its expiry, cached or not', async () => {
    const expiry = app.clock.now + 60_000;
    const { path } = await createLink({ expiration_date: new Date(expiry).toISOString() });
    app.clock.now = expiry - 1;
    expect((await app.visit(path)).status).toBe(302);
    app.clock.now = expiry;
    for (const headers of [{}, crawler, bot]) {
      const gone = await app.visit(path, headers);
      expect(gone.status).toBe(410);
      expect(contains(gone, 'destination.example')).toBe(false);
    }
    const { path: past } = await createLink({ expiration_date: '2020-01-01' });
    expect((await app.visit(past)).status).toBe(410);
  });

  test('that is changed or deleted through the API is so from the next visit on', async () => {
    const { id, path } = await createLink();
    for (let time = 0; time < 20; time++) {
      expect((await app.visit(path)).status).toBe(302);
      const next = `https://destination.example/${time}`;
      await change(id, { destination_url: next });
      expect((await app.visit(path)).headers.get('location')).toBe(next);
    }
    await change(id, { expiration_date: '2020-01-01' });
    expect((await app.visit(path)).status).toBe(410);
    await change(id, { expiration_date: null, bot_protection: true });
    expect((await app.visit(path, bot)).status).toBe(403);
    await app.call('DELETE', `/api/v1/link/${id}`, { key: owner.key });
    expect((await app.visit(path)).status).toBe(404);
  });

  test('with bot protection shows bots and crawlers nothing of its destination, and redirects visitors', async () => {
    const hidden = { android_link_destination: 'https://hidden-android.example', name: 'hidden-name' };
    const { path } = await createLink({ bot_protection: true, og_title: 'Shown', ...hidden });
    expect((await app.visit(path)).headers.get('location')).toBe(destination);
    for (const [kind, headers, status] of [
      ['bot', bot, 403],
      ['script', { 'user-agent': 'curl/8.7.1' }, 403],
      ['crawler', crawler, 200],
    ] as const) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        const response = await app.visit(path, headers, { method });
        expect([kind, method, response.status]).toEqual([kind, method, method === 'POST' ? 405 : status]);
        expect(contains(response, 'destination.example') || contains(response, 'hidden')).toBe(false);
      }
    }
    const withoutUserAgent = await visitRaw(app.url, { path, headers: { 'user-agent': '' } });
    expect(withoutUserAgent.status).toBe(403);
    expect(JSON.stringify(withoutUserAgent)).not.toContain('destination.example');
  });

  test('shows crawlers its card if it has one, and redirects them if it has none', async () => {
    const { path: withoutCard } = await createLink();
    expect((await app.visit(withoutCard, crawler)).headers.get('location')).toBe(destination);
    const { path } = await createLink({
      og_title: 'A "fine" <title>',
      og_description: 'What it is about',
      og_image: 'https://images.example/i.png',
      password: 'hidden password',
    });
    const card = await app.visit(path, crawler);
    expect(card.status).toBe(200);
    expect(await metaOf(card.text)).toEqual({
      'og:type': 'website',
      'og:url': app.url + path,
      'og:title': 'A "fine" <title>',
      'og:description': 'What it is about',
      'og:image': 'https://images.example/i.png',
      'twitter:card': 'summary_large_image',
    });
    expect(contains(card, 'destination.example')).toBe(false);
    const { path: withBotProtection } = await createLink({ bot_protection: true });
    const plain = await app.visit(withBotProtection, crawler);
    expect([plain.status, contains(plain, 'destination.example')]).toEqual([200, false]);
  });

  test('redirects phones to their own destination, by client hint before user agent', async () => {
    const android_link_destination = 'https://play.example/app';
    const ios_link_destination = 'https://apps.example/app';
    const { path } = await createLink({ android_link_destination, ios_link_destination });
    const { path: iosOnly } = await createLink({ ios_link_destination });
    const locationOf = async (where: string, headers: Record<string, string>) =>
      (await app.visit(where, headers)).headers.get('location');
    expect(await locationOf(path, { 'user-agent': phone.android })).toBe(android_link_destination);
    expect(await locationOf(path, { 'user-agent': phone.ios })).toBe(ios_link_destination);
    expect(await locationOf(path, { 'user-agent': phone.ipad })).toBe(ios_link_destination);
    expect(await locationOf(path, { 'sec-ch-ua-platform': '"Android"' })).toBe(android_link_destination);
    expect(await locationOf(path, { 'user-agent': phone.android, 'sec-ch-ua-platform': '"Windows"' })).toBe(
      destination,
    );
    expect(await locationOf(path, {})).toBe(destination);
    expect(await locationOf(iosOnly, { 'user-agent': phone.android })).toBe(destination);
  });

  test('answers HEAD like GET, without the body', async () => {
    const paths = [(await createLink()).path, '/nothing-here', '/'];
    for (const fields of [
      { expiration_date: '2020-01-01' },
      { password: 'x' },
      { captcha: true },
      { bot_protection: true },
    ])
      paths.push((await createLink(fields)).path);
    for (const path of paths) {
      const get = await visitRaw(app.url, { path });
      const head = await visitRaw(app.url, { method: 'HEAD', path });
      expect([path, head.status, { ...head.headers, date: '', 'x-request-id': '' }]).toEqual([
        path,
        get.status,
        { ...get.headers, date: '', 'x-request-id': '' },
      ]);
      expect(head.body).toBe('');
    }
  });

  test('accepts no other method', async () => {
    const { path } = await createLink();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await app.visit(path, {}, { method });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
      expect(contains(response, 'destination.example')).toBe(false);
    }
  });
});

test('a client that requests many unknown links waits for the next minute, whatever forwarded address it claims', async () => {
  const app = await startApp({ env: { MISS_LIMIT: '3' } });
  const owner = await app.createAccount();
  const body = { destination_url: destination, suffix: 'real' };
  await app.call('POST', '/api/v1/link', { key: owner.key, body });
  app.clock.now = Math.ceil(app.clock.now / 60_000) * 60_000 + 20_000;
  const miss = (path: string) => app.visit(path, { 'x-forwarded-for': `198.51.100.${path.length}` });
  for (const path of ['/a', '/bb', '/%zz']) expect((await miss(path)).status).toBe(404);
  const refused = await miss('/dddd');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '40']);
  expect((await app.visit('/real')).status).toBe(302);
  app.clock.now += 40_000;
  expect((await miss('/dddd')).status).toBe(404);
  await app.stop();
});

function contains(response: { status: number; headers: Headers; text: string }, text: string): boolean {
  return JSON.stringify([response.status, [...response.headers], response.text]).includes(text);
}

async function metaOf(html: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const rewriter = new HTMLRewriter().on('meta', {
    element(element) {
      const name = element.getAttribute('property') ?? element.getAttribute('name') ?? '';
      const content = element.getAttribute('content') ?? '';
      if (/^(og|twitter):/.test(name)) found[name] = decoded(content);
    },
  });
  await rewriter.transform(new Response(html)).text();
  return found;
}
