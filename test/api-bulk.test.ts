import { beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { dayLength } from '../src/rules/durations.ts';
import { onOneStore, storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';

describe.each(storeKinds)('bulk calls on %s', (store) => {
  let tags: { id: number; name: string }[];
  /** If a number, the count of draws so far: the random source returns each byte value three times in a row. */
  let repeatingDraws: number | null = null;
  /** Draws left before the random source throws. */
  let drawsLeft = Number.POSITIVE_INFINITY;

  const bytes = (count: number) => {
    if (drawsLeft-- <= 0) throw new Error('the random source is broken');
    return repeatingDraws === null
      ? randomBytes(count)
      : Buffer.alloc(count, Math.floor(repeatingDraws++ / 3));
  };
  // Scheduled changes draw random bytes, too.
  const overrides = { randomBytes: bytes, scheduledInterval: 10 * dayLength };
  const { app, owner, call: send } = appWithOwner({ store, overrides });

  const bulk = (links: unknown, query = '', key = owner.key) =>
    send('POST', `/link/bulk${query}`, { links }, key);
  const make = async (body: object = {}) =>
    (await send('POST', '/link', { destination_url: 'https://example.com', ...body })).json;
  const remove = (...ids: number[]) => send('POST', '/link/bulk_delete', { ids });
  const total = async (key = owner.key) =>
    (await send('GET', '/link?limit=1', undefined, key)).json.total_links;
  const linksOfTag = async (id: number) => (await send('GET', `/tag/${id}`)).json.links;

  beforeAll(async () => {
    tags = [];
    for (const name of ['red', 'green', 'blue']) tags.push((await send('POST', '/tag', { name })).json);
  });

  // Links are stored in parts of 250, which overlapped: one call in three gave addresses to two links on SQLite, none on PostgreSQL.
  test('an address becomes an alias of one link, or the suffix of another', async () => {
    for (let round = 0; round < (store === 'sqlite' ? 6 : 1); round++) {
      const addresses = Array.from({ length: 250 }, (_, index) => `alias-or-suffix-${round}-${index}`);
      const links = [
        ...addresses.map((address) => ({ destination_url: 'https://example.com', aliases: [address] })),
        ...addresses.map((address) => ({ destination_url: 'https://example.com', suffix: address })),
      ];
      const { json } = await bulk(links, '?disable_png=true');
      const statuses = json.results.map(({ status }: { status: number }) => status);
      expect(statuses.sort()).toEqual([...Array(250).fill(201), ...Array(250).fill(409)]);
    }
  });

  test("each link has its own result, in the order of the request, and an invalid one doesn't affect the rest", async () => {
    await make({ suffix: 'exists-already' });
    const before = await total();
    const { status, json } = await bulk([
      { destination_url: 'https://example.com/1', suffix: 'bulk-1', tags: [tags[0]?.id] },
      { destination_url: 'https://example.com/2', suffix: 'exists-already' },
      { destination_url: 'javascript:alert(1)' },
      'not a link',
      { destination_url: 'https://example.com/5', nmae: 'slip' },
      { destination_url: 'https://example.com/6', tags: [987_654] },
      { destination_url: 'https://example.com/7', suffix: 'bulk-1' },
      { destination_url: 'example.com/8' },
    ]);
    expect(status).toBe(200);
    const outcomes = json.results.map(
      (result: { status: number; error?: { error_code: string; field_key: string } }) => [
        result.status,
        result.error?.error_code,
        result.error?.field_key,
      ],
    );
    expect(outcomes).toEqual([
      [201, undefined, undefined],
      [409, 'SUFFIX_TAKEN', 'suffix'],
      [400, 'DESTINATION_INVALID', 'destination_url'],
      [400, 'FIELD_INVALID', undefined],
      [400, 'FIELD_UNKNOWN', 'nmae'],
      [400, 'TAG_NOT_FOUND', 'tags'],
      [409, 'SUFFIX_TAKEN', 'suffix'],
      [201, undefined, undefined],
    ]);
    expect(await total()).toBe(before + 2);
    for (const { link } of [json.results[0], json.results[7]]) {
      expect((await send('GET', `/link/${link.id}`)).json).toEqual(link);
      expect((await app.visit(`/${link.suffix}`)).headers.get('location')).toBe(link.destination_url);
    }
  });

  onOneStore(store, () => {
    test('an entry that is not an object is refused as such, without the hint about bulk calls', async () => {
      const sentence =
        'Each entry of "links" must be a JSON object, such as {"destination_url": "https://example.com"}.';
      const { json } = await bulk([
        [{ destination_url: 'https://example.com' }],
        null,
        'https://example.com',
      ]);
      for (const { error } of json.results) expect(error.error_string).toBe(sentence);
      const atomic = await bulk([null], '?atomic=true');
      expect([atomic.status, atomic.json.field_key, atomic.json.error_string]).toEqual([
        400,
        'links.0',
        `Link 1 of 1: ${sentence}`,
      ]);
    });
  });

  test('atomic=true creates all links or none, and reports the errors of each', async () => {
    const before = await total();
    const refused = await bulk(
      [
        { destination_url: 'https://example.com/a', suffix: 'atomic-a' },
        { destination_url: 'https://example.com/b', suffix: '///' },
        { destination_url: 'no such scheme:' },
      ],
      '?atomic=true',
    );
    expect([refused.status, refused.json.error_code]).toEqual([400, 'SUFFIX_INVALID']);
    expect(refused.json.errors.map((error: { field_key: string }) => error.field_key)).toEqual([
      'links.1.suffix',
      'links.2.destination_url',
    ]);
    await make({ suffix: 'atomic-taken' });
    const taken = await bulk(
      [
        { destination_url: 'e.com', suffix: 'atomic-a' },
        { destination_url: 'e.com', suffix: 'atomic-taken' },
      ],
      '?atomic=true',
    );
    expect([taken.status, taken.json.error_code, taken.json.field_key]).toEqual([
      409,
      'SUFFIX_TAKEN',
      'links.1.suffix',
    ]);
    expect(await total()).toBe(before + 1);
    expect((await app.visit('/atomic-a')).status).toBe(404);
    const made = await bulk(
      [{ destination_url: 'e.com', suffix: 'atomic-a' }],
      '?atomic=true&disable_png=true',
    );
    expect(made.json.results[0]).toMatchObject({
      status: 201,
      link: { suffix: 'atomic-a', qr_code_png: null },
    });
  });

  test('a call may have 1,000 links', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        destination_url: `https://example.com/many/${index}`,
        tags: [tags[index % 2]?.id],
      }));
    const [red, before] = [await linksOfTag(tags[0]?.id ?? 0), await total()];
    const { json } = await bulk(many(1000));
    expect(json.results.every(({ status }: { status: number }) => status === 201)).toBe(true);
    expect(json.results[999].link.destination_url).toBe('https://example.com/many/999');
    expect(new Set(json.results.map(({ link }: { link: { suffix: string } }) => link.suffix)).size).toBe(
      1000,
    );
    expect(await total()).toBe(before + 1000);
    expect(await linksOfTag(tags[0]?.id ?? 0)).toBe(red + 500);
  });

  onOneStore(store, () => {
    test('a call with no link, with more than 1,000, or with a larger body is refused', async () => {
      const link = { destination_url: 'https://example.com/many' };
      for (const count of [1001, 0])
        expect((await bulk(Array(count).fill(link))).json.field_key).toBe('links');
      const huge = await bulk(Array(900).fill({ ...link, og_description: 'x'.repeat(6000) }));
      expect([huge.status, huge.json.error_code]).toEqual([413, 'BODY_TOO_LARGE']);
      const single = await send('POST', '/link', { ...link, og_description: 'x'.repeat(70_000) });
      expect(single.status).toBe(413);
    });
  });

  test('the response has each link as it is read later, for any kind of link', async () => {
    const kinds = [
      { destination_url: 'https://example.com/plain' },
      {
        destination_url: 'https://example.com/coloured',
        qr_code_foreground_hex: '#7a1f3d',
        qr_code_marker: true,
      },
      { destination_url: 'https://example.com/named', name: 'A "name"\\ and 🦊\n', og_title: '</script>' },
      { destination_url: 'https://example.com/apps', ios_link_destination: 'apps.example.com/ios' },
      {
        destination_url: 'https://example.com/until',
        expiration_date: '2999-12-31',
        webhook_auth_key: 'key',
      },
      { destination_url: 'https://example.com/guarded', bot_protection: true, captcha: true, name: '' },
      { destination_url: 'https://example.com/tagged', tags: [tags[2]?.id, tags[0]?.id, tags[2]?.id] },
      { destination_url: 'https://example.com/refused', tags: [987_654] },
    ];
    const suffixOf = (index: number) => (index % 3 === 0 ? { suffix: `Bücher/${store}-🦊-${index}` } : {});
    const links = Array.from({ length: 304 }, (_, index) => ({
      ...kinds[index % kinds.length],
      ...suffixOf(index),
    }));
    const { json } = await bulk(links);
    const read = (await send('GET', '/link?limit=266')).json.links;
    const byId = new Map(read.map((link: { id: number }) => [link.id, link]));
    for (const [index, { status, link }] of json.results.entries()) {
      expect(status).toBe(index % kinds.length === 7 ? 400 : 201);
      if (status !== 201) continue;
      expect(link).toEqual(byId.get(link.id));
      expect(link.destination_url).toBe(kinds[index % kinds.length]?.destination_url);
    }
    expect(byId.size).toBe(266);
    for (const { link } of json.results.slice(0, 7))
      expect((await send('GET', `/link/${link.id}`)).json).toEqual(link);
  });

  test.each([
    ['early in a call, before any of its links was stored', 100],
    ['late in a call, after some of its links were stored', 700],
  ])('an error %s, leaves none of them', async (_when, draws) => {
    const before = await total();
    drawsLeft = draws;
    const broken = await bulk(
      Array.from({ length: 1000 }, () => ({ destination_url: 'https://example.com' })),
    );
    drawsLeft = Number.POSITIVE_INFINITY;
    expect(broken.status).toBe(500);
    expect(app.faults.splice(0)).toEqual([expect.stringContaining('the random source is broken')]);
    expect(await total()).toBe(before);
    expect((await bulk([{ destination_url: 'https://example.com' }])).json.results[0].status).toBe(201);
    expect(await total()).toBe(before + 1);
  });

  test('a random suffix that is taken, by a link or in the bin, is replaced by another', async () => {
    repeatingDraws = 0;
    const first = await make();
    await remove(first.id);
    const { json } = await bulk(Array.from({ length: 7 }, () => ({ destination_url: 'e.com' })));
    const single = await make();
    repeatingDraws = null;
    const made = json.results.map(({ link }: { link: { suffix: string } }) => link.suffix);
    expect(new Set([first.suffix, ...made, single.suffix]).size).toBe(9);
    for (const { link } of json.results) expect((await send('GET', `/link/${link.id}`)).json).toEqual(link);
    for (const suffix of [...made, single.suffix]) expect((await app.visit(`/${suffix}`)).status).toBe(302);
    expect((await send('POST', '/link/restore', { ids: [first.id] })).json.restored).toBe(1);
  });

  test('only a limited number of links in a call may have a password, and these work', async () => {
    const { json } = await bulk(
      Array.from({ length: 22 }, (_, index) => ({ destination_url: `e.com/${index}`, password: 'sesame' })),
    );
    const statuses = json.results.map(({ status }: { status: number }) => status);
    expect(statuses).toEqual([...Array(20).fill(201), 400, 400]);
    expect(json.results[20].error.field_key).toBe('password');
    expect(json.results[0].link.has_password).toBe(true);
  });

  test('of many simultaneous calls for the same suffixes, each suffix goes to one', async () => {
    const suffixes = Array.from({ length: 40 }, (_, index) => `wanted-${index}`);
    const calls = await Promise.all(
      Array.from({ length: 6 }, (_, call) =>
        bulk(
          (call % 2 ? [...suffixes].reverse() : suffixes).map((suffix) => ({
            destination_url: 'e.com',
            suffix,
          })),
        ),
      ),
    );
    const made = calls.flatMap(({ json }) =>
      json.results.flatMap(({ link }: { link?: { suffix: string } }) => link?.suffix ?? []),
    );
    expect(made.sort()).toEqual([...suffixes].sort());
  });

  test('tags are added to and removed from many links, and each changed link has a new updated_at', async () => {
    const [red, green, blue] = tags.map((tag) => tag.id) as [number, number, number];
    const [one, two, foreign] = [await make({ tags: [red] }), await make(), await app.createAccount()];
    const theirs = (await send('POST', '/link', { destination_url: 'e.com' }, foreign.key)).json;
    const counts = async () => await Promise.all([red, green, blue].map(linksOfTag));
    const before = await counts();
    const change = {
      ids: [one.id, two.id, theirs.id, 999_999],
      add_tags: [green, String(blue)],
      remove_tags: [red],
    };
    expect((await send('PATCH', '/link/bulk', change)).json).toEqual({ updated: 2 });
    const tagged = (await send('GET', `/link/${one.id}`)).json;
    expect(tagged.tags.map((tag: { id: number }) => tag.id)).toEqual([green, blue]);
    expect(tagged.updated_at > one.updated_at).toBe(true);
    expect((await send('GET', `/link/${theirs.id}`, undefined, foreign.key)).json).toEqual(theirs);
    expect(await counts()).toEqual([(before[0] ?? 0) - 1, (before[1] ?? 0) + 2, (before[2] ?? 0) + 2]);
    expect((await send('PATCH', '/link/bulk', change)).json).toEqual({ updated: 2 });
    expect((await send('GET', `/link/${one.id}`)).json).toEqual(tagged);
    expect(await counts()).toEqual([(before[0] ?? 0) - 1, (before[1] ?? 0) + 2, (before[2] ?? 0) + 2]);
    const unknown = await send('PATCH', '/link/bulk', { ids: [one.id], add_tags: [red, 999_999] });
    expect([unknown.status, unknown.json.field_key]).toEqual([400, 'add_tags']);
    expect((await send('GET', `/link/${one.id}`)).json).toEqual(tagged);
  });
});
