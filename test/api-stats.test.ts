import { beforeAll, describe, expect, test } from 'bun:test';
import { onOneStore, storeKinds, type TestAccount } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
import { type SeedHit, seedHits } from './support/hits.ts';

describe.each(storeKinds)('statistics on %s', (store) => {
  const app = appForSuite({ store, startsAt: Date.parse('2026-04-10T12:30:00Z') });
  let owner: TestAccount;
  let link: number;
  let second: number;
  let kolkata: number;

  const newLink = async (account: TestAccount): Promise<number> => (await app.createLink(account)).id;

  beforeAll(async () => {
    owner = await app.createAccount();
    [link, second, kolkata] = [await newLink(owner), await newLink(owner), await newLink(owner)];
    const onLink = { link, organization: owner.organizationId };
    const hits: SeedHit[] = [
      // Around the night in which Berlin's clocks go from 2 to 3 (29 March, 01:00 UTC).
      { ...onLink, at: '2026-03-28T22:59:00Z', country: 'DE', device: 'mobile', visitor: 1 },
      { ...onLink, at: '2026-03-28T23:00:00Z', country: 'DE', device: 'desktop', visitor: 1 },
      { ...onLink, at: '2026-03-29T00:59:00Z', country: 'FR', device: 'mobile', visitor: 2 },
      { ...onLink, at: '2026-03-29T21:59:00Z', country: 'FR', device: 'mobile', visitor: 2 },
      {
        ...onLink,
        at: '2026-03-29T22:00:00Z',
        country: 'DE',
        device: 'mobile',
        visitor: 3,
        target: 'android',
      },
      {
        ...onLink,
        at: '2026-04-10T12:29:00Z',
        referrer: 'example.org',
        language: 'pt',
        source: 'qr',
        visitor: null,
      },
      // Not clicks.
      { ...onLink, at: '2026-03-29T10:00:00Z', class: 'bot', reason: 'monitor', country: 'US' },
      { ...onLink, at: '2026-03-29T10:00:00Z', class: 'bot', reason: 'known_crawler', country: 'US' },
      { ...onLink, at: '2026-03-29T10:00:00Z', class: 'head', reason: 'head_method' },
      { ...onLink, at: '2026-03-29T10:00:00Z', outcome: 'expired' },
      { ...onLink, at: '2026-03-29T10:00:00Z', class: 'repeat', reason: 'recent_visit' },
      // Long before the last 30 days.
      { ...onLink, at: '2025-12-31T23:30:00Z', country: 'DE', visitor: 9 },
      // Another link, and another zone: midnight in Kolkata is 18:30 UTC.
      { ...onLink, link: second, at: '2026-04-01T10:00:00Z', country: 'DE', visitor: 1 },
      { ...onLink, link: kolkata, at: '2026-03-10T17:59:00Z', country: 'IN', visitor: 5 },
      { ...onLink, link: kolkata, at: '2026-03-10T18:00:00Z', country: 'IN', visitor: 6 },
      { ...onLink, link: kolkata, at: '2026-03-11T17:59:00Z', country: 'IN', visitor: 7 },
    ];
    await seedHits(app.app.context.database, hits);
  });

  const stats = async (query: string, linkId: number | null = link) => {
    const path = linkId === null ? '/api/v1/stats' : `/api/v1/link/${linkId}/stats`;
    const { status, json } = await app.call('GET', `${path}?${query}`, { key: owner.key });
    return status === 200 ? json : { status, ...json };
  };
  const clicksBy = (series: { start: string; clicks: number }[]) =>
    Object.fromEntries(series.filter(({ clicks }) => clicks > 0).map(({ start, clicks }) => [start, clicks]));

  test('by default: today and the 29 days before it, each with its clicks, and uncounted hits separately', async () => {
    const found = await stats('');
    expect([found.from, found.to]).toEqual(['2026-03-12T00:00:00.000Z', '2026-04-10T12:30:00.000Z']);
    expect([found.interval, found.timezone, found.from_raw]).toEqual(['day', 'UTC', false]);
    expect(found.series).toHaveLength(30);
    expect(found.totals).toEqual({
      clicks: 6,
      visitors: 3,
      not_counted: { page: 1, preview: 0, bot: 2, prefetch: 0, head: 1, repeat: 1, flood: 0 },
    });
    expect(found.series[0]).toEqual({
      start: '2026-03-12T00:00:00+00:00',
      clicks: 0,
      visitors: 0,
      not_counted: 0,
    });
    expect(found.series[17]).toEqual({
      start: '2026-03-29T00:00:00+00:00',
      clicks: 3,
      visitors: 2,
      not_counted: 5,
    });
    expect([found.groups, found.other]).toEqual([null, null]);
  });

  test('days are those of the timezone, including the one with 23 hours', async () => {
    const found = await stats('timezone=Europe/Berlin&from=2026-03-28&to=2026-03-30');
    expect(found.from).toBe('2026-03-27T23:00:00.000Z');
    expect(found.to).toBe('2026-03-30T22:00:00.000Z');
    expect(clicksBy(found.series)).toEqual({
      '2026-03-28T00:00:00+01:00': 1,
      '2026-03-29T00:00:00+01:00': 3,
      '2026-03-30T00:00:00+02:00': 1,
    });
    const hours = await stats('timezone=europe/berlin&interval=hour&from=2026-03-29&to=2026-03-29');
    expect(hours.timezone).toBe('Europe/Berlin');
    expect(hours.series.map(({ start }: { start: string }) => start.slice(11, 13)).slice(0, 4)).toEqual([
      '00',
      '01',
      '03',
      '04',
    ]);
    expect(hours.series).toHaveLength(23);
    expect(hours.totals).toMatchObject({ clicks: 3, visitors: 1 });
    const visitorsAt = hours.series.flatMap(({ start, visitors }: { start: string; visitors: number }) =>
      visitors > 0 ? [[start.slice(11, 13), visitors]] : [],
    );
    // One visitor's first click of that UTC day was on the previous local day.
    expect(visitorsAt).toEqual([['01', 1]]);
  });

  test('if midnight lies inside a UTC hour, that hour belongs to the new day', async () => {
    const found = await stats('timezone=Asia/Kolkata&from=2026-03-10&to=2026-03-11', kolkata);
    expect([found.from, found.to]).toEqual(['2026-03-09T18:30:00.000Z', '2026-03-11T18:30:00.000Z']);
    expect(clicksBy(found.series)).toEqual({
      '2026-03-10T00:00:00+05:30': 1,
      '2026-03-11T00:00:00+05:30': 2,
    });
    const hours = await stats('timezone=Asia/Kolkata&interval=hour&from=2026-03-11&to=2026-03-11', kolkata);
    expect(hours.series).toHaveLength(24);
    expect(hours.series[0]).toMatchObject({ start: '2026-03-10T23:30:00+05:30', clicks: 1 });
    const before = 'timezone=Asia/Kolkata&from=2026-03-10T18:05:00Z&to=2026-03-10T18:30:00Z';
    for (const interval of ['hour', 'day']) {
      const { totals, series } = await stats(`${before}&interval=${interval}`, kolkata);
      expect([totals.clicks, series.length, series[0]?.clicks]).toEqual([1, 1, 1]);
    }
  });

  test('weeks begin on Monday and months on the first, and a range that begins inside one cuts it', async () => {
    const weeks = await stats('interval=week&from=2026-03-29&to=2026-04-11');
    expect(
      weeks.series.map(({ start, clicks }: { start: string; clicks: number }) => [start, clicks]),
    ).toEqual([
      ['2026-03-23T00:00:00+00:00', 3],
      ['2026-03-30T00:00:00+00:00', 0],
      ['2026-04-06T00:00:00+00:00', 1],
    ]);
    const months = await stats('interval=month&from=2025-12-01&to=2026-04-30&timezone=Europe/Berlin');
    expect(clicksBy(months.series)).toEqual({
      '2026-01-01T00:00:00+01:00': 1,
      '2026-03-01T00:00:00+01:00': 5,
      '2026-04-01T00:00:00+02:00': 1,
    });
    expect(months.series.map(({ visitors }: { visitors: number }) => visitors)).toEqual([0, 1, 0, 3, 0]);
  });

  test('the organization has the clicks of all its links, and counts a visitor of two of them once a day', async () => {
    const { totals } = await stats('from=2026-03-12', null);
    expect([totals.clicks, totals.visitors]).toEqual([7, 4]);
  });

  test('groups are sorted, and hits without a value are null', async () => {
    const byCountry = await stats('group_by=country');
    expect(byCountry.groups).toEqual([
      { value: 'DE', clicks: 3, not_counted: 0 },
      { value: 'FR', clicks: 2, not_counted: 0 },
      { value: null, clicks: 1, not_counted: 0 },
    ]);
    expect([byCountry.other, byCountry.from_raw]).toEqual([{ clicks: 0, not_counted: 0 }, false]);
    expect((await stats('group_by=destination')).groups).toEqual([
      { value: 'default', clicks: 5, not_counted: 0 },
      { value: 'android', clicks: 1, not_counted: 0 },
    ]);
    expect((await stats('group_by=destination&class=page')).groups).toEqual([
      { value: null, clicks: 0, not_counted: 1 },
    ]);
    expect((await stats('group_by=source')).groups[1]).toMatchObject({ value: 'qr', clicks: 1 });
    expect((await stats('group_by=class')).groups).toEqual([
      { value: 'click', clicks: 6, not_counted: 0 },
      { value: 'bot', clicks: 0, not_counted: 2 },
      { value: 'page', clicks: 0, not_counted: 1 },
      { value: 'head', clicks: 0, not_counted: 1 },
      { value: 'repeat', clicks: 0, not_counted: 1 },
    ]);
    const reasons = await stats('group_by=reason&class=bot');
    expect([reasons.from_raw, reasons.groups.length, reasons.totals.clicks]).toEqual([false, 2, 0]);
    expect(reasons.groups[0]).toEqual({ value: 'monitor', clicks: 0, not_counted: 1 });
  });

  test('reasons of clicks are counted from individual hits, those of other hits from the roll-ups', async () => {
    for (const [query, groups] of [
      ['class=click', [{ value: 'browser', clicks: 6, not_counted: 0 }]],
      ['class=human', [{ value: 'browser', clicks: 6, not_counted: 1 }]],
    ] as const) {
      const found = await stats(`${query}&group_by=reason`);
      expect([query, found.from_raw, found.totals.clicks, found.groups]).toEqual([query, true, 6, groups]);
      const filtered = await stats(`${query}&reason=browser`);
      expect([query, filtered.from_raw, filtered.totals.clicks]).toEqual([query, true, 6]);
    }
    const all = await stats('group_by=reason');
    expect([all.from_raw, all.groups.length]).toEqual([false, 5]);
    expect(all.groups).toContainEqual({ value: 'browser', clicks: 0, not_counted: 1 });
  });

  test('the hundred largest groups are shown, and the sum of the rest', async () => {
    const other = await app.createAccount();
    const many = await newLink(other);
    await seedHits(
      app.app.context.database,
      Array.from({ length: 150 }, (_, index) => ({
        link: many,
        organization: other.organizationId,
        at: '2026-04-02T00:00:00Z',
        utm_campaign: `campaign ${index < 5 ? 'large' : index}`,
      })),
    );
    const { json } = await app.call('GET', `/api/v1/link/${many}/stats?group_by=utm_campaign`, {
      key: other.key,
    });
    expect(json.groups).toHaveLength(100);
    expect(json.groups[0]).toEqual({ value: 'campaign large', clicks: 5, not_counted: 0 });
    expect(json.other).toEqual({ clicks: 46, not_counted: 0 });
  });

  test('one filter is answered from the roll-ups, combined ones from the hits, and both agree', async () => {
    const german = await stats('country=de');
    expect([german.from_raw, german.totals]).toEqual([
      false,
      { clicks: 3, visitors: null, not_counted: null },
    ]);
    expect((await stats('country=DE&group_by=country')).groups).toEqual([
      { value: 'DE', clicks: 3, not_counted: 0 },
    ]);
    const mobile = await stats('country=DE&device=mobile&timezone=Europe/Berlin');
    expect([mobile.from_raw, mobile.totals.clicks]).toEqual([true, 2]);
    expect(clicksBy(mobile.series)).toEqual({
      '2026-03-28T00:00:00+01:00': 1,
      '2026-03-30T00:00:00+02:00': 1,
    });
    const devices = await stats('country=DE&group_by=device');
    expect([devices.from_raw, devices.totals.clicks]).toEqual([true, 3]);
    expect(devices.groups).toEqual([
      { value: 'mobile', clicks: 2, not_counted: 0 },
      { value: 'desktop', clicks: 1, not_counted: 0 },
    ]);
    const bots = await stats('class=bot&group_by=country');
    expect([bots.from_raw, bots.totals.clicks, bots.totals.not_counted.bot]).toEqual([true, 0, 2]);
    expect(bots.groups).toEqual([{ value: 'US', clicks: 0, not_counted: 2 }]);
    expect((await stats('referrer=')).totals.clicks).toBe(5);
    // As written by others than Linnet, which stores hosts without `www.` and codes in one case.
    for (const filter of ['referrer=WWW.Example.org', 'language=PT'])
      expect((await stats(filter)).totals.clicks).toBe(1);
    expect((await stats('class=page&destination=')).totals.not_counted.page).toBe(1);
    expect((await stats('class=human')).totals).toMatchObject({
      clicks: 6,
      not_counted: { page: 1, bot: 0 },
    });
  });

  test.each([
    'country=XX',
    'device=toaster',
    'class=unicorn',
    'utm_source=%F0%9F%A6%8A',
    'country=XX&device=tv',
  ])('no hits match %s: all counts are zero, and the request is not refused', async (query) => {
    const found = await stats(`${query}&group_by=os`);
    expect([found.totals.clicks, found.groups, found.other]).toEqual([0, [], { clicks: 0, not_counted: 0 }]);
    expect(found.series).toHaveLength(30);
  });

  onOneStore(store, () => {
    test.each([
      ['from=2026-04-01&to=2026-03-01', 'RANGE_REVERSED', 'from'],
      ['to=2026-03-01T00:00:00Z&from=2026-03-01T00:00:00Z', 'RANGE_REVERSED', 'from'],
      ['from=2027-01-01', 'RANGE_REVERSED', 'from'],
      ['from=1960-01-02&to=1960-01-01', 'RANGE_REVERSED', 'from'],
      ['from=1960-01-01&to=1960-01-02', 'FIELD_INVALID', 'from'],
      ['to=1960-01-01', 'FIELD_INVALID', 'to'],
      ['from=9995-01-01&to=9996-01-01', 'FIELD_INVALID', 'from'],
      ['from=2020-01-01&interval=hour', 'RANGE_TOO_WIDE', 'interval'],
      ['from=1990-01-01&interval=day', 'RANGE_TOO_WIDE', 'interval'],
      ['from=0001-01-01&to=9999-12-31', 'RANGE_TOO_WIDE', 'interval'],
      ['from=0001-01-01&to=9999-12-31&interval=month', 'RANGE_TOO_WIDE', 'interval'],
      ['timezone=Mars/Olympus', 'FIELD_INVALID', 'timezone'],
      ['timezone=', 'FIELD_INVALID', 'timezone'],
      ['group_by=colour', 'FIELD_INVALID', 'group_by'],
      ['group_by=total', 'FIELD_INVALID', 'group_by'],
      ['group_by=visitors', 'FIELD_INVALID', 'group_by'],
      ['interval=minute', 'FIELD_INVALID', 'interval'],
      ['from=yesterday', 'FIELD_INVALID', 'from'],
      ['to=2026-02-30', 'FIELD_INVALID', 'to'],
      [`country=${'x'.repeat(301)}`, 'FIELD_TOO_LONG', 'country'],
      ['referrer=%00', 'FIELD_INVALID', 'referrer'],
    ])('%s is refused', async (query, code, field) => {
      for (const linkId of [link, null]) {
        const { status, error_code, field_key, error_string } = await stats(query, linkId);
        expect([status, error_code, field_key]).toEqual([400, code, field]);
        expect(error_string.length).toBeGreaterThan(10);
      }
    });
  });

  test('a beginning in the future without an end is not told to swap the two', async () => {
    expect((await stats('from=2027-01-01')).error_string).toContain('in the future');
    expect((await stats('from=2027-01-01&to=2027-01-02')).totals.clicks).toBe(0);
  });

  test('utm_term and utm_content are counted, also for clicks without them and from before the roll-ups had them', async () => {
    const [tagged, mixed] = [await app.createAccount(), await app.createAccount()];
    const linkId = await newLink(tagged);
    const onTagged = { link: linkId, organization: tagged.organizationId, visitor: null };
    const day = '2026-04-08T1';
    await seedHits(app.app.context.database, [
      { ...onTagged, at: `${day}0:00:00Z`, utm_term: 'shoes', utm_content: 'banner' },
      { ...onTagged, at: `${day}1:00:00Z`, utm_term: 'shoes' },
      { ...onTagged, at: `${day}1:00:01Z`, utm_term: 'boots' },
      ...[1, 2, 3].map((second) => ({ ...onTagged, at: `${day}2:00:0${second}Z` })),
      {
        ...onTagged,
        at: `${day}3:00:00Z`,
        utm_term: 'shoes',
        class: 'bot' as const,
        reason: 'monitor' as const,
      },
    ]);
    const get = async (path: string, query: string, key = tagged.key) =>
      (await app.call('GET', `/api/v1${path}?${query}`, { key })).json;
    const check = async (isRaw: boolean) => {
      for (const path of ['/stats', `/link/${linkId}/stats`]) {
        const byTerm = await get(path, 'group_by=utm_term');
        expect([path, byTerm.from_raw, byTerm.groups]).toEqual([
          path,
          isRaw,
          [
            { value: null, clicks: 3, not_counted: 0 },
            { value: 'shoes', clicks: 2, not_counted: 0 },
            { value: 'boots', clicks: 1, not_counted: 0 },
          ],
        ]);
        expect(byTerm.other).toEqual({ clicks: 0, not_counted: 0 });
        const withoutContent = await get(path, 'utm_content=&interval=hour&from=2026-04-08&to=2026-04-08');
        expect([withoutContent.totals.clicks, clicksBy(withoutContent.series)]).toEqual([
          5,
          { '2026-04-08T11:00:00+00:00': 2, '2026-04-08T12:00:00+00:00': 3 },
        ]);
        expect((await get(path, 'utm_term=shoes')).totals.clicks).toBe(2);
        const shoes = await get(path, 'utm_term=shoes&group_by=utm_term');
        expect(shoes.groups.filter(({ clicks }: { clicks: number }) => clicks > 0)).toMatchObject([
          { value: 'shoes', clicks: 2 },
        ]);
        expect((await get(path, 'utm_term=&group_by=utm_term')).groups).toMatchObject([
          { value: null, clicks: 3 },
        ]);
        for (const term of ['shoes', '']) {
          const { totals, groups } = await get(path, `utm_term=${term}&group_by=class`);
          expect(groups[0]).toMatchObject({ value: 'click', clicks: totals.clicks });
          expect(groups[1]?.clicks ?? 0).toBe(0);
        }
        expect((await get(path, 'utm_term=shoes&utm_content=banner')).totals.clicks).toBe(1);
      }
      expect((await get('/stats', 'group_by=utm_term', mixed.key)).groups).toEqual([]);
    };
    await check(false);
    const since = { key: 'utm_terms_counted_since', value: String(app.clock.now) };
    await app.app.context.database.write(async (queries) => {
      await queries.insertInto('settings').values(since).execute();
      await queries.deleteFrom('organization_rollups').where('dimension', '>=', 14).execute();
    });
    await check(true);
    await app.app.context.database.write((queries) =>
      queries.deleteFrom('settings').where('key', '=', since.key).execute(),
    );
    await seedHits(app.app.context.database, []);
  });

  test('a link has its clicks and the time of the last one, in the list and on its own, and a PATCH may include both', async () => {
    const { json } = await app.call('GET', `/api/v1/link/${link}`, { key: owner.key });
    expect([json.clicks, json.last_clicked_at]).toEqual([7, '2026-04-10T12:29:00.000Z']);
    const unvisited = await newLink(owner);
    const { json: list } = await app.call('GET', '/api/v1/link', { key: owner.key });
    const clicksByLink = Object.fromEntries(
      list.links.map((one: { id: number; clicks: number }) => [one.id, one.clicks]),
    );
    expect(clicksByLink).toEqual({ [link]: 7, [second]: 1, [kolkata]: 3, [unvisited]: 0 });
    const sentBack = await app.call('PATCH', `/api/v1/link/${link}`, { key: owner.key, body: json });
    expect([sentBack.status, sentBack.json.clicks]).toEqual([200, 7]);
    const unvisitedLink = await app.call('GET', `/api/v1/link/${unvisited}`, { key: owner.key });
    expect(unvisitedLink.json.last_clicked_at).toBeNull();
  });
});
