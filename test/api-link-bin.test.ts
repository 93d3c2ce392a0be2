import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { cleanUp } from '../src/manage/clean-up.ts';
import { dayLength } from '../src/rules/durations.ts';
import { insertDomain, updateDomain } from '../src/storage/domains.ts';
import { countRows } from '../src/storage/rows.ts';
import { storeKinds, type TestAccount } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
import { insertHits } from './support/hits.ts';

describe.each(storeKinds)('the bin on %s', (store) => {
  const app = appForSuite({ store });
  let owner: TestAccount;
  let stranger: TestAccount;
  beforeAll(async () => {
    stranger = await app.createAccount();
  });
  beforeEach(async () => {
    owner = await app.createAccount();
  });

  const send = (method: string, path: string, body?: unknown, key = owner.key) =>
    app.call(method, `/api/v1${path}`, { key, ...(body === undefined ? {} : { body }) });
  const create = (suffix: string, to = 'https://example.com/', key = owner.key) =>
    send('POST', '/link', { destination_url: to, suffix, name: `secret ${suffix}` }, key);
  const idOf = async (suffix: string, to?: string): Promise<number> => (await create(suffix, to)).json.id;
  const remove = (id: number) => send('DELETE', `/link/${id}`);
  const restore = (...ids: number[]) => send('POST', '/link/restore', { ids });
  const bin = async () => (await send('GET', '/link/deleted')).json;
  let made = 0;
  const newSuffix = () => `bin-${store}-${++made}`;
  const locationOf = async (suffix: string) => (await app.visit(`/${suffix}`)).headers.get('location');

  test('the organization of a deleted link may reuse its suffix, in each call that creates links', async () => {
    for (const make of [
      (suffix: string) => create(suffix, 'https://example.com/new'),
      async (suffix: string) => {
        const links = [{ destination_url: 'https://example.com/new', suffix }, { destination_url: 'e.com' }];
        return (await send('POST', '/link/bulk', { links })).json.results[0];
      },
      async (suffix: string) => {
        const { id } = (await send('POST', '/tag', { name: suffix })).json;
        return send('POST', '/link', { destination_url: 'https://example.com/new', suffix, tags: [id] });
      },
    ]) {
      const suffix = newSuffix();
      const old = await idOf(suffix, 'https://example.com/old');
      await remove(old);
      const response = await make(suffix);
      expect([suffix, response.status]).toEqual([suffix, 201]);
      expect(await locationOf(suffix)).toBe('https://example.com/new');
      const listed = (await bin()).links.find((link: { id: number }) => link.id === old);
      expect(listed.suffix_taken_by).toBe((response.json ?? response.link).id);
    }
  });

  test('a deleted link whose suffix is in use is listed with the link that has it, and can be restored once the suffix is free', async () => {
    const suffix = newSuffix();
    const old = await idOf(suffix, 'https://example.com/old');
    await remove(old);
    const newer = await idOf(suffix, 'https://example.com/newer');
    const refused = await restore(old);
    expect([refused.status, refused.json.error_code]).toEqual([409, 'SUFFIX_TAKEN']);
    expect(refused.json.error_string).toContain(`link ${newer}`);
    expect(await locationOf(suffix)).toBe('https://example.com/newer');
    await remove(newer);
    expect((await bin()).links.map((link: object) => 'suffix_taken_by' in link)).toEqual([false, false]);
    expect((await restore(old)).json).toEqual({ restored: 1, ids: [old] });
    expect(await locationOf(suffix)).toBe('https://example.com/old');
    expect((await bin()).links[0]).toMatchObject({ id: newer, suffix_taken_by: old });
  });

  test('of several deleted links with one suffix the one deleted last is restored, together with links of other suffixes', async () => {
    const [suffix, other] = [newSuffix(), newSuffix()];
    const [first, alone] = [await idOf(suffix), await idOf(other)];
    await remove(first);
    app.clock.now += 1_000;
    const second = await idOf(suffix);
    await remove(second);
    await remove(alone);
    const response = await restore(first, second, alone);
    expect(response.json.ids.toSorted()).toEqual([second, alone].toSorted());
    const { total_links } = (await send('GET', '/link?limit=1')).json;
    expect([total_links, (await bin()).total_links]).toEqual([2, 1]);
  });

  test('the aliases of a deleted link stay reserved when a creation that would have had them is refused', async () => {
    const [taken, ...reserved] = [newSuffix(), newSuffix(), newSuffix()] as const;
    const createWith = (fields: object, key = owner.key) =>
      send('POST', '/link', { destination_url: 'https://example.com/', ...fields }, key);
    const { id } = (await createWith({ aliases: reserved })).json;
    await createWith({ suffix: taken });
    await remove(id);
    for (const fields of [
      { aliases: [reserved[0], taken] },
      { suffix: newSuffix(), aliases: [reserved[0], taken] },
      { suffix: reserved[1], aliases: [taken] },
    ]) {
      const { status, json } = await createWith(fields);
      expect([status, json.error_code, json.field_key]).toEqual([409, 'SUFFIX_TAKEN', 'aliases']);
    }
    for (const suffix of reserved)
      expect((await createWith({ suffix }, stranger.key)).json.error_code).toBe('SUFFIX_TAKEN');
    await restore(id);
    for (const suffix of reserved) expect(await locationOf(suffix)).toBe('https://example.com/');
  });

  test('emptying the bin counts the links that it listed, and none of a deleted domain', async () => {
    const { database } = app.app.context;
    const host = `bin-${store}.example.com`;
    const domain = await database.write((queries) =>
      insertDomain(queries, {
        ...{ organization_id: owner.organizationId, host, proof: '', created_at: 0, next_check_at: null },
      }),
    );
    await database.write((queries) =>
      updateDomain(queries, owner.organizationId, domain ?? 0, { verified_at: 1 }),
    );
    const fields = { destination_url: 'https://example.com/', domain: host };
    for (let made = 0; made < 3; made++) expect((await send('POST', '/link', fields)).status).toBe(201);
    expect((await send('DELETE', `/domain/${domain}?links=delete`)).status).toBe(204);
    await remove(await idOf(newSuffix()));
    expect((await bin()).total_links).toBe(1);
    expect((await send('DELETE', '/link/deleted')).json).toEqual({ deleted: 1 });
    const left = database.read.selectFrom('link_bin').where('emptied_at', 'is', null);
    expect(await countRows(left.where('organization_id', '=', owner.organizationId))).toBe(0);
  });

  test('of many simultaneous uses of the suffix and restorations, one succeeds', async () => {
    const suffix = newSuffix();
    const old = await idOf(suffix);
    await remove(old);
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, turn) => (turn % 3 === 0 ? restore(old) : create(suffix))),
    );
    expect(responses.filter(({ status }) => status < 300)).toHaveLength(1);
    for (const { status } of responses) expect([200, 201, 404, 409]).toContain(status);
    expect((await send('GET', '/link?limit=1')).json.total_links).toBe(1);
  });

  test('the hits of the older link stay with it', async () => {
    const suffix = newSuffix();
    const old = await idOf(suffix);
    const hit = { link: old, organization: owner.organizationId, at: app.clock.now };
    await insertHits(app.app.context.database, [hit, hit]);
    await remove(old);
    const newer = await idOf(suffix);
    expect((await send('GET', `/link/${newer}/clicks?class=all`)).json.clicks).toEqual([]);
    await remove(newer);
    await restore(old);
    const { rows } = await countOf(old);
    expect(rows).toBe(2);
  });
  const countOf = async (link: number) => ({
    rows: (
      await app.app.context.database.read
        .selectFrom('hits')
        .select('id')
        .where('link_id', '=', link)
        .execute()
    ).length,
  });

  test('one link can be deleted for good, which leaves only the reservation of its address', async () => {
    const [suffix, other] = [newSuffix(), newSuffix()];
    const [erased, kept] = [await idOf(suffix), await idOf(other)];
    await remove(erased);
    await remove(kept);
    expect((await send('DELETE', `/link/deleted/${erased}`, undefined, stranger.key)).status).toBe(404);
    expect((await send('DELETE', `/link/deleted/${erased}`)).status).toBe(204);
    for (const id of [erased, 987_654, 0])
      expect((await send('DELETE', `/link/deleted/${id}`)).status).toBe(404);
    const existing = await idOf(newSuffix());
    expect((await send('DELETE', `/link/deleted/${existing}`)).status).toBe(404);
    const { links, total_links } = await bin();
    expect([links.map(({ id }: { id: number }) => id), total_links]).toEqual([[kept], 1]);
    expect((await restore(erased)).status).toBe(404);
    const { database } = app.app.context;
    const binRows = await database.read.selectFrom('link_bin').selectAll().where('id', '=', erased).execute();
    expect(binRows).toHaveLength(1);
    expect(JSON.stringify(binRows)).not.toContain('example.com');
    expect(JSON.stringify(binRows)).not.toContain('secret');
    const foreign = await create(suffix, 'https://stranger.example/', stranger.key);
    expect([foreign.status, foreign.json.error_code]).toEqual([409, 'SUFFIX_TAKEN']);
    expect((await create(suffix, 'https://example.com/again')).status).toBe(201);
    expect(await locationOf(suffix)).toBe('https://example.com/again');
  });

  test('after 30 days the address of an erased link is free for everyone, and its row is deleted', async () => {
    const suffix = newSuffix();
    const id = await idOf(suffix);
    await remove(id);
    await send('DELETE', '/link/deleted');
    const { now } = app.clock;
    app.clock.now = now + 30 * dayLength - 1_000;
    expect((await create(suffix, 'https://stranger.example/', stranger.key)).status).toBe(409);
    app.clock.now = now + 30 * dayLength;
    expect((await create(suffix, 'https://stranger.example/', stranger.key)).status).toBe(201);
    await cleanUp(app.app.context);
    const { database } = app.app.context;
    expect(await database.read.selectFrom('link_bin').select('id').where('id', '=', id).execute()).toEqual(
      [],
    );
    app.clock.now = now;
  });

  test('the totals of a deleted link are deleted with it, those of its organization stay', async () => {
    const [suffix, other] = [newSuffix(), newSuffix()];
    const [id, kept] = [await idOf(suffix), await idOf(other)];
    for (const visited of [suffix, other]) await app.visit(`/${visited}`);
    await app.app.clicks.settled();
    const { read } = app.app.context.database;
    const counted = async (): Promise<number[][]> =>
      Promise.all(
        (['link_hours', 'link_clicks'] as const).map(async (table) => {
          const rows = await read
            .selectFrom(table)
            .select('link_id')
            .where('link_id', 'in', [id, kept])
            .execute();
          return rows.map(({ link_id }) => link_id).sort((one, another) => one - another);
        }),
      );
    await remove(id);
    await cleanUp(app.app.context);
    expect(await counted()).toEqual([
      [id, kept],
      [id, kept],
    ]);
    const { now } = app.clock;
    app.clock.now = now + 30 * dayLength;
    await cleanUp(app.app.context);
    expect(await counted()).toEqual([[kept], [kept]]);
    app.clock.now = now;
    expect((await send('GET', '/stats')).json.totals.clicks).toBe(2);
  });

  test('emptying the bin erases the links of only its own organization, however many', async () => {
    const idsOfMany = async (length: number) => {
      const links = Array.from({ length }, () => ({ destination_url: 'https://example.com/' }));
      const { json } = await send('POST', '/link/bulk?disable_png=true', { links });
      return json.results.map(({ link }: { link: { id: number } }) => link.id) as number[];
    };
    for (const ids of [await idsOfMany(1_000), (await idsOfMany(15)).slice(0, 5)])
      await send('POST', '/link/bulk_delete', { ids });
    const theirs = (await create(newSuffix(), 'https://stranger.example/', stranger.key)).json.id;
    await send('DELETE', `/link/${theirs}`, undefined, stranger.key);
    expect((await send('DELETE', '/link/deleted')).json).toEqual({ deleted: 1_005 });
    expect(await bin()).toEqual({ links: [], total_links: 0, next: null });
    expect((await send('DELETE', '/link/deleted')).json).toEqual({ deleted: 0 });
    expect((await send('GET', '/link?limit=1')).json.total_links).toBe(10);
    expect((await send('POST', '/link/restore', { ids: [theirs] }, stranger.key)).status).toBe(200);
  }, 240_000);
});
