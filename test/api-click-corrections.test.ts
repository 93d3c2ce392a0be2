import { beforeEach, describe, expect, test } from 'bun:test';
import { eraseClicks } from '../src/manage/correct-clicks.ts';
import { firefox, firefoxOf } from './support/agents-of-people.ts';
import { onOneStore, storeKinds, type TestAccount, type TestResponse } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
import { pollUntil } from './support/eventually.ts';
import { finishedCorrection } from './support/finished-correction.ts';
import { type SeedHit, seedHits } from './support/hits.ts';
import { member } from './support/members.ts';

const today = Date.parse('2026-11-20T12:30:00Z');

describe.each(storeKinds)('corrections of clicks on %s', (store) => {
  const app = appForSuite({ store, startsAt: today, overrides: { correctionInterval: 20 } });
  let owner: TestAccount;
  let link: { id: number; path: string };

  beforeEach(async () => {
    app.clock.now = today;
    owner = await app.createAccount();
    link = await newLink();
  });

  const newLink = (fields: object = {}) => app.createLink(owner, fields);
  const call = (method: string, path: string, body?: object, key = owner.key): Promise<TestResponse> =>
    app.call(method, path, { key, ...(body === undefined ? {} : { body }) });
  const correct = async (method: string, path: string, body?: object, key = owner.key) =>
    finishedCorrection(app, key, await call(method, path, body, key));
  const get = async (path: string) => (await call('GET', path)).json;
  const hit = (at: string, more: Partial<SeedHit> = {}): SeedHit => ({
    link: link.id,
    organization: owner.organizationId,
    at: `2026-11-${at}Z`,
    country: 'DE',
    ...more,
  });
  const seed = (...hits: SeedHit[]) => seedHits(app.app.context.database, hits);
  const totals = async (path = `/api/v1/link/${link.id}/stats`) =>
    (await get(`${path}?from=2026-10-01&to=2026-11-30`)).totals;
  const counts = async () => {
    const { clicks, not_counted } = await totals();
    const { bot, flood, repeat, page } = not_counted;
    return { clicks, bot, flood, repeat, page };
  };
  const none = { clicks: 0, bot: 0, flood: 0, repeat: 0, page: 0 };
  const clicksPath = () => `/api/v1/link/${link.id}/clicks`;

  test('a flood becomes clicks, and the correction is listed; reverting restores the previous state', async () => {
    const flood = { class: 'flood', reason: 'flood' } as const;
    await seed(
      hit('19T10:00:00', flood),
      hit('19T10:20:00', { ...flood, country: 'FR' }),
      hit('19T11:00:00', flood),
      hit('19T10:30:00'),
      hit('19T10:31:00', { class: 'bot', reason: 'monitor' }),
    );
    const before = await get(`${clicksPath()}?class=all`);
    const span = { from: '2026-11-19T10:00:00Z', to: '2026-11-19T11:00:00Z' };
    const done = await correct('PATCH', `${clicksPath()}/reclassify`, {
      ...span,
      class: 'flood',
      to_class: 'human',
    });
    expect([done.status, done.json.state, done.json.hits, done.json.not_kept]).toEqual([200, 'done', 2, 0]);
    expect(await counts()).toEqual({ ...none, clicks: 3, bot: 1, flood: 1 });
    const clicks = (await get(clicksPath())).clicks;
    expect(clicks.map(({ reason }: { reason: string }) => reason).sort()).toEqual([
      'browser',
      'reclassified',
      'reclassified',
    ]);
    expect((await get(`/api/v1/link/${link.id}`)).clicks).toBe(3);
    const countries = await get(`/api/v1/link/${link.id}/stats?from=2026-11-19&group_by=country`);
    expect(countries.groups).toMatchObject([
      { value: 'DE', clicks: 2 },
      { value: 'FR', clicks: 1 },
    ]);

    const reverted = await correct('PATCH', `${clicksPath()}/reclassify`, { take_back: done.json.id });
    expect(reverted.json).toMatchObject({ kind: 'take_back', takes_back: done.json.id, hits: 2 });
    const again = await correct('PATCH', `${clicksPath()}/reclassify`, { take_back: reverted.json.id });
    expect([again.status, again.json.field_key]).toEqual([400, 'take_back']);
    expect(await get(`${clicksPath()}?class=all`)).toEqual(before);
    expect(await counts()).toEqual({ ...none, clicks: 1, bot: 1, flood: 3 });

    const { corrections } = await get(`${clicksPath()}/corrections`);
    expect(corrections).toMatchObject([
      { kind: 'take_back', class: 'human', to_class: 'flood', state: 'done' },
      {
        kind: 'reclassify',
        created_by: { id: owner.userId, email: owner.email },
        link_id: link.id,
        from: '2026-11-19T10:00:00.000Z',
        to: '2026-11-19T11:00:00.000Z',
        class: 'flood',
        to_class: 'human',
        hits: 2,
      },
    ]);
    expect(await get('/api/v1/clicks/corrections')).toEqual({ corrections });
    const [newest, oldest] = corrections;
    const first = await get(`${clicksPath()}/corrections?limit=1`);
    expect(first.corrections).toEqual([newest]);
    expect(await get(`${clicksPath()}/corrections?limit=1&cursor=${first.next}`)).toEqual({
      corrections: [oldest],
    });
  });

  test('bots that a person reclassified as clicks have a reason of that name, and filters find them', async () => {
    await seed(hit('19T10:00:00'), hit('19T10:10:00', { class: 'bot', reason: 'monitor' }));
    await correct('PATCH', `${clicksPath()}/reclassify`, { class: 'human', to_class: 'bot' });
    const stats = `/api/v1/link/${link.id}/stats?from=2026-11-01`;
    const byReason = await get(`${stats}&group_by=reason`);
    expect(
      byReason.groups.map(({ value, not_counted }: Record<string, unknown>) => [value, not_counted]),
    ).toEqual([
      ['monitor', 1],
      ['reclassified', 1],
    ]);
    const raw = await get(`${stats}&reason=reclassified&country=DE`);
    expect([raw.from_raw, raw.totals.not_counted.bot]).toEqual([true, 1]);
    const rawGroups = await get(`${stats}&group_by=reason&country=DE&class=bot`);
    expect(rawGroups.groups).toHaveLength(2);
  });

  test("a person who was shown a page doesn't become a click by being reclassified as human", async () => {
    await seed(hit('19T10:00:00', { class: 'bot', reason: 'monitor', outcome: 'expired' }));
    await correct('PATCH', `${clicksPath()}/reclassify`, { class: 'bot', to_class: 'human' });
    expect(await counts()).toEqual({ ...none, page: 1 });
  });

  test('the clicks of a span are erased from all numbers and lists', async () => {
    const other = await newLink();
    await seed(
      hit('18T10:00:00', { visitor: 1 }),
      hit('19T10:00:00', { visitor: 2 }),
      hit('19T23:59:59', { class: 'bot', reason: 'monitor' }),
      hit('20T09:00:00', { visitor: 3 }),
      hit('19T10:00:00', { link: other.id, visitor: 2 }),
    );
    const before1970 = await correct('DELETE', `${clicksPath()}?from=1960-01-01&to=1960-01-02`);
    expect([before1970.status, before1970.json.hits]).toEqual([200, 0]);
    const done = await correct('DELETE', `${clicksPath()}?from=2026-11-19&to=2026-11-19`);
    expect([done.status, done.json.kind, done.json.hits, done.json.state]).toEqual([200, 'erase', 2, 'done']);
    expect(await counts()).toEqual({ ...none, clicks: 2 });
    expect((await totals('/api/v1/stats')).clicks).toBe(3);
    expect(
      (await get(`${clicksPath()}?class=all`)).clicks.map(
        ({ clicked_at }: { clicked_at: string }) => clicked_at,
      ),
    ).toEqual(['2026-11-20T09:00:00.000Z', '2026-11-18T10:00:00.000Z']);
    expect((await call('GET', `${clicksPath()}.csv?class=all`)).text.trim().split('\n')).toHaveLength(3);

    await correct('DELETE', `${clicksPath()}?from=2026-11-20`);
    expect((await get(`/api/v1/link/${link.id}`)).last_clicked_at).toContain('2026-11-18');
    await correct('DELETE', clicksPath());
    expect(await counts()).toEqual(none);
    expect(await get(`/api/v1/link/${link.id}`)).toMatchObject({ clicks: 0, last_clicked_at: null });
    expect((await get('/api/v1/clicks')).total_clicks).toBe(1);
  });

  test('all clicks of the organization, and of no other, are erased after confirmation', async () => {
    const stranger = await app.createAccount();
    await seed(
      hit('19T10:00:00'),
      hit('19T10:00:00', { link: 987_654, organization: stranger.organizationId }),
    );
    const unconfirmed = await correct('DELETE', '/api/v1/clicks');
    expect([unconfirmed.status, unconfirmed.json.error_code, unconfirmed.json.field_key]).toEqual([
      400,
      'FIELD_MISSING',
      'confirm',
    ]);
    const done = await correct('DELETE', '/api/v1/clicks?confirm=true');
    expect([done.status, done.json.hits]).toEqual([200, 1]);
    expect((await totals('/api/v1/stats')).clicks).toBe(0);
    const theirs = await app.call('GET', '/api/v1/clicks', { key: stranger.key });
    expect(theirs.json.total_clicks).toBe(1);
  });

  test('clicks that were just answered are erased too', async () => {
    for (let visit = 0; visit < 3; visit++) await app.visit(link.path);
    const done = await correct('DELETE', clicksPath());
    expect(done.json.hits).toBe(3);
    await app.app.clicks.settled();
    expect((await get(`${clicksPath()}?class=all`)).total_clicks).toBe(0);
  });

  onOneStore(store, () => {
    test('clicks whose fold takes longer than a call waits are erased in the background a minute later', async () => {
      const { context } = app.app;
      app.clock.now = today - 61_000;
      await app.visit(link.path);
      await context.clicksFolded();
      const { organizationId, userId } = owner;
      const caller = { organizationId, userId, role: 'administrator', via: 'api_key' } as const;
      const isBehind = { ...context, clicksFolded: () => new Promise<void>(() => {}) };
      const erased = await eraseClicks(isBehind, caller, { linkId: link.id });
      expect([erased.finished_at, erased.hits]).toEqual([null, 0]);
      app.clock.now = today;
      const pending = { status: 202, json: { id: erased.id, link_id: link.id } } as TestResponse;
      const done = await finishedCorrection(app, owner.key, pending);
      expect([done.json.state, done.json.hits]).toEqual(['done', 1]);
      expect((await get(`${clicksPath()}?class=all`)).total_clicks).toBe(0);
    });
  });

  test('numbers whose hits have expired are erased by whole hours; a span that cuts such an hour is refused', async () => {
    await seed(hit('10T10:10:00'), hit('10T10:50:00'), hit('10T11:10:00'), hit('19T10:00:00'));
    const { database } = app.app.context;
    await database.write(async (queries) => {
      await queries.deleteFrom('hits').where('at', '<', Date.parse('2026-11-15T00:00:00Z')).execute();
    });
    const cut = await correct('DELETE', `${clicksPath()}?from=2026-11-10T10:30:00Z`);
    expect([cut.status, cut.json.error_code, cut.json.field_key]).toEqual([400, 'FIELD_INVALID', 'from']);
    expect(cut.json.error_message ?? cut.text).toContain('2026-11-10T11:00:00.000Z');
    const reclassified = await correct('PATCH', `${clicksPath()}/reclassify`, {
      class: 'human',
      to_class: 'flood',
    });
    expect([reclassified.json.hits, reclassified.json.not_kept]).toEqual([1, 3]);
    const done = await correct('DELETE', `${clicksPath()}?to=2026-11-10T11:00:00Z`);
    expect([done.json.hits, done.json.not_kept]).toEqual([0, 2]);
    expect(await counts()).toEqual({ ...none, clicks: 1, flood: 1 });
    expect((await get(`/api/v1/link/${link.id}`)).last_clicked_at).toContain('2026-11-10');
    const all = await correct('DELETE', '/api/v1/clicks?to=2026-11-12');
    expect([all.json.hits, all.json.not_kept]).toEqual([0, 1]);
    expect((await totals('/api/v1/stats')).clicks).toBe(0);
    expect(await counts()).toEqual({ ...none, flood: 1 });
  });

  test('messages to webhooks about erased clicks are deleted with them', async () => {
    const hooked = await newLink({ webhook_url: `${app.url}/healthz` });
    await app.visit(hooked.path);
    const path = `/api/v1/link/${hooked.id}`;
    await pollUntil(
      () => get(`${path}/webhook_deliveries`),
      ({ total_webhook_deliveries: total }) => total === 1,
      'the message about the click',
    );
    const testDelivery = await call('POST', `${path}/webhook_test`);
    await correct('DELETE', `${path}/clicks?to=2026-11-19`);
    expect((await get(`${path}/webhook_deliveries`)).total_webhook_deliveries).toBe(2);
    await correct('DELETE', `${path}/clicks`);
    const { webhook_deliveries } = await get(`${path}/webhook_deliveries`);
    expect(webhook_deliveries.map(({ id }: { id: number }) => id)).toEqual([testDelivery.json.id]);
  });

  test('visitors never exceed clicks, and an erased hour has none', async () => {
    for (const agent of ['one', 'two', 'three'])
      await app.visit(link.path, {
        'user-agent': `${firefox} ${agent}`,
      });
    await app.app.clicks.settled();
    expect((await totals()).visitors).toBe(3);
    await correct('DELETE', `${clicksPath()}?from=2026-11-20T12:30:00.001Z`);
    expect(await totals()).toMatchObject({ clicks: 3, visitors: 3 });
    app.clock.now += 60_000;
    await app.visit(link.path, {
      'user-agent': firefoxOf(141),
    });
    await app.app.clicks.settled();
    await correct('DELETE', `${clicksPath()}?to=2026-11-20T12:31:00Z`);
    for (const path of [undefined, '/api/v1/stats'])
      expect(await totals(path)).toMatchObject({ clicks: 1, visitors: 1 });
    await correct('DELETE', clicksPath());
    for (const path of [undefined, '/api/v1/stats'])
      expect(await totals(path)).toMatchObject({ clicks: 0, visitors: 0 });
    // The visitors of a day that was erased completely are deleted too: a returning one counts as new.
    app.clock.now += 60_000;
    await app.visit(link.path, {
      'user-agent': firefoxOf(141),
    });
    await app.app.clicks.settled();
    expect(await totals()).toMatchObject({ clicks: 1, visitors: 1 });
  });

  test('while one runs, another for the same clicks is refused, and one for other clicks waits', async () => {
    const { database } = app.app.context;
    await seed(hit('19T10:00:00'));
    const running = {
      organization_id: owner.organizationId,
      link_id: link.id,
      user_id: owner.userId,
      created_at: today,
      from_at: null,
      to_at: Date.parse('2026-11-19T12:00:00Z'),
      from_class: null,
      to_class: null,
      way_back_of: null,
      hits: 0,
      not_kept: 0,
      phase: 0,
      place: 0,
      seen_id: 0,
      due_at: today + 1_000,
      finished_at: null,
    };
    await database.write((queries) => queries.insertInto('click_corrections').values(running).execute());
    for (const path of [clicksPath(), '/api/v1/clicks?from=2026-11-19']) {
      const refused = await call('DELETE', path);
      expect([refused.status, refused.json.error_code]).toEqual([409, 'CORRECTION_RUNNING']);
      // The dashboard shows it too.
      expect(refused.json.error_string).not.toContain('GET');
    }
    const later = await call('DELETE', `${clicksPath()}?from=2026-11-19T12:00:00Z`);
    expect([later.status, later.json.state]).toEqual([202, 'running']);
    const other = await newLink();
    expect((await call('DELETE', `/api/v1/link/${other.id}/clicks`)).status).toBe(202);
    const stranger = await app.createAccount();
    const erased = await correct('DELETE', '/api/v1/clicks?confirm=true', undefined, stranger.key);
    expect(erased.status).toBe(200);
    // The correction's node was killed; any other node continues it.
    app.clock.now = today + 1_001;
    const { corrections } = await pollUntil(
      () => get(`${clicksPath()}/corrections`),
      (list) => list.corrections.every(({ state }: { state: string }) => state === 'done'),
      'the correction of the killed node, and those queued after it',
    );
    expect(corrections.at(-1).hits).toBe(1);
    expect(await counts()).toEqual(none);
  });

  test('a correction of hits that an earlier one had moved is not taken back, because only their first class is known', async () => {
    const path = `${clicksPath()}/reclassify`;
    const flood = { class: 'flood', reason: 'flood' } as const;
    await seed(
      hit('19T10:00:00'),
      hit('19T10:20:00'),
      hit('19T10:30:00', { class: 'bot', reason: 'monitor' }),
    );
    const toBot = await correct('PATCH', path, { class: 'human', to_class: 'bot' });
    const toFlood = await correct('PATCH', path, { class: 'bot', to_class: 'flood' });
    expect([toBot.json.hits, toFlood.json.hits]).toEqual([2, 3]);
    const refused = await correct('PATCH', path, { take_back: toFlood.json.id });
    expect([refused.status, refused.json.field_key]).toEqual([400, 'take_back']);
    expect(refused.json.error_string).toContain('moved to "bot" before');
    expect(await counts()).toEqual({ ...none, flood: 3 });

    // A flood that had become clicks, and a flood again, has its first class: that is restored.
    await seed(hit('20T10:00:00', flood), hit('20T10:10:00', flood));
    const span = { from: '2026-11-20', to: '2026-11-20' };
    for (const [from, to] of [
      ['flood', 'human'],
      ['human', 'flood'],
    ])
      await correct('PATCH', path, { ...span, class: from, to_class: to });
    const toHuman = await correct('PATCH', path, { ...span, class: 'flood', to_class: 'human' });
    expect(await counts()).toEqual({ ...none, clicks: 2, flood: 3 });
    const reverted = await correct('PATCH', path, { take_back: toHuman.json.id });
    expect([reverted.status, reverted.json.hits]).toEqual([200, 2]);
    expect(await counts()).toEqual({ ...none, flood: 5 });
  });

  test('only administrators may erase, and incomplete or invalid corrections are refused', async () => {
    const editor = await member(app, owner);
    for (const path of [clicksPath(), '/api/v1/clicks?confirm=true']) {
      expect((await correct('DELETE', path, undefined, editor.key)).status).toBe(403);
    }
    for (const [body, field] of [
      [{}, 'class'],
      [{ class: 'flood' }, 'to_class'],
      [{ class: 'flood', to_class: 'flood' }, 'to_class'],
      [{ class: 'head', to_class: 'human' }, 'class'],
      [{ class: 'human', to_class: 'preview' }, 'to_class'],
      [{ class: 'flood', to_class: 'human', from: 'yesterday' }, 'from'],
      [{ class: 'flood', to_class: 'human', from: '2026-11-20', to: '2026-11-19' }, 'from'],
      [{ class: 'flood', to_class: 'human', from: '2027-01-01' }, 'from'],
      [{ class: 'flood', to_class: 'human', form: '2026-11-20' }, 'form'],
      [{ take_back: 987_654 }, 'take_back'],
      [{ take_back: 1, class: 'flood' }, 'class'],
    ] as const) {
      const refused = await correct('PATCH', `${clicksPath()}/reclassify`, body);
      expect([body, refused.status, refused.json.field_key]).toEqual([body, 400, field]);
    }
    for (const [query, field] of [
      ['from=x', 'from'],
      ['to=x', 'to'],
      ['from=2026-11-20&to=2026-11-19', 'from'],
      ['before=3', 'before'],
    ]) {
      const refused = await correct('DELETE', `${clicksPath()}?${query}`);
      expect([query, refused.status, refused.json.field_key]).toEqual([query, 400, field]);
    }
    const erased = await correct('DELETE', clicksPath());
    const reverted = await correct('PATCH', `${clicksPath()}/reclassify`, { take_back: erased.json.id });
    expect([reverted.status, reverted.json.field_key]).toEqual([400, 'take_back']);
  });
});
