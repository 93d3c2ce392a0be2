import { heapStats } from 'bun:jsc';
import { beforeAll, describe, expect, test } from 'bun:test';
import type { KyselyPlugin } from 'kysely';
import { dayLength, hourLength, minuteLength } from '../src/rules/durations.ts';
import { readClicks } from '../src/stats/clicks.ts';
import { onOneStore, storeKinds, type TestAccount } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
import { insertHits, type SeedHit, seedHits } from './support/hits.ts';

const start = Date.parse('2026-03-01T00:00:00Z');

describe.each(storeKinds)('lists of clicks on %s', (store) => {
  // Individual hits of `start` are still kept then.
  const app = appForSuite({ store, startsAt: start + 30 * dayLength });
  let owner: TestAccount;
  let link: number;
  let second: number;

  const newLink = async (): Promise<number> => (await app.createLink(owner)).id;
  const get = (path: string) => app.call('GET', path, { key: owner.key });

  beforeAll(async () => {
    owner = await app.createAccount();
    [link, second] = [await newLink(), await newLink()];
    const ofLink = { link, organization: owner.organizationId };
    const hits: SeedHit[] = [
      ...Array.from({ length: 60 }, (_, index) => ({ ...ofLink, at: start + index * minuteLength })),
      { ...ofLink, at: start + hourLength, class: 'bot', reason: 'monitor' },
      { ...ofLink, at: start + 61 * minuteLength, outcome: 'expired' },
      { ...ofLink, at: start + 62 * minuteLength, class: 'head', reason: 'head_method' },
      {
        ...ofLink,
        at: start + 90 * minuteLength,
        target: 'ios',
        device: 'mobile',
        source: 'qr',
        country: 'DE',
        os: 'iOS',
        browser: 'Safari',
        language: 'de',
        referrer: '=cmd|"calc"',
        utm_source: 'mail, "spring"',
        utm_campaign: '-1+1',
        visitor: 123456789,
      },
      { ...ofLink, link: second, at: start },
    ];
    await seedHits(app.app.context.database, hits);
  });

  test('the newest click comes first, with everything known about it and nothing that identifies the visitor', async () => {
    const { status, json } = await get(`/api/v1/link/${link}/clicks`);
    expect([status, json.clicks.length, json.total_clicks]).toEqual([200, 25, 61]);
    expect(json.clicks[0]).toEqual({
      id: expect.any(Number),
      link_id: link,
      clicked_at: '2026-03-01T01:30:00.000Z',
      outcome: 'redirect',
      destination: 'ios',
      class: 'human',
      reason: 'browser',
      country: 'DE',
      device: 'mobile',
      os: 'iOS',
      browser: 'Safari',
      language: 'de',
      referrer: '=cmd|"calc"',
      utm_source: 'mail, "spring"',
      utm_medium: null,
      utm_campaign: '-1+1',
      utm_term: null,
      utm_content: null,
      source: 'qr',
      rule: null,
      variant: null,
      region: null,
      city: null,
      address: null,
    });
    expect(json.clicks[1].clicked_at).toBe('2026-03-01T00:59:00.000Z');
  });

  test('pages by offset and by key show each click once', async () => {
    const byOffset: number[] = [];
    const byKey: number[] = [];
    for (let offset = 0; offset < 80; offset += 20) {
      const { json } = await get(`/api/v1/link/${link}/clicks?limit=20&offset=${offset}`);
      byOffset.push(...json.clicks.map(({ id }: { id: number }) => id));
    }
    for (let before = ''; ; ) {
      const { json } = await get(`/api/v1/link/${link}/clicks?limit=20${before}`);
      expect(json.total_clicks).toBe(61);
      if (json.clicks.length === 0) break;
      byKey.push(...json.clicks.map(({ id }: { id: number }) => id));
      before = `&before=${byKey.at(-1)}`;
    }
    expect(byOffset).toEqual(byKey);
    expect(new Set(byKey).size).toBe(61);
    expect(byKey).toEqual(byKey.toSorted((one, other) => other - one));
  });

  test.each([
    ['class=all', 64],
    ['class=human', 62],
    ['class=page', 1],
    ['class=bot', 1],
    ['class=head', 1],
    ['class=preview', 0],
    ['from=2026-03-01T01:00:00Z', 1],
    ['to=2026-03-01T01:00:00Z', 60],
    ['from=2026-03-01T00:10:00Z&to=2026-03-01T00:20:30Z', 11],
    ['from=2026-03-01&to=2026-03-01&class=all', 64],
    ['from=2026-03-02', 0],
    ['from=1960-01-01&to=1960-01-02', 0],
    ['from=9995-01-01&to=9996-01-01', 0],
  ])('%s gives %d', async (query, expected) => {
    const { json } = await get(`/api/v1/link/${link}/clicks?limit=1000&${query}`);
    expect([json.clicks.length, json.total_clicks]).toEqual([expected, expected]);
  });

  test("the organization's list has the clicks of all its links", async () => {
    const { json } = await get('/api/v1/clicks?limit=100');
    expect([json.clicks.length, json.total_clicks]).toEqual([62, 62]);
    const stranger = await app.createAccount();
    const other = await app.call('GET', '/api/v1/clicks?class=all', { key: stranger.key });
    expect(other.json).toMatchObject({ clicks: [], total_clicks: 0, partial: false });
  });

  test('raw_since is the time since which individual clicks are kept, even if the retention was once shorter', async () => {
    const { database, config } = app.app.context;
    const since = async () => [
      (await get('/api/v1/clicks')).json.raw_since,
      (await get('/api/v1/stats')).json.raw_since,
    ];
    const kept = new Date(app.clock.now - config.clickRetentionDays * dayLength).toISOString();
    expect(await since()).toEqual([kept, kept]);
    const value = String(app.clock.now - dayLength);
    await database.write((queries) =>
      queries
        .insertInto('settings')
        .values({ key: 'hits_deleted_before', value })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
        .execute(),
    );
    const later = new Date(Number(value)).toISOString();
    expect(await since()).toEqual([later, later]);
  });

  onOneStore(store, () => {
    test('the offset is limited: a cursor continues', async () => {
      expect((await get('/api/v1/clicks?offset=10000')).json.clicks).toEqual([]);
      const { status, json } = await get('/api/v1/clicks?offset=10001');
      expect([status, json.error_code, json.field_key]).toEqual([400, 'FIELD_INVALID', 'offset']);
      expect(json.error_string).toContain('"cursor"');
    });

    test.each([
      ['class=unicorn', 'class'],
      ['limit=0', 'limit'],
      ['limit=1001', 'limit'],
      ['before=x', 'before'],
      ['from=2026-03-02&to=2026-03-01', 'from'],
      ['to=someday', 'to'],
    ])('%s is refused', async (query, field) => {
      for (const path of [`/api/v1/link/${link}/clicks`, '/api/v1/clicks']) {
        const { status, json } = await get(`${path}?${query}`);
        expect([status, json.field_key]).toEqual([400, field]);
      }
    });
  });

  test('the export has a header line and a line per click, quoted, and without formulas', async () => {
    const { status, headers, text } = await get(`/api/v1/link/${link}/clicks.csv`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toStartWith('text/csv');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="clicks-of-link-${link}.csv"`);
    const lines = text.split('\r\n');
    expect(lines).toHaveLength(63);
    expect(lines[0]).toStartWith('id,link_id,clicked_at,outcome,destination,class,reason,country,');
    expect(lines[1]).toEndWith(
      `,${link},2026-03-01T01:30:00.000Z,redirect,ios,human,browser,DE,mobile,iOS,Safari,de,"'=cmd|""calc""","mail, ""spring""",,'-1+1,,,qr,,,,,`,
    );
    expect(lines.at(-1)).toBe('');
    const bots = await get(`/api/v1/link/${link}/clicks.csv?class=bot`);
    expect(bots.text.split('\r\n')).toHaveLength(3);
    const none = await get(`/api/v1/link/${link}/clicks.csv?from=2026-03-02`);
    expect(none.text.split('\r\n')).toHaveLength(2);
    const refused = await get(`/api/v1/link/${link}/clicks.csv?from=never`);
    expect([refused.status, refused.json.field_key]).toEqual([400, 'from']);
  });

  test('shows no expired hit, even if its month is still stored', async () => {
    const account = await app.createAccount();
    const { database, config } = app.app.context;
    const body = { destination_url: 'example.com' };
    const { id } = (await app.call('POST', '/api/v1/link', { key: account.key, body })).json;
    const oldestKept = app.clock.now - config.clickRetentionDays * dayLength;
    const at = (instant: number) => ({ link: id, organization: account.organizationId, at: instant });
    await insertHits(database, [at(oldestKept - 1), at(oldestKept), at(oldestKept + 1)]);
    for (const path of [`/api/v1/link/${id}/clicks`, '/api/v1/clicks']) {
      const list = await app.call('GET', `${path}?from=2000-01-01T00:00:01Z`, { key: account.key });
      expect([list.json.clicks.length, list.json.total_clicks]).toEqual([2, 2]);
      const csv = await app.call('GET', `${path}.csv`, { key: account.key });
      expect(csv.text.trim().split('\r\n')).toHaveLength(3);
    }
    const range = `from=${new Date(oldestKept - dayLength).toISOString()}&to=${new Date(app.clock.now).toISOString()}`;
    const filters = 'device=desktop&source=link';
    const stats = await app.call('GET', `/api/v1/stats?${range}&${filters}`, { key: account.key });
    expect([stats.status, stats.json.totals.clicks]).toEqual([200, 2]);
  });

  test('the export of all links has the hits of every link, and only of this organization', async () => {
    const listed = await get('/api/v1/clicks?limit=1000');
    const { status, headers, text } = await get('/api/v1/clicks.csv');
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toBe('attachment; filename="clicks.csv"');
    const ids = text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => Number(line.split(',')[0]));
    expect(ids.length).toBe(listed.json.total_clicks);
    expect(ids.slice(0, 1000)).toEqual(listed.json.clicks.map(({ id }: { id: number }) => id));
    const stranger = await app.createAccount();
    const theirs = await app.call('GET', '/api/v1/clicks.csv', { key: stranger.key });
    expect(theirs.text.split('\r\n')).toHaveLength(2);
  });

  test('a click that arrives while a page is read does not push the oldest one out of it', async () => {
    const { key, organizationId } = await app.createAccount();
    const body = { destination_url: 'example.com' };
    const { id } = (await app.call('POST', '/api/v1/link', { key, body })).json;
    const { database } = app.app.context;
    const hit = { link: id, organization: organizationId, at: app.clock.now - minuteLength };
    await seedHits(database, [hit, hit, hit]);
    const owner = { kind: 'link', id, organizationId } as const;
    const read = (from = database) =>
      readClicks(
        from,
        { owner, class: 'click', range: {}, rawSince: start },
        { limit: 25, offset: 0, before: undefined },
      );
    const before = await read();
    let hasArrived = false;
    const arrival: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (!hasArrived) {
          hasArrived = true;
          await insertHits(database, [hit]);
        }
        return result;
      },
    };
    const during = await read({ ...database, read: database.read.withPlugin(arrival) });
    expect(hasArrived).toBe(true);
    expect(before.clicks).toHaveLength(3);
    expect(during.clicks).toEqual(expect.arrayContaining([...before.clicks]));
  });

  const manyClicks = 10_000;
  /** Exports the clicks of a link that has so many that the socket buffers don't hold them. */
  async function startLongExport(signal?: AbortSignal): Promise<Response> {
    longLink ??= await newLinkWithManyClicks();
    return fetch(`${app.url}/api/v1/link/${longLink}/clicks.csv`, {
      headers: { 'api-key': owner.key },
      ...(signal && { signal }),
    });
  }
  let longLink: number | undefined;
  async function newLinkWithManyClicks(): Promise<number> {
    const created = await newLink();
    const campaign = 'a campaign with a name as long as marketing likes them, '.repeat(18);
    const hits = Array.from({ length: manyClicks }, (_, index) => ({
      link: created,
      organization: owner.organizationId,
      at: start + index,
      utm_campaign: campaign,
    }));
    await insertHits(app.app.context.database, hits);
    return created;
  }

  test('a long export is streamed: complete, and never in memory as a whole', async () => {
    const response = await startLongExport();
    const memoryInUse = () => {
      Bun.gc(true);
      return heapStats().heapSize + process.memoryUsage().arrayBuffers;
    };
    const before = memoryInUse();
    let [bytes, lines, peak, measuredAt] = [0, 0, 0, 0];
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, end + 1)) lines += 1;
      if (bytes - measuredAt < 3_000_000) continue;
      measuredAt = bytes;
      peak = Math.max(peak, memoryInUse() - before);
    }
    expect(lines).toBe(manyClicks + 1);
    expect(bytes).toBeGreaterThan(10_000_000);
    expect(peak).toBeLessThan(4_000_000);
  });

  test('clients that stop reading long exports, and abort them, block no other call', async () => {
    const abort = new AbortController();
    // More than may read at the same time.
    const exports = await Promise.all(Array.from({ length: 12 }, () => startLongExport(abort.signal)));
    const readers = exports.map(({ body }) => body?.getReader());
    for (const reader of readers) expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
    const listClicks = async () => (await get(`/api/v1/link/${link}/clicks`)).json.total_clicks;
    expect(await listClicks()).toBe(61);
    abort.abort();
    for (const reader of readers)
      expect(await reader?.closed.catch(({ name }: Error) => name)).toBe('AbortError');
    expect(await listClicks()).toBe(61);
  });
});
