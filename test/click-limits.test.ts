import { expect, test } from 'bun:test';
import { updateLink } from '../src/manage/links/update-link.ts';
import { takeClicks } from '../src/storage/links/click-limits.ts';
import { firefox } from './support/agents-of-people.ts';
import { appWithOwner } from './support/app-suite.ts';
import { importedElsewhere } from './support/imported-elsewhere.ts';
import { targetOfEachTest } from './support/webhook-target.ts';

const { app, owner, call } = appWithOwner({ env: { TRUSTED_PROXIES: '1', WEBHOOK_ALLOW: '127.0.0.1' } });
const target = targetOfEachTest();

const create = async (body: object) => {
  const made = await call('POST', '/link', { destination_url: 'https://example.com/there', ...body });
  expect([made.status, made.text]).toEqual([201, made.text]);
  return made.json;
};
const clicksLeftOf = async ({ id }: { id: number }) => (await call('GET', `/link/${id}`)).json.clicks_left;
let visitors = 0;
/** Visits as a new visitor each time, unless the headers set an address. */
const visit = async ({ suffix }: { suffix: string }, headers = {}, init = {}, query = '') => {
  const from = { 'x-forwarded-for': `198.51.${Math.floor(++visitors / 250)}.${visitors % 250}` };
  const response = await app.visit(`/${suffix}${query}`, { ...from, ...headers }, init);
  return response.headers.get('location') ?? response.status;
};
const destination = 'https://example.com/there';

test('as many clicks are redirected as the limit allows, even simultaneous ones, and the rest find the link ended', async () => {
  const link = await create({ click_limit: 20 });
  expect([link.click_limit, link.clicks_left]).toEqual([20, 20]);
  const responses = await Promise.all(Array.from({ length: 50 }, () => visit(link)));
  expect(responses.filter((response) => response === destination)).toHaveLength(20);
  expect(responses.filter((response) => response === 410)).toHaveLength(30);
  expect(await clicksLeftOf(link)).toBe(0);
  await app.app.clicks.settled();
  const hits = (await call('GET', `/link/${link.id}/clicks?class=all&limit=100`)).json.clicks;
  expect(hits.filter(({ outcome }: { outcome: string }) => outcome === 'expired')).toHaveLength(30);
  expect((await call('GET', `/link/${link.id}`)).json).toMatchObject({ clicks: 20, click_limit: 20 });
});

test('the store gives the remaining clicks and no more, all if there is no limit any more, and none for a deleted link', async () => {
  const { id } = await create({ click_limit: 7 });
  const take = (wanted: number) =>
    app.app.context.database.write((queries) => takeClicks(queries, id, wanted));
  expect(await take(3)).toEqual({ taken: 3, isLimitReached: false });
  expect(await take(3)).toEqual({ taken: 3, isLimitReached: false });
  expect(await take(2)).toEqual({ taken: 1, isLimitReached: true });
  for (const wanted of [1, 5]) expect(await take(wanted)).toEqual({ taken: 0, isLimitReached: false });
  await call('PATCH', `/link/${id}`, { click_limit: 9 });
  expect(await take(2)).toEqual({ taken: 2, isLimitReached: true });
  await call('PATCH', `/link/${id}`, { click_limit: 4 });
  expect(await take(1)).toEqual({ taken: 0, isLimitReached: false });
  await call('PATCH', `/link/${id}`, { click_limit: null });
  expect(await take(1)).toEqual({ taken: 1, isLimitReached: false });
  await call('DELETE', `/link/${id}`);
  expect(await take(1)).toEqual({ taken: 0, isLimitReached: false });
});

test('hits that are not clicks use up none, and go to the expired URL once the link has ended', async () => {
  const link = await create({ click_limit: 1, expired_url: 'https://example.com/over', og_title: 'A card' });
  const others: [object, object?][] = [
    [{ 'user-agent': 'curl/8.5.0' }],
    [{ 'user-agent': '' }],
    [{ 'user-agent': 'facebookexternalhit/1.1' }],
    [{ 'sec-purpose': 'prefetch' }],
    [
      {
        'x-moz': 'prefetch',
        'user-agent': firefox,
      },
    ],
    [{ 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
    [{}, { method: 'HEAD' }],
  ];
  // Through the fast path, and through the app server.
  for (const detour of [{}, { 'x-detour': '\xe9' }])
    for (const [headers, init] of others) {
      const response = await visit(link, { ...headers, ...detour }, init);
      expect(response).toBe(
        'user-agent' in headers && `${headers['user-agent']}`.startsWith('face') ? 200 : destination,
      );
    }
  expect(await clicksLeftOf(link)).toBe(1);
  expect(await visit(link)).toBe(destination);
  expect(await clicksLeftOf(link)).toBe(0);
  for (const [headers, init] of [[{}] as const, ...others])
    expect(await visit(link, headers, init)).toBe('https://example.com/over');
});

test('a repeat uses up none, a scan always does, and so does the same browser later', async () => {
  const link = await create({ click_limit: 10 });
  const sameVisitor = { 'x-forwarded-for': '203.0.113.1' };
  const simultaneous = await Promise.all([
    visit(link, sameVisitor),
    visit(link, sameVisitor),
    visit(link, sameVisitor),
  ]);
  expect([...simultaneous, await visit(link, sameVisitor)]).toEqual([
    destination,
    destination,
    destination,
    destination,
  ]);
  expect(await clicksLeftOf(link)).toBe(9);
  for (const other of [{ referer: 'https://example.com/a' }, { 'accept-language': 'de' }])
    await visit(link, { ...sameVisitor, ...other });
  await visit(link, sameVisitor, {}, '?a=1');
  expect(await clicksLeftOf(link)).toBe(6);
  for (let scan = 0; scan < 3; scan++) await visit(link, sameVisitor, {}, '?qr');
  expect(await clicksLeftOf(link)).toBe(3);
  app.clock.now += 1_999;
  await visit(link, sameVisitor);
  expect(await clicksLeftOf(link)).toBe(3);
  app.clock.now += 1;
  await visit(link, sameVisitor);
  expect(await clicksLeftOf(link)).toBe(2);
});

test('after the clock was set back the same browser uses up clicks, too', async () => {
  const link = await create({ click_limit: 3 });
  const sameVisitor = { 'x-forwarded-for': '203.0.113.2' };
  const visitAt = async (instant: number) => {
    app.clock.now = instant;
    return visit(link, sameVisitor);
  };
  const before = app.clock.now;
  const later = before + 60_000;
  try {
    for (const instant of [later, before, before + 1_000, before + 10_000])
      expect(await visitAt(instant)).toBe(destination);
    expect(await visitAt(before + 20_000)).toBe(410);
    await app.app.clicks.settled();
    expect((await call('GET', `/link/${link.id}`)).json).toMatchObject({ clicks: 3, clicks_left: 0 });
  } finally {
    app.clock.now = later;
  }
});

test('behind a password the redirect uses up a click, and only one for a form that is sent twice', async () => {
  const link = await create({ click_limit: 1, password: 'sesame' });
  const formOf = (password: string) => ({ method: 'POST', body: new URLSearchParams({ password }) });
  const form = formOf('sesame');
  expect(await visit(link)).toBe(200);
  expect(await visit(link, {}, formOf('wrong'))).toBe(401);
  expect(await clicksLeftOf(link)).toBe(1);
  const sameVisitor = { 'x-forwarded-for': '203.0.113.2' };
  expect(await Promise.all([visit(link, sameVisitor, form), visit(link, sameVisitor, form)])).toEqual([
    destination,
    destination,
  ]);
  expect([await clicksLeftOf(link), await visit(link), await visit(link, {}, form)]).toEqual([0, 410, 410]);
});

test('a limit counts existing clicks; if it is raised or cleared, the link redirects again at once', async () => {
  const link = await create({});
  for (let click = 0; click < 3; click++) await visit(link);
  await app.app.clicks.settled();
  const setLimit = async (click_limit: unknown) => {
    const { json } = await call('PATCH', `/link/${link.id}`, { click_limit });
    return [json.click_limit, json.clicks_left];
  };
  expect(await setLimit(5)).toEqual([5, 2]);
  expect([await visit(link), await visit(link), await visit(link)]).toEqual([destination, destination, 410]);
  expect(await setLimit(6)).toEqual([6, 1]);
  expect([await visit(link), await visit(link)]).toEqual([destination, 410]);
  expect(await setLimit(2)).toEqual([2, 0]);
  expect(await setLimit('')).toEqual([null, null]);
  expect([await visit(link), await visit(link)]).toEqual([destination, destination]);
  await app.app.clicks.settled();
  expect(await setLimit(8)).toEqual([8, 0]);
  expect(await visit(link)).toBe(410);
});

test('a first limit counts clicks that were answered just before', async () => {
  const link = await create({});
  for (let click = 0; click < 5; click++) expect(await visit(link)).toBe(destination);
  expect((await call('PATCH', `/link/${link.id}`, { click_limit: 6 })).json.clicks_left).toBe(1);
});

test('a limit is set even if the clicks before it can not be counted now', async () => {
  const { id } = await create({});
  const { userId, organizationId } = owner;
  const caller = { userId, organizationId, role: 'administrator', via: 'api_key' } as const;
  const clicksFolded = () => Promise.reject(new Error('the thread has ended'));
  const context = { ...app.app.context, clicksFolded };
  expect((await updateLink(context, caller, id, { click_limit: 6 })).link.click_limit).toBe(6);
});

test('an explanation says whether clicks are left', async () => {
  const link = await create({ click_limit: 1, expired_url: 'https://example.com/over' });
  const explanation = async () => {
    const { json } = await call('POST', `/link/${link.id}/explain`, {});
    return [
      json.outcome,
      json.to,
      json.steps.find(({ check }: { check?: string }) => check === 'clicks_left'),
    ];
  };
  expect(await explanation()).toEqual(['redirect', destination, { check: 'clicks_left', passed: true }]);
  await visit(link);
  expect(await explanation()).toEqual([
    'expired',
    'https://example.com/over',
    { check: 'clicks_left', passed: false },
  ]);
});

test('the end of a link is sent to its webhook once: by the last click, and by a lowered limit', async () => {
  const hook = target();
  const events = ['link.expired'];
  const link = await create({ click_limit: 3, webhook_url: hook.url, webhook_events: events });
  await Promise.all(Array.from({ length: 9 }, () => visit(link)));
  await hook.calls(1);
  await call('PATCH', `/link/${link.id}`, { click_limit: 9 });
  await call('PATCH', `/link/${link.id}`, { click_limit: 2 });
  await hook.calls(2);
  await call('PATCH', `/link/${link.id}`, { click_limit: 1 });
  const { json } = await call('GET', `/link/${link.id}/webhook_deliveries`);
  expect(json.webhook_deliveries).toHaveLength(2);
});

test('an invalid limit is refused, and one on a link in print needs confirmation if it ends earlier', async () => {
  for (const click_limit of [0, -1, 1.5, '5', 1_000_000_001, true, [5]]) {
    const { status, json } = await call('POST', '/link', { destination_url: destination, click_limit });
    expect([status, json.error_code, json.field_key]).toEqual([400, 'FIELD_INVALID', 'click_limit']);
  }
  const named = await call('POST', '/link', { destination_url: destination, maxVisits: 5 });
  expect(named.json.error_string).toContain('"click_limit"');
  const { id } = await create({ on_paper: true });
  const change = async (click_limit: number | null, query = '') =>
    (await call('PATCH', `/link/${id}${query}`, { click_limit })).status;
  expect(await change(5)).toBe(409);
  expect(await change(5, '?confirm=true')).toBe(200);
  expect([await change(6), await change(6), await change(4), await change(null)]).toEqual([
    200, 200, 409, 200,
  ]);
});

test('used clicks survive the history, the bin and restoration; a copy through a file starts over', async () => {
  const link = await create({ suffix: 'limited', click_limit: 5 });
  await visit(link);
  await call('PATCH', `/link/${link.id}`, { click_limit: 7 });
  const { history } = (await call('GET', `/link/${link.id}/history`)).json;
  expect(history[0].changes).toMatchObject([{ field: 'click_limit', from: 5, to: 7 }]);
  await call('POST', `/link/${link.id}/history/restore`, { entry: 0 });
  await call('DELETE', `/link/${link.id}`);
  expect(await visit(link)).toBe(404);
  await call('POST', '/link/restore', { ids: [link.id] });
  expect((await call('GET', `/link/${link.id}`)).json).toMatchObject({ click_limit: 5, clicks_left: 4 });
  const read = (await call('GET', `/link/${link.id}`)).json;
  expect((await call('PATCH', `/link/${link.id}`, read)).json.clicks_left).toBe(4);
  const csv = (await call('GET', `/link.csv?ids=${link.id}`)).text.replaceAll('limited', 'unspent');
  expect(await importedElsewhere(app, csv)).toMatchObject({ click_limit: 5, clicks_left: 5 });
  const { json } = await call('POST', '/link/bulk', {
    links: [
      { destination_url: destination, click_limit: 2 },
      { destination_url: destination, click_limit: 'x' },
    ],
  });
  expect(json.results[0].link.clicks_left).toBe(2);
  expect(json.results[1].error.field_key).toBe('click_limit');
});

test("if_exists doesn't return a link without clicks left", async () => {
  const body = { destination_url: 'https://example.com/found', click_limit: 1 };
  const link = await create(body);
  const found = async () => (await call('POST', '/link?if_exists=return', body)).json.id;
  expect(await found()).toBe(link.id);
  await visit({ suffix: link.suffix });
  expect(await found()).not.toBe(link.id);
});
