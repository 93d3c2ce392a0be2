import { beforeAll, describe, expect, test } from 'bun:test';
import { countEntry } from '../src/ledger/counts/hour-counts.ts';
import { openCounts } from '../src/ledger/open-counts.ts';
import { dimensionCodes } from '../src/rules/click-fields.ts';
import { storeKinds, type TestAccount } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
import { type SeedHit, seedHits } from './support/hits.ts';

describe.each(storeKinds)('statistics of some links on %s', (store) => {
  const app = appForSuite({ store, startsAt: Date.parse('2026-04-10T12:30:00Z') });
  let owner: TestAccount;
  let stranger: TestAccount;
  let tag: number;
  let unusedTag: number;
  let [first, second, third, foreign, foreignTag] = [0, 0, 0, 0, 0];

  const send = (method: string, path: string, body?: unknown, key = owner.key) =>
    app.call(method, `/api/v1${path}`, { key, ...(body === undefined ? {} : { body }) });
  const newLink = async (tags: number[], key = owner.key): Promise<number> =>
    (await send('POST', '/link', { destination_url: 'https://example.com', tags }, key)).json.id;
  const stats = async (query: string, key = owner.key) => {
    const { status, json } = await send('GET', `/stats?${query}`, undefined, key);
    return status === 200 ? json : { status, code: json.error_code, field: json.field_key };
  };

  beforeAll(async () => {
    [owner, stranger] = [await app.createAccount(), await app.createAccount()];
    tag = (await send('POST', '/tag', { name: 'spring' })).json.id;
    unusedTag = (await send('POST', '/tag', { name: 'unused' })).json.id;
    foreignTag = (await send('POST', '/tag', { name: 'theirs' }, stranger.key)).json.id;
    [first, second, third] = [await newLink([tag]), await newLink([tag]), await newLink([])];
    foreign = await newLink([], stranger.key);
    const hitOf = (link: number, organization = owner.organizationId) => ({ link, organization });
    const hits: SeedHit[] = [
      { ...hitOf(first), at: '2026-04-09T10:00:00Z', country: 'DE', device: 'mobile', visitor: 1 },
      { ...hitOf(first), at: '2026-04-09T11:00:00Z', country: 'FR', device: 'mobile', visitor: 2 },
      { ...hitOf(second), at: '2026-04-10T10:00:00Z', country: 'DE', device: 'desktop', visitor: 1 },
      { ...hitOf(second), at: '2026-04-10T10:00:00Z', class: 'bot', reason: 'monitor', country: 'US' },
      { ...hitOf(third), at: '2026-04-10T11:00:00Z', country: 'DE', device: 'mobile', visitor: 3 },
      { ...hitOf(foreign, stranger.organizationId), at: '2026-04-10T11:00:00Z', country: 'DE', visitor: 4 },
    ];
    await seedHits(app.app.context.database, hits);
  });

  test('clicks, visitors, groups and uncounted hits are the sums of the chosen links', async () => {
    for (const chosen of [
      `tag=${tag}`,
      `ids=${second},${first}`,
      `tag=${tag}&ids=${first},${second},${third}`,
    ]) {
      const found = await stats(`${chosen}&group_by=country`);
      expect([chosen, found.totals.clicks, found.totals.visitors, found.totals.not_counted.bot]).toEqual([
        chosen,
        3,
        3,
        1,
      ]);
      expect(found.visitors_are).toBe('per_link');
      expect(found.groups).toEqual([
        { value: 'DE', clicks: 2, not_counted: 0 },
        { value: 'FR', clicks: 1, not_counted: 0 },
      ]);
      expect(found.series.at(-2)).toMatchObject({ clicks: 2, visitors: 2 });
      expect(found.series.at(-1)).toMatchObject({ clicks: 1, visitors: 1, not_counted: 1 });
    }
    expect((await stats(`tag=${tag}&country=DE`)).totals.clicks).toBe(2);
    expect((await stats(`tag=${tag}&group_by=reason`)).groups).toEqual([
      { value: 'monitor', clicks: 0, not_counted: 1 },
    ]);
    expect((await stats(`ids=${first}`)).visitors_are).toBe('daily');
  });

  test('combined filters are counted from the hits of the chosen links', async () => {
    const found = await stats(`tag=${tag}&country=DE&group_by=device`);
    expect([found.from_raw, found.totals.clicks]).toEqual([true, 2]);
    expect(found.groups).toEqual([
      { value: 'desktop', clicks: 1, not_counted: 0 },
      { value: 'mobile', clicks: 1, not_counted: 0 },
    ]);
    expect((await stats(`ids=${third}&country=DE&device=mobile`)).totals.clicks).toBe(1);
    expect((await stats(`ids=${third}&country=DE&device=desktop`)).totals.clicks).toBe(0);
  });

  test('a domain selects the links on it', async () => {
    const { host } = new URL((await send('GET', `/link/${first}`)).json.url);
    expect((await stats(`domain=${host}&group_by=country`)).totals.clicks).toBe(4);
    expect((await stats(`domain=${host}&tag=${tag}`)).totals.clicks).toBe(3);
  });

  test('the export of individual hits has those of the chosen links', async () => {
    const exported = async (query: string) => {
      const { status, text, json } = await send('GET', `/clicks.csv?class=all&${query}`);
      if (status !== 200) return [status, json.error_code, json.field_key];
      const [names = '', ...lines] = text.trim().split('\r\n');
      const column = names.split(',').indexOf('link_id');
      return lines.map((line) => Number(line.split(',')[column])).sort((one, another) => one - another);
    };
    const all = [first, first, second, second, third];
    expect(await exported('')).toEqual(all);
    expect(await exported(`tag=${tag}`)).toEqual(all.slice(0, 4));
    expect(await exported(`ids=${third}`)).toEqual([third]);
    expect(await exported(`tag=${unusedTag}`)).toEqual([]);
    expect(await exported(`ids=${foreign}`)).toEqual([400, 'FIELD_INVALID', 'ids']);
  });

  test('the list of individual hits has those of the chosen links, page by page', async () => {
    const listed = async (query: string) => {
      const { status, json } = await send('GET', `/clicks?${query}`);
      if (status !== 200) return [status, json.error_code, json.field_key];
      const links = json.clicks.map(({ link_id }: { link_id: number }) => link_id);
      return { links: links.sort((one: number, another: number) => one - another), total: json.total_clicks };
    };
    expect(await listed(`tag=${tag}`)).toEqual({ links: [first, first, second], total: 3 });
    expect(await listed(`tag=${tag}&class=all`)).toEqual({ links: [first, first, second, second], total: 4 });
    expect(await listed(`ids=${third}&from=2026-04-10T10:30:00Z`)).toEqual({ links: [third], total: 1 });
    expect(await listed(`tag=${unusedTag}`)).toEqual({ links: [], total: 0 });
    expect(await listed(`ids=${foreign}`)).toEqual([400, 'FIELD_INVALID', 'ids']);
    expect(await listed(`tag=${foreignTag}`)).toMatchObject([400, expect.any(String), 'tag']);

    const { host } = new URL((await send('GET', `/link/${first}`)).json.url);
    const seen: number[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const query: string = `domain=${host}&class=all&limit=2${cursor && `&cursor=${cursor}`}`;
      const { json } = await send('GET', `/clicks?${query}`);
      seen.push(...json.clicks.map(({ id }: { id: number }) => id));
      cursor = json.next;
    }
    expect([seen.length, new Set(seen).size]).toEqual([5, 5]);
    const { next } = (await send('GET', `/clicks?tag=${tag}&limit=1`)).json;
    expect(await listed(`ids=${first}&limit=1&cursor=${next}`)).toEqual([400, 'FIELD_INVALID', 'cursor']);
  });

  test('all counts are zero if no link matches', async () => {
    for (const query of [
      `tag=${unusedTag}`,
      `tag=${tag}&ids=${third}`,
      `tag=${unusedTag}&country=DE&group_by=device`,
    ]) {
      const { totals, groups } = await stats(query);
      expect([query, totals.clicks, groups ?? []]).toEqual([query, 0, []]);
    }
  });

  test('hours of several links are summed in more than one part, each hour once', async () => {
    const { database } = app.app.context;
    const hours = 700;
    const none = { page: 0, preview: 0, bot: 0, prefetch: 0, head: 0, repeat: 0, flood: 0 };
    const rows = [first, second, third].flatMap((link_id) =>
      Array.from({ length: hours }, (_, hour) => ({
        ...none,
        ...{ link_id, hour, click: 3, visitors: 0, loose: 0 },
        counts: countEntry(dimensionCodes.country, 5, 2),
      })),
    );
    await database.write((queries) => queries.insertInto('link_hours').values(rows).execute());
    const slice = {
      kind: 'rollups' as const,
      dimension: dimensionCodes.country,
      value: undefined,
      classes: undefined,
    };
    const counts = openCounts(
      database,
      { kind: 'organization', id: owner.organizationId, links: [first, second, third] },
      slice,
    );
    const groups = await counts.groups('country', { from: 0, to: hours }, 10);
    expect(groups.map(({ value, clicks }) => [value, clicks])).toEqual([
      [5, hours * 3 * 2],
      [0, hours * 3],
    ]);
    await database.write((queries) => queries.deleteFrom('link_hours').where('hour', '<', hours).execute());
  });

  test.each([
    [() => `tag=${foreignTag}`, 'TAG_NOT_FOUND', 'tag'],
    [() => `tag=${tag},${foreignTag}`, 'TAG_NOT_FOUND', 'tag'],
    [() => 'tag=spring', 'FIELD_INVALID', 'tag'],
    [() => `ids=${foreign}`, 'FIELD_INVALID', 'ids'],
    [() => `ids=${first},${foreign}`, 'FIELD_INVALID', 'ids'],
    [() => 'ids=', 'FIELD_INVALID', 'ids'],
    [() => 'domain=nobody.example', 'FIELD_INVALID', 'domain'],
  ] as [query: () => string, code: string, field: string][])(
    '%p is refused with %s',
    async (query, code, field) => {
      expect(await stats(query())).toEqual({ status: 400, code, field });
    },
  );
});
