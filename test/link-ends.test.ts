import { describe, expect, test } from 'bun:test';
import { dayLength, hourLength } from '../src/rules/durations.ts';
import { storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { importedElsewhere } from './support/imported-elsewhere.ts';
import { targetOfEachTest } from './support/webhook-target.ts';

const target = targetOfEachTest();
const iso = (instant: number) => new Date(instant).toISOString();

describe.each(storeKinds)('start and end of links on %s', (store) => {
  const { app, call } = appWithOwner({
    store,
    env: { WEBHOOK_ALLOW: '127.0.0.1' },
    overrides: { expiryInterval: 50 },
  });
  const create = async (body: object) => {
    const created = await call('POST', '/link', { destination_url: 'https://example.com/there', ...body });
    expect([created.status, created.text]).toEqual([201, created.text]);
    return created.json;
  };
  const visit = async (suffix: string, headers = {}, init = {}) => {
    const response = await app.visit(`/${suffix}`, headers, init);
    return { ...response, location: response.headers.get('location') };
  };
  const outcomesOf = async (id: number) => {
    await app.app.clicks.settled();
    const { json } = await call('GET', `/link/${id}/clicks?class=all`);
    return json.clicks.map((hit: { outcome: string }) => hit.outcome);
  };

  test('before its start a link shows when it starts, also to bots and with gates, and it redirects from that instant on', async () => {
    const start = Math.ceil((app.clock.now + 10 * dayLength) / dayLength) * dayLength + 8.5 * hourLength;
    for (const extra of [{}, { password: 'sesame' }, { bot_protection: true, og_title: 'A card' }]) {
      const { suffix, start_date } = await create({ start_date: iso(start), ...extra });
      expect(start_date).toBe(iso(start));
      for (const headers of [{}, { 'user-agent': 'curl/8.5.0' }, { accept: 'application/json' }]) {
        const beforeStart = await visit(suffix, headers);
        expect([beforeStart.status, beforeStart.headers.get('cache-control')]).toEqual([
          404,
          'private, no-store',
        ]);
        expect(Number(beforeStart.headers.get('retry-after'))).toBe(
          Math.ceil((start - app.clock.now) / 1_000),
        );
        expect(beforeStart.text).toMatch(/starts on \d+ \w+ 20\d\d, 08:30 UTC/);
      }
      const form = await visit(suffix, {}, { method: 'POST', body: 'password=sesame' });
      expect([form.status, form.location]).toEqual(['password' in extra ? 404 : 405, null]);
    }
    const { suffix } = await create({ start_date: iso(start) });
    const before = app.clock.now;
    app.clock.now = start - 1;
    expect((await visit(suffix)).headers.get('retry-after')).toBe('1');
    app.clock.now = start;
    expect((await visit(suffix)).location).toBe('https://example.com/there');
    app.clock.now = before;
  });

  test('URLs for the time before and after are used without a gate, and count no clicks', async () => {
    const now = app.clock.now;
    const link = await create({
      start_date: iso(now + 1_000),
      before_start_url: 'https://example.com/soon',
      expiration_date: iso(now + 2_000),
      expired_url: 'example.com/over?{x}',
      password: 'sesame',
    });
    expect(link.expired_url).toBe('https://example.com/over?{x}');
    expect(await visit(link.suffix)).toMatchObject({ status: 302, location: 'https://example.com/soon' });
    app.clock.now = now + 1_000;
    expect((await visit(link.suffix)).status).toBe(200);
    app.clock.now = now + 2_000;
    const expired = { status: 302, location: 'https://example.com/over?%7Bx%7D' };
    expect(await visit(link.suffix)).toMatchObject(expired);
    // Through the app server instead of the fast path.
    expect(await visit(link.suffix, { 'x-detour': '\xe9' })).toMatchObject(expired);
    await call('PATCH', `/link/${link.id}`, { disabled: true });
    expect((await visit(link.suffix)).status).toBe(410);
    expect(await outcomesOf(link.id)).toEqual([
      'expired',
      'expired',
      'expired',
      'ask_password',
      'not_started',
    ]);
    expect((await call('GET', `/link/${link.id}`)).json.clicks).toBe(0);
    app.clock.now = now;
  });

  test('are refused if they point to this service, are invalid, or leave no time between', async () => {
    const refusal = async (body: object) => {
      const { status, json } = await call('POST', '/link', {
        destination_url: 'https://example.com',
        ...body,
      });
      return [status, json.error_code, json.field_key];
    };
    for (const field of ['before_start_url', 'expired_url']) {
      expect(await refusal({ [field]: 'javascript:alert(1)' })).toEqual([400, 'DESTINATION_INVALID', field]);
      expect(await refusal({ [field]: `${app.url}/x` })).toEqual([400, 'DESTINATION_IS_OURS', field]);
    }
    expect(await refusal({ start_date: 'soon' })).toEqual([400, 'FIELD_INVALID', 'start_date']);
    const reversed = { start_date: '2031-02-01', expiration_date: '2031-02-01' };
    expect(await refusal(reversed)).toEqual([400, 'RANGE_REVERSED', 'start_date']);
    const { id } = await create({ start_date: '2031-01-01' });
    const ended = await call('PATCH', `/link/${id}`, { expiration_date: '2030-12-31' });
    expect([ended.json.error_code, ended.json.field_key]).toEqual(['RANGE_REVERSED', 'expiration_date']);
    const bulk = await call('POST', '/link/bulk', {
      links: [{ destination_url: 'https://example.com', ...reversed }],
    });
    expect(bulk.json.results[0].error).toMatchObject({ field_key: 'start_date' });
    const linkOnPaper = await create({ on_paper: true });
    const edited = await call('PATCH', `/link/${linkOnPaper.id}`, { start_date: '2031-01-01' });
    expect([edited.status, edited.json.error_code]).toEqual([409, 'LINK_ON_PAPER']);
  });

  test('are kept by the history, the bin, an export and an import', async () => {
    const settings = {
      start_date: '2031-01-01T08:00:00.000Z',
      before_start_url: 'https://example.com/soon',
      expiration_date: '2031-02-01T00:00:00.000Z',
      expired_url: 'https://example.com/over',
    };
    const cleared = { start_date: null, before_start_url: null, expiration_date: null, expired_url: null };
    const link = await create({ suffix: `kept-${store}`, ...settings });
    const { json } = await call('PATCH', `/link/${link.id}`, cleared);
    expect(json).toMatchObject(cleared);
    const { history } = (await call('GET', `/link/${link.id}/history`)).json;
    expect(history[0].changes.map(({ field }: { field: string }) => field)).toEqual(Object.keys(settings));
    await call('POST', `/link/${link.id}/history/restore`, { entry: 0 });
    await call('DELETE', `/link/${link.id}`);
    await call('POST', '/link/restore', { ids: [link.id] });
    expect((await call('GET', `/link/${link.id}`)).json).toMatchObject(settings);
    const csv = (await call('GET', `/link.csv?ids=${link.id}`)).text.replaceAll(
      `kept-${store}`,
      `again-${store}`,
    );
    expect(await importedElsewhere(app, csv)).toMatchObject(settings);
  });

  test('a link notifies its webhook of its end, by a change to a past date too, but not if it had ended before', async () => {
    const hook = target();
    const at = (offset: number) => ({ expiration_date: iso(app.clock.now + offset) });
    const makeLink = async (offset: number): Promise<number> =>
      (await create({ webhook_url: hook.url, webhook_events: ['link.expired'], ...at(offset) })).id;
    const [ended, live, binned] = [
      await makeLink(-hourLength),
      await makeLink(dayLength),
      await makeLink(hourLength),
    ];
    await call('PATCH', `/link/${live}`, at(-hourLength));
    await hook.calls(1);
    await call('DELETE', `/link/${binned}`);
    app.clock.now += 2 * hourLength;
    for (const id of [ended, live]) {
      expect((await call('PATCH', `/link/${id}`, at(-dayLength))).status).toBe(200);
      await call('DELETE', `/link/${id}`);
    }
    // Long enough to show that no more come.
    await Bun.sleep(200);
    await call('POST', '/link/restore', { ids: [ended, live, binned] });
    await hook.calls(2);
    await Bun.sleep(200);
    const links = hook.received.map(({ body }) => JSON.parse(body).payload.link_id);
    expect(links).toEqual([live, binned]);
  });

  test('a link that was reopened and ends again at the same instant is another message to its webhook', async () => {
    const hook = target();
    const end = { expiration_date: iso(app.clock.now + hourLength) };
    const { id } = await create({ webhook_url: hook.url, webhook_events: ['link.expired'], ...end });
    app.clock.now += 2 * hourLength;
    await hook.calls(1);
    for (const change of [{ expiration_date: null }, end])
      expect((await call('PATCH', `/link/${id}`, change)).status).toBe(200);
    await hook.calls(2);
    const ids = hook.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(2);
  });
});
