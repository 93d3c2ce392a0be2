import { beforeAll, describe, expect, test } from 'bun:test';
import { type LinkToCreate, linkPreparer } from '../src/manage/links/prepare-link.ts';
import type { Caller } from '../src/rules/access.ts';
import { dayLength } from '../src/rules/durations.ts';
import { insertDomain } from '../src/storage/domains.ts';
import { type StoreKind, storeKinds, type TestAccount } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';

describe.each(storeKinds)('simultaneous creations on %s', (store: StoreKind) => {
  const { app, owner, call } = appWithOwner({ store });
  let other: TestAccount;

  beforeAll(async () => {
    other = await app.createAccount();
  });

  const callerOf = ({ userId, organizationId }: TestAccount): Caller => ({
    userId,
    organizationId,
    role: 'administrator',
    via: 'token',
  });
  const prepare = (account: TestAccount, input: Partial<LinkToCreate> = {}) =>
    linkPreparer(app.app.context, callerOf(account), false)({ destination_url: 'https://e.com', ...input });
  /** Stores all of them in the same tick. Returns each one's suffix, or the code of its refusal. */
  async function storeAll(links: readonly Awaited<ReturnType<typeof prepare>>[]): Promise<string[]> {
    const outcomes = await Promise.allSettled(links.map((link) => app.app.context.storeLink(link)));
    return outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value.link.suffix : outcome.reason.code,
    );
  }
  const total = async ({ key }: TestAccount) =>
    (await app.call('GET', '/api/v1/link?limit=1', { key })).json.total_links;

  test('each have their own outcome, for any organization and any reason to refuse one', async () => {
    const tag = (await call('POST', '/tag', { name: 'together' })).json.id;
    const binned = ['binned', 'long-gone'].map((name) => `${name}-${store}`);
    const now = app.clock.now;
    for (const suffix of binned) {
      app.clock.now = suffix.startsWith('long-gone') ? now - 31 * dayLength : now;
      const { json } = await call('POST', '/link', { destination_url: 'https://e.com', suffix });
      expect((await call('DELETE', `/link/${json.id}`, undefined)).status).toBe(204);
    }
    app.clock.now = now;
    const domains = await app.app.context.database.write(async (queries) => {
      const ids: number[] = [];
      for (const host of ['held.example', 'lost.example']) {
        const row = {
          organization_id: owner.organizationId,
          host,
          proof: 'x',
          created_at: now,
          next_check_at: null,
        };
        const id = await insertDomain(queries, row);
        ids.push(id ?? 0);
        if (host === 'held.example')
          await queries
            .updateTable('domains')
            .set({ verified_at: now })
            .where('id', '=', ids[0] ?? 0)
            .execute();
      }
      return ids;
    });
    const prepareOnDomain = async (index: number, suffix?: string) => {
      const link = await prepare(owner, suffix === undefined ? {} : { suffix });
      return { ...link, host: 'a.example', row: { ...link.row, domain_id: domains[index] ?? 0 } };
    };
    const before = [await total(owner), await total(other)];
    const links = await Promise.all([
      prepare(owner),
      prepare(owner, { suffix: 'wanted' }),
      prepare(other, { suffix: 'wanted' }),
      prepare(owner, { suffix: 'wanted' }),
      prepare(other, { suffix: binned[0] }),
      prepare(owner, { suffix: binned[1] }),
      prepare(owner, { suffix: 'tagged', tags: [tag] }),
      prepare(owner, { suffix: 'badly-tagged', tags: [987_654] }),
      prepareOnDomain(0, 'wanted'),
      prepareOnDomain(1, 'wanted'),
      prepareOnDomain(1),
      prepareOnDomain(0),
      prepare(other, { name: 'with a name', expiration_date: '2099-01-01' }),
      ...Array.from({ length: 20 }, () => prepare(other)),
    ]);
    const outcomes = await storeAll(links);
    const [first = '', ...rest] = outcomes;
    expect(first).toMatch(/^\w{7}$/);
    expect(rest.slice(0, 10)).toEqual([
      'wanted',
      'SUFFIX_TAKEN',
      'SUFFIX_TAKEN',
      'SUFFIX_TAKEN',
      binned[1] ?? '',
      'tagged',
      'TAG_NOT_FOUND',
      'wanted',
      'DOMAIN_UNVERIFIED',
      'DOMAIN_UNVERIFIED',
    ]);
    const [suffixOnDomain = '', ...others] = rest.slice(10);
    const random = [first, ...others];
    expect(new Set(random.concat(suffixOnDomain)).size).toBe(23);
    for (const suffix of [...random, 'wanted', 'tagged', binned[1]])
      expect((await app.visit(`/${suffix}`)).status).toBe(302);
    expect((await app.visit(`/${suffixOnDomain}`, { host: 'held.example' })).status).toBe(302);
    expect([await total(owner), await total(other)]).toEqual([(before[0] ?? 0) + 6, (before[1] ?? 0) + 21]);
    const isRandom = expect.stringMatching(/^\w{7}$/);
    expect(
      await storeAll(
        await Promise.all([prepareOnDomain(1), prepareOnDomain(0), prepareOnDomain(1), prepare(owner)]),
      ),
    ).toEqual(['DOMAIN_UNVERIFIED', isRandom, 'DOMAIN_UNVERIFIED', isRandom]);
  });

  test('lose no suffix, alias or external id to a link that is refused itself', async () => {
    const [taken, ...free] = ['taken', 'free-1', 'free-2', 'free-3', 'free-4'].map(
      (name) => `${name}-${store}`,
    ) as [string, string, string, string, string];
    await storeAll([await prepare(owner, { suffix: taken, external_id: 'taken' })]);
    const isRandom = expect.stringMatching(/^\w{7}$/);
    // The first of each call is stored at once, and the others together.
    const refusedForId = await storeAll([
      await prepare(owner),
      await prepare(owner, { suffix: free[0], external_id: 'taken' }),
      await prepare(other, { suffix: free[0] }),
    ]);
    expect(refusedForId).toEqual([isRandom, 'EXTERNAL_ID_TAKEN', free[0]]);
    const refusedForAlias = await storeAll([
      await prepare(owner),
      await prepare(owner, { suffix: free[1], aliases: [free[2], taken], external_id: 'free' }),
      await prepare(other, { suffix: free[1] }),
      await prepare(other, { suffix: free[3], aliases: [free[2]] }),
      await prepare(owner, { external_id: 'free' }),
    ]);
    expect(refusedForAlias).toEqual([isRandom, 'SUFFIX_TAKEN', free[1], free[3], isRandom]);
    for (const suffix of free) expect((await app.visit(`/${suffix}`)).status).toBe(302);
  });

  test('a visitor who got a 404 finds the link as soon as it is created', async () => {
    const suffixes = Array.from({ length: 12 }, (_, index) => `soon-there-${index}`);
    for (const suffix of suffixes) expect((await app.visit(`/${suffix}`)).status).toBe(404);
    const made = await Promise.all(
      suffixes.map((suffix) =>
        app.call('POST', '/api/v1/link', { key: owner.key, body: { destination_url: 'e.com', suffix } }),
      ),
    );
    expect(made.map(({ status }) => status)).toEqual(suffixes.map(() => 201));
    for (const suffix of suffixes) expect((await app.visit(`/${suffix}`)).status).toBe(302);
  });

  test('whose random suffix is taken by a link, a deleted link or an alias get another one', async () => {
    const create = async (suffix: string) =>
      (await call('POST', '/link', { destination_url: 'https://e.com', suffix })).json.id;
    const [id, deleted] = [await create('of-a-link'), await create('of-a-deleted-one')];
    expect((await call('PATCH', `/link/${id}`, { add_aliases: ['of-an-alias'] })).status).toBe(200);
    expect((await call('DELETE', `/link/${deleted}`)).status).toBe(204);
    const taken = ['of-a-link', 'of-a-deleted-one', 'of-an-alias'];
    const drawn = await Promise.all(
      [...taken, 'of-no-one'].map(async (suffix) => ({ ...(await prepare(other)), suffix })),
    );
    const suffixes = await storeAll(drawn);
    expect(suffixes.slice(0, 3)).toEqual(taken.map(() => expect.stringMatching(/^\w{7}$/)));
    expect(suffixes[3]).toBe('of-no-one');
    expect((await call('POST', '/link/restore', { ids: [deleted] })).status).toBe(200);
  });

  test('have their counts, a change for the feed and their pages to fetch, whatever they share', async () => {
    const hosts = ['one.example', null, 'two.example', 'one.example', null, null];
    const prepared = await Promise.all(
      hosts.map(async (pageHost, index) => ({
        ...(await prepare(index % 2 === 0 ? owner : other, index === 1 ? { name: 'named' } : {})),
        pageHost,
      })),
    );
    const counted = async () => [await total(owner), await total(other)];
    const [ofOwner = 0, ofOther = 0] = await counted();
    const made = await Promise.all(prepared.map((link) => app.app.context.storeLink(link)));
    expect(await counted()).toEqual([ofOwner + 3, ofOther + 3]);
    const { lookup } = app.app.context.database;
    const ids = made.map(({ link }) => link.id);
    const due = await lookup
      .selectFrom('due_pages')
      .select(['host', 'link_id'])
      .where('link_id', 'in', ids)
      .execute();
    expect(new Map(due.map(({ host, link_id }) => [link_id, host]))).toEqual(
      new Map(ids.flatMap((id, index) => (hosts[index] ? [[id, hosts[index]]] : []))),
    );
    const changes = await lookup.selectFrom('changes').select(['at', 'suffixes']).execute();
    for (const { link } of made) {
      const announced = changes.filter(({ suffixes }) => suffixes.split('\n').includes(link.suffix));
      expect(announced.map(({ at }) => at)).toEqual([app.clock.now]);
    }
  });

  test('of two with the same random suffix, one gets another one', async () => {
    const [one, two] = [await prepare(owner), await prepare(other)];
    const suffixes = await storeAll([
      { ...one, suffix: 'drawn-twice' },
      { ...two, suffix: 'drawn-twice' },
    ]);
    expect(suffixes).toEqual(['drawn-twice', expect.stringMatching(/^\w{7}$/)]);
  });

  test("one that the store can't accept fails alone", async () => {
    const [good, bad] = [await prepare(owner), await prepare(owner)];
    const broken = { ...bad, row: { ...bad.row, organization_id: 987_654_321 } };
    const outcomes = await Promise.allSettled(
      [good, broken, await prepare(owner), await prepare(other)].map((link) =>
        app.app.context.storeLink(link),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  });
});
