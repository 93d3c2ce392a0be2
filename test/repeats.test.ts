import { describe, expect, test } from 'bun:test';
import { startApp, storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';

interface Link {
  readonly id: number;
  readonly path: string;
}

describe.each(storeKinds)('a repeat on %s', (store) => {
  const { app, owner } = appWithOwner({ store, env: { TRUSTED_PROXIES: '1' } });

  const totalsOf = async ({ id }: Link) => {
    await app.app.clicks.settled();
    const { json } = await app.call('GET', `/api/v1/link/${id}/stats`, { key: owner.key });
    const { clicks, visitors, not_counted } = json.totals;
    return { clicks, visitors, repeats: not_counted.repeat };
  };
  const fromAddress = (last: number) => ({ 'x-forwarded-for': `198.51.100.${last}` });

  test('is never a QR scan: thirty phones that scan one poster at one address are thirty clicks', async () => {
    const poster = await app.createLink(owner);
    const phones = Array.from({ length: 30 }, () => app.visit(`${poster.path}?qr`, fromAddress(1)));
    await Promise.all(phones);
    // With one address and one kind of phone they can't be distinguished, so they are one visitor.
    expect(await totalsOf(poster)).toEqual({ clicks: 30, visitors: 1, repeats: 0 });
  });

  test("within the window doesn't count, and with three seconds between there are two clicks of one visitor", async () => {
    const link = await app.createLink(owner);
    await app.visit(link.path, fromAddress(2));
    app.clock.now += 1_999;
    await app.visit(link.path, fromAddress(2));
    expect(await totalsOf(link)).toEqual({ clicks: 1, visitors: 1, repeats: 1 });
    app.clock.now += 1_001;
    await app.visit(link.path, fromAddress(2));
    expect(await totalsOf(link)).toEqual({ clicks: 2, visitors: 1, repeats: 1 });
  });

  const same: Record<string, string> = {
    ...fromAddress(3),
    'user-agent':
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    'accept-language': 'de-CH,de;q=0.9',
    referer: 'https://news.example/one',
    'sec-ch-ua': '"Chromium";v="140"',
    'sec-ch-ua-mobile': '?0',
    'sec-ch-ua-platform': '"Linux"',
  };
  test.each([
    ['address', fromAddress(4)],
    ['user agent', { 'user-agent': same['user-agent']?.replaceAll('140', '141') ?? '' }],
    ['language', { 'accept-language': 'de-DE,de;q=0.9' }],
    ['referrer', { referer: 'https://news.example/two' }],
    ['Sec-CH-UA', { 'sec-ch-ua': '"Brave";v="140"' }],
    ['Sec-CH-UA-Mobile', { 'sec-ch-ua-mobile': '?1' }],
    ['Sec-CH-UA-Platform', { 'sec-ch-ua-platform': '"Chrome OS"' }],
  ])('is not a visit with a different %s', async (_, other) => {
    const link = await app.createLink(owner);
    await app.visit(link.path, same);
    await app.visit(link.path, { ...same, ...other });
    expect(await totalsOf(link)).toMatchObject({ clicks: 2, repeats: 0 });
    await app.visit(link.path, same);
    expect(await totalsOf(link)).toMatchObject({ clicks: 2, repeats: 1 });
  });

  test('is not a visit with a different query, or to a different link', async () => {
    const [link, another] = [await app.createLink(owner), await app.createLink(owner)];
    await app.visit(`${link.path}?a=1`, same);
    await app.visit(`${link.path}?a=2`, same);
    await app.visit(another.path, same);
    expect(await totalsOf(link)).toMatchObject({ clicks: 2, repeats: 0 });
    expect(await totalsOf(another)).toMatchObject({ clicks: 1, repeats: 0 });
  });

  test('is also detected for a visitor who asks not to be tracked', async () => {
    const link = await app.createLink(owner);
    for (let time = 0; time < 2; time++) await app.visit(link.path, { ...fromAddress(5), dnt: '1' });
    expect(await totalsOf(link)).toEqual({ clicks: 1, visitors: 0, repeats: 1 });
  });

  test('is detected only after a click: a prefetch and a HEAD request are not clicks', async () => {
    const link = await app.createLink(owner);
    await app.visit(link.path, { ...fromAddress(6), 'sec-purpose': 'prefetch' });
    await app.visit(link.path, fromAddress(6), { method: 'HEAD' });
    await app.visit(link.path, fromAddress(6));
    expect(await totalsOf(link)).toMatchObject({ clicks: 1, repeats: 0 });
  });

  test('is detected by claims that are kept for minutes and contain no address', async () => {
    const link = await app.createLink(owner);
    await app.visit(link.path, fromAddress(7));
    await app.app.clicks.settled();
    const { read } = app.app.context.database;
    const claims = await read.selectFrom('click_claims').selectAll().execute();
    expect(claims.length).toBeGreaterThan(0);
    for (const { cells } of claims) expect(Buffer.from(cells).toString('latin1')).not.toContain('198.51');
    app.clock.now += 180_000;
    const oldClaims = () =>
      read
        .selectFrom('click_claims')
        .select('turn')
        .where('folded_at', '<', app.clock.now - 120_000);
    // Each claim deletes some of the older ones.
    for (let rest = claims.length; rest > 0; rest -= 20) {
      await app.visit(link.path, fromAddress(7));
      await app.app.clicks.settled();
    }
    expect(await oldClaims().execute()).toEqual([]);
  });
});

test('no visit is a repeat if REPEAT_WINDOW is 0, and no claim is stored', async () => {
  const app = await startApp({ env: { REPEAT_WINDOW: '0' } });
  try {
    const { key } = await app.createAccount();
    const body = { destination_url: 'https://example.com/' };
    const { json } = await app.call('POST', '/api/v1/link', { key, body });
    for (let time = 0; time < 5; time++) await app.visit(`/${json.suffix}`);
    await app.app.clicks.settled();
    const { totals } = (await app.call('GET', `/api/v1/link/${json.id}/stats`, { key })).json;
    expect([totals.clicks, totals.visitors, totals.not_counted.repeat]).toEqual([5, 1, 0]);
    const { read } = app.app.context.database;
    expect(await read.selectFrom('click_claims').select('turn').execute()).toEqual([]);
  } finally {
    await app.stop();
  }
});
