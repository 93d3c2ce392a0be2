import { describe, expect, test } from 'bun:test';
import { startApp, storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';

const appServerHeaders = { 'x-detour': '\xe9' };

describe.each(storeKinds)('forwarding to a destination on %s', (store) => {
  const { app, call } = appWithOwner({ store });
  const create = async (body: object) => {
    const created = await call('POST', '/link', {
      destination_url: 'https://example.com/to?a=1#end',
      ...body,
    });
    expect([created.status, created.text]).toEqual([201, created.text]);
    return created.json;
  };
  /** The fast path and the app server must give the same answer. */
  const visit = async (path: string, init: RequestInit = {}) => {
    const responses = [
      await app.visit(`/${path}`, {}, init),
      await app.visit(`/${path}`, appServerHeaders, init),
    ];
    const [fast, slow] = responses.map(({ status, headers }) => [status, headers.get('location')]);
    expect(slow).toEqual(fast as (string | number | null)[]);
    return fast;
  };

  test('forwards nothing unless a link is set to; then the query, on each device and behind a password', async () => {
    const plain = await create({});
    expect(plain).toMatchObject({ forward_query: null, forward_path: false, redirect_status: 302 });
    expect(await visit(`${plain.suffix}?b=2`)).toEqual([302, 'https://example.com/to?a=1#end']);
    const merge = await create({
      forward_query: 'merge',
      android_link_destination: 'https://android.example',
    });
    expect(await visit(`${merge.suffix}?a=2&b=3&qr&b=4`)).toEqual([
      302,
      'https://example.com/to?a=1&b=3&b=4#end',
    ]);
    const android = { 'user-agent': 'Mozilla/5.0 (Linux; Android 14) Chrome/140.0.0.0 Mobile Safari/537.36' };
    const forwarded = await app.visit(`/${merge.suffix}?b=2`, android);
    expect(forwarded.headers.get('location')).toBe('https://android.example?b=2');
    await call('PATCH', `/link/${merge.id}`, { forward_query: 'override', password: 'sesame' });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const opened = await app.visit(`/${merge.suffix}?a=2`, form, { method: 'POST', body: 'password=sesame' });
    expect([opened.status, opened.headers.get('location')]).toEqual([302, 'https://example.com/to?a=2#end']);
    await call('PATCH', `/link/${merge.id}`, { forward_query: null, password: null });
    expect(await visit(`${merge.suffix}?a=2`)).toEqual([302, 'https://example.com/to?a=1#end']);
  });

  test('forwards the path after the longest suffix that is set to, and a link with that path takes precedence', async () => {
    const base = `docs-${store}`;
    const docs = { forward_path: true, destination_url: 'https://docs.example/v2' };
    await create({ suffix: base, ...docs });
    expect(await visit(base)).toEqual([302, 'https://docs.example/v2']);
    expect(await visit(`${base}/`)).toEqual([302, 'https://docs.example/v2']);
    expect(await visit(`${base}/a/b%20c/?x=1`)).toEqual([302, 'https://docs.example/v2/a/b%20c/']);
    expect(await visit(`${base}/a/../../x`)).toEqual([404, null]);
    const inner = await create({ suffix: `${base}/a`, destination_url: 'https://inner.example' });
    expect(await visit(`${base}/a`)).toEqual([302, 'https://inner.example']);
    expect(await visit(`${base}/a/b`)).toEqual([302, 'https://docs.example/v2/a/b']);
    await call('PATCH', `/link/${inner.id}`, { forward_path: true, forward_query: 'merge' });
    expect(await visit(`${base}/a/b?c=d`)).toEqual([302, 'https://inner.example/b?c=d']);
    const deep = Array.from({ length: 40 }, (_, index) => index).join('/');
    expect(await visit(`${base}/${deep}`)).toEqual([302, `https://docs.example/v2/${deep}`]);
    await call('PATCH', `/link/${inner.id}`, { disabled: true });
    expect((await visit(`${base}/a/b`))?.[0]).toBe(410);
    await call('DELETE', `/link/${inner.id}`);
    expect(await visit(`${base}/a/b`)).toEqual([302, 'https://docs.example/v2/a/b']);
  });

  test('shows crawlers a card with the visited address, also if no suffix could be like it', async () => {
    const { suffix } = await create({ forward_path: true, og_title: 'A card' });
    const crawler = { 'user-agent': 'facebookexternalhit/1.1' };
    for (const path of [`/${suffix}`, `/${suffix}/more`, `/${suffix}/two%20words`, `/${suffix}/100%25/a+b`])
      expect((await app.visit(path, crawler)).text).toContain(`"og:url" content="${app.url}${path}"`);
  });

  test('shows crawlers a card with the parameters that are forwarded, which they would drop from shared links otherwise', async () => {
    const crawler = { 'user-agent': 'facebookexternalhit/1.1' };
    const addressIn = async (path: string) => {
      const { text } = await app.visit(path, crawler);
      return /"og:url" content="([^"]*)"/.exec(text)?.[1];
    };
    const card = await create({ og_title: 'A card', forward_query: 'merge' });
    const path = `/${card.suffix}`;
    expect(await addressIn(path)).toBe(app.url + path);
    expect(await addressIn(`${path}?ref=alice`)).toBe(`${app.url}${path}?ref=alice`);
    expect(await addressIn(`${path}?qr&a="&b=ü`)).toBe(`${app.url}${path}?a=%22&#38;b=%C3%BC`);
    await call('PATCH', `/link/${card.id}`, { forward_query: 'none' });
    expect(await addressIn(`${path}?ref=alice`)).toBe(app.url + path);
  });

  test('applies at once to the first link that is set to forward its path, and ends with the last', async () => {
    const base = `first-${store}`;
    expect(await visit(`${base}/a`)).toEqual([404, null]);
    const { id } = await create({ suffix: base, destination_url: 'https://first.example' });
    expect(await visit(`${base}/a`)).toEqual([404, null]);
    await call('PATCH', `/link/${id}`, { forward_path: true });
    expect(await visit(`${base}/a`)).toEqual([302, 'https://first.example/a']);
    await call('PATCH', `/link/${id}`, { forward_path: false });
    expect(await visit(`${base}/a`)).toEqual([404, null]);
  });

  test('applies at once to the very first link that is created with it', async () => {
    const newApp = await startApp({ store });
    const { key } = await newApp.createAccount();
    expect((await newApp.visit('/some/path')).status).toBe(404);
    const body = { destination_url: 'https://first.example', forward_path: true };
    const { json } = await newApp.call('POST', '/api/v1/link', { key, body });
    expect((await newApp.visit(`/${json.suffix}/a`)).headers.get('location')).toBe('https://first.example/a');
    expect(newApp.faults).toEqual([]);
    await newApp.stop();
  });

  test("uses the link's status, but never sends a form with its password", async () => {
    for (const redirect_status of [301, 307, 308, 302]) {
      const { suffix } = await create({ redirect_status });
      expect(await visit(suffix)).toEqual([redirect_status, 'https://example.com/to?a=1#end']);
      expect((await visit(suffix, { method: 'HEAD' }))?.[0]).toBe(redirect_status);
      expect((await app.visit(`/${suffix}`)).headers.get('cache-control')).toBe('private, no-store');
    }
    const { suffix } = await create({ redirect_status: 308, password: 'sesame' });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const opened = await app.visit(`/${suffix}`, form, { method: 'POST', body: 'password=sesame' });
    expect(opened.status).toBe(302);
  });

  test('is validated, and kept by the history and an export', async () => {
    for (const [field, value] of [
      ['forward_query', 'yes'],
      ['forward_path', 'yes'],
      ['redirect_status', 303],
      ['redirect_status', '301'],
    ] as const) {
      const { status, json } = await call('POST', '/link', {
        destination_url: 'https://e.com',
        [field]: value,
      });
      expect([status, json.error_code, json.field_key]).toEqual([400, 'FIELD_INVALID', field]);
    }
    const settings = { forward_query: 'merge', forward_path: true, redirect_status: 307 };
    const { id } = await create(settings);
    await call('PATCH', `/link/${id}`, { forward_query: '', forward_path: null, redirect_status: '' });
    const { history } = (await call('GET', `/link/${id}/history`)).json;
    expect(history[0].changes).toEqual([
      { field: 'forward_query', from: 'merge', to: null, hidden: false },
      { field: 'forward_path', from: true, to: false, hidden: false },
      { field: 'redirect_status', from: 307, to: 302, hidden: false },
    ]);
    await call('POST', `/link/${id}/history/restore`, { entry: 0 });
    expect((await call('GET', `/link/${id}`)).json).toMatchObject(settings);
    const [names = '', line = ''] = (await call('GET', `/link.csv?ids=${id}`)).text.split('\r\n');
    const column = names.split(',').indexOf('forward_query');
    expect(line.split(',').slice(column, column + 3)).toEqual(['merge', 'true', '307']);
  });
});

test('FORWARD_QUERY applies to links without their own setting', async () => {
  const app = await startApp({ env: { FORWARD_QUERY: 'merge' } });
  const { key } = await app.createAccount();
  const locationFor = async (fields: object) => {
    const body = { destination_url: 'https://example.com/?a=1', ...fields };
    const { suffix } = (await app.call('POST', '/api/v1/link', { key, body })).json;
    return (await app.visit(`/${suffix}?a=2&b=3`)).headers.get('location');
  };
  expect(await locationFor({})).toBe('https://example.com/?a=1&b=3');
  expect(await locationFor({ captcha: false, expiration_date: '2099-01-01' })).toBe(
    'https://example.com/?a=1&b=3',
  );
  expect(await locationFor({ forward_query: 'none' })).toBe('https://example.com/?a=1');
  expect(await locationFor({ forward_query: 'override' })).toBe('https://example.com/?a=2&b=3');
  await app.stop();
});

test('a network with too many misses gets no lookups beneath suffixes, and full paths of links still work', async () => {
  const app = await startApp({ env: { MISS_LIMIT: '3' } });
  const { key } = await app.createAccount();
  const body = { destination_url: 'https://example.com', suffix: 'guide', forward_path: true };
  await app.call('POST', '/api/v1/link', { key, body });
  const statuses: number[] = [];
  for (const path of ['guide/a', 'x/1', 'x/2', 'x/3', 'guide/a', 'x/4', 'guide/a', 'guide'])
    statuses.push((await app.visit(`/${path}`)).status);
  expect(statuses).toEqual([302, 404, 404, 404, 302, 429, 429, 302]);
  app.clock.now += 60_000;
  expect((await app.visit('/guide/a')).status).toBe(302);
  await app.stop();
});
