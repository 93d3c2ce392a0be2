import { beforeAll, describe, expect, test } from 'bun:test';
import { type RawBuilder, sql } from 'kysely';
import { countBlocks } from '../src/storage/links/link-blocks.ts';
import { countLinks, listLinks } from '../src/storage/links/list-links.ts';
import { storeKinds, type TestAccount } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
import { pollUntil } from './support/eventually.ts';

const perCall = 1000;
const calls = 24;

describe.each(storeKinds)('a long list on %s', (store) => {
  const app = appForSuite({ store });
  let owner: TestAccount;
  let stranger: TestAccount;
  let ids: number[];
  /** The links of call 0. */
  let originals: readonly number[];

  const send = (method: string, path: string, body?: unknown, key = owner.key) =>
    app.call(method, `/api/v1${path}`, { key, ...(body === undefined ? {} : { body }) });
  const createLinks = async (key: string, call: number, count = perCall) => {
    const links = Array.from({ length: count }, (_, index) => ({
      destination_url: `https://deep.example/${call}/${index}`,
    }));
    const { json } = await send('POST', '/link/bulk?disable_png=true', { links }, key);
    return json.results.map(({ link }: { link: { id: number } }) => link.id) as number[];
  };
  /** Copies the owner's links of call 0, as if another call had created them, in a tenth of the time. */
  const copy = async (account: TestAccount, [first = 0, ...others]: readonly number[], call: number) =>
    app.app.context.database.write(async (queries) => {
      const own = queries.selectFrom('links').where('organization_id', '=', owner.organizationId);
      const { id: _, ...row } = await own.selectAll().limit(1).executeTakeFirstOrThrow();
      const changed: Record<string, RawBuilder<unknown>> = {
        organization_id: sql.lit(account.organizationId),
        suffix: sql`suffix || ${sql.lit(`-${account.organizationId}-${call}`)}`,
        destination_url: renumbered('destination_url', call),
        search_text: renumbered('search_text', call),
      };
      const columns = Object.keys(row);
      const { rows } = await sql<{ id: number }>`
        insert into links (${sql.join(columns.map((column) => sql.ref(column)))})
        select ${sql.join(columns.map((column) => changed[column] ?? sql.ref(column)))} from links
        where organization_id = ${owner.organizationId} and id between ${first} and ${others.at(-1) ?? first}
        order by id returning id`.execute(queries);
      await sql`update link_counts set links = links + ${rows.length} where organization_id = ${account.organizationId}
        and shard = (select min(shard) from link_counts where organization_id = ${account.organizationId})`.execute(
        queries,
      );
      return rows.map(({ id }) => id).sort((one, other) => one - other);
    });
  const renumbered = (column: string, call: number) =>
    sql`replace(${sql.ref(column)}, 'deep.example/0/', ${sql.lit(`deep.example/${call}/`)})`;
  const page = async (query: string): Promise<number[]> =>
    (await send('GET', `/link?${query}`)).json.links.map(({ id }: { id: number }) => id);
  const findByText = (text: string) =>
    listLinks(
      app.app.context.database.read,
      owner.organizationId,
      { text: { text, reach: 'bounded' } },
      { limit: 100, offset: 0, order: '-created_at' },
    ).then(({ links }) => links.map(({ link }) => link.id));

  /** Expects each page to equal its slice of the whole list. */
  const expectRightPages = async () => {
    const newestFirst = ids.toReversed();
    const before = newestFirst[500] ?? 0;
    const below = newestFirst.filter((id) => id < before);
    for (const offset of [20_001, 20_480, ids.length - 3, ids.length + 5000]) {
      const end = offset + 5;
      const query = `limit=5&offset=${offset}`;
      expect([offset, await page(query)]).toEqual([offset, newestFirst.slice(offset, end)]);
      expect([offset, await page(`${query}&sort=created_at`)]).toEqual([offset, ids.slice(offset, end)]);
      expect([offset, await page(`${query}&before=${before}`)]).toEqual([offset, below.slice(offset, end)]);
    }
  };

  beforeAll(async () => {
    [owner, stranger] = [await app.createAccount(), await app.createAccount()];
    originals = await createLinks(owner.key, 0);
    ids = [...originals];
    await createLinks(stranger.key, 0, 1);
    for (let call = 1; call < calls; call++) {
      ids.push(...(await copy(owner, originals, call)));
      if (call % 6 === 0) await copy(stranger, originals, call);
    }
    // PostgreSQL doesn't count ids that may still be uncommitted; the older links' ids are now far below those.
    if (store === 'postgres') {
      await app.app.context.database.write((queries) =>
        sql`select setval(pg_get_serial_sequence('links', 'id'), 1000000)`.execute(queries),
      );
      ids.push(...(await copy(owner, originals, calls)));
    }
  }, 240_000);

  test('block counts for deep pages are made when the first page is read', async () => {
    const { database } = app.app.context;
    await page('limit=1');
    const marks = await pollUntil(
      () => database.read.selectFrom('link_block_marks').select('counted_to').execute(),
      ([mark]) => (mark?.counted_to ?? 0) > 20_000,
      'the blocks to be counted',
    );
    expect(marks).toHaveLength(1);
    await database.write((queries) => queries.deleteFrom('link_block_marks').execute());
  });

  test.if(store === 'postgres')('the first page is planned once, however many links there are', async () => {
    // As autovacuum does: the plan depends on PostgreSQL's statistics of the table.
    await sql`analyze links`.execute(app.app.context.database.read);
    for (let call = 0; call < 20; call++) await page('limit=25');
    const plans = await pollUntil(
      async () =>
        (
          await sql<{ custom_plans: number; generic_plans: number }>`
            select custom_plans, generic_plans from pg_prepared_statements where statement like '%links.xmin%'`.execute(
            app.app.context.database.read,
          )
        ).rows,
      (rows) => rows.some(({ generic_plans }) => generic_plans > 0),
      'a plan for any organization',
    );
    for (const { custom_plans } of plans) expect(custom_plans).toBeLessThanOrEqual(5);
  });

  test('deep pages are the same with and without block counts, and after deletions and restorations', async () => {
    const { database } = app.app.context;
    await expectRightPages();
    await countBlocks(database, owner.organizationId);
    const mark = await database.read
      .selectFrom('link_block_marks')
      .select('counted_to')
      .where('organization_id', '=', owner.organizationId)
      .executeTakeFirstOrThrow();
    expect(mark.counted_to).toBeGreaterThan(20_000);
    await expectRightPages();
    const deletedIds = ids.filter((_, index) => index % 29 === 3);
    for (let start = 0; start < deletedIds.length; start += perCall) {
      await send('POST', '/link/bulk_delete', { ids: deletedIds.slice(start, start + perCall) });
    }
    ids = ids.filter((id) => !deletedIds.includes(id));
    await expectRightPages();
    const restoredIds = deletedIds.filter((_, index) => index % 2 === 0).slice(0, perCall);
    await send('POST', '/link/restore', { ids: restoredIds });
    ids = [...ids, ...restoredIds].sort((one, other) => one - other);
    ids.push(...(await createLinks(owner.key, calls + 1, 100)));
    await expectRightPages();
    await countBlocks(database, owner.organizationId);
    await expectRightPages();
  }, 240_000);

  test('links deleted during counting are not on its pages', async () => {
    const { database } = app.app.context;
    await database.write((queries) => queries.deleteFrom('link_block_marks').execute());
    const deletedIds = ids.filter((_, index) => index % 17 === 5).slice(0, 40);
    const remove = async (id: number) => {
      for (;;) {
        const { status } = await send('DELETE', `/link/${id}`);
        // 504 if it waited too long, 503 if there were too many at once: both are tried again.
        if (status !== 504 && status !== 503) return status;
      }
    };
    const [, , ...statuses] = await Promise.all([
      countBlocks(database, owner.organizationId),
      countBlocks(database, owner.organizationId),
      ...deletedIds.map(remove),
    ]);
    expect(statuses.filter((status) => status !== 204 && status !== 404)).toEqual([]);
    ids = ids.filter((id) => !deletedIds.includes(id));
    await expectRightPages();
  }, 240_000);

  test('among very many links the newest are found by any part of a text, and all by its beginning', async () => {
    const make = async (body: object) =>
      (await send('POST', '/link', { destination_url: 'https://example.com', ...body })).json.id as number;
    const [bySuffix, byName, byAddress] = [
      await make({ suffix: `Needle-${store}` }),
      await make({ name: 'Needle 50% in\nthe hay' }),
      await make({ destination_url: 'https://www.needle.example/Path?x=1' }),
    ];
    const all = [byAddress, byName, bySuffix];
    const byAlias = await make({ aliases: [`thimble-${store}`, `Åre-${store}`] });
    expect(await findByText('needle')).toEqual(all);
    expect(await findByText('50% IN')).toEqual([byName]);
    for (let call = 0; call < 12; call++) ids.push(...(await copy(owner, originals, calls + 2 + call)));
    expect(await findByText('NEEDLE')).toEqual(all);
    expect(await findByText(`needle-${store}`)).toEqual([bySuffix]);
    expect(await findByText('needle 50% in the')).toEqual([byName]);
    for (const alias of [`thimble-${store}`, ` THIMBLE-${store}`, `A\u030are-${store}`])
      expect(await findByText(alias)).toEqual([byAlias]);
    for (const address of [
      'needle.example/path',
      'www.needle.example',
      'https://www.needle.example/PATH?x=1',
    ]) {
      expect(await findByText(address)).toEqual([byAddress]);
    }
    expect(await findByText('50% in')).toEqual([]);
    expect(await findByText('needle_')).toEqual([]);
    expect(await findByText(`needle${'x'.repeat(190)}`)).toEqual([]);
    expect(await findByText('deep.example/23/999')).toHaveLength(1);
    const { database } = app.app.context;
    const filter = { text: { text: 'needle', reach: 'bounded' } } as const;
    expect(await countLinks(database.read, owner.organizationId, filter)).toBe(3);
    expect(await countLinks(database.read, stranger.organizationId, filter)).toBe(0);
  }, 240_000);

  test('a search says when there were too many links to look at each', async () => {
    const account = await app.createAccount();
    const tag = (await send('POST', '/tag', { name: 'few' }, account.key)).json.id;
    for (const tags of [[tag], []])
      await app.createLink(account, { destination_url: 'https://example.com/searched', tags });
    const countAs = (links: number) =>
      app.app.context.database.write(async (queries) => {
        const rows = () => sql`organization_id = ${account.organizationId}`;
        await sql`update link_counts set links = 0 where ${rows()}`.execute(queries);
        await sql`update link_counts set links = ${links} where ${rows()}
          and shard = (select min(shard) from link_counts where ${rows()})`.execute(queries);
      });
    const partial = async (query: string) => {
      const { json } = await send('GET', `/link?${query}`, undefined, account.key);
      expect(json.links.length).toBeGreaterThan(0);
      return json.partial;
    };
    await countAs(50_000);
    expect(await partial('q=searched')).toBeUndefined();
    await countAs(50_001);
    expect(await partial('q=searched')).toBe(true);
    const { next } = (await send('GET', '/link?q=searched&limit=1', undefined, account.key)).json;
    expect(await partial(`q=searched&cursor=${next}`)).toBe(true);
    expect(await partial(`q=searched&tag=${tag}`)).toBeUndefined();
    expect(await partial('limit=25')).toBeUndefined();
  });

  test('a search among very many links with a tag takes no longer than among all', async () => {
    const { database } = app.app.context;
    const tag = (await send('POST', '/tag', { name: 'nearly all' })).json.id;
    await database.write((queries) =>
      sql`insert into link_tags (link_id, tag_id) select id, ${tag} from links
        where organization_id = ${owner.organizationId} and id > ${ids[0]}`.execute(queries),
    );
    const tags = [{ id: tag, links: ids.length - 1 }];
    const text = { text: 'deep.example', reach: 'bounded' } as const;
    expect(await countLinks(database.read, owner.organizationId, { tags, text })).toBeGreaterThan(9_000);
    expect(await countLinks(database.read, owner.organizationId, { tags, ids })).toBe(ids.length - 1);
  }, 60_000);

  test('every order lists all links once, and in reverse as well', async () => {
    const account = await app.createAccount();
    const names = ['beta', 'Alpha', null, 'alpha', 'Ärger', null, 'zeta', '_', 'ALPHA'];
    for (const [index, name] of names.entries()) {
      const body = {
        destination_url: 'https://example.com',
        name,
        suffix: `${index % 2 ? 'B' : 'a'}${index}-${store}`,
      };
      await send('POST', '/link', body, account.key);
    }
    const allPages = async (sort: string) => {
      const links = [];
      for (let offset = 0; offset < names.length; offset += 3) {
        links.push(
          ...(await send('GET', `/link?sort=${sort}&limit=3&offset=${offset}`, undefined, account.key)).json
            .links,
        );
      }
      return links as { id: number; name: string | null; suffix: string }[];
    };
    const named = (await allPages('name')).map(({ name }) => name?.toLowerCase() ?? null);
    expect(named).toEqual(['_', 'alpha', 'alpha', 'alpha', 'beta', 'zeta', 'ärger', null, null]);
    const backwards = (await allPages('-name')).map(({ name }) => name?.toLowerCase() ?? null);
    expect(backwards).toEqual([...named.slice(0, 7).reverse(), null, null]);
    const suffixes = (await allPages('suffix')).map(({ suffix }) => suffix.slice(0, 2));
    expect(suffixes).toEqual(['a0', 'a2', 'a4', 'a6', 'a8', 'B1', 'B3', 'B5', 'B7']);
    for (const order of ['suffix', 'updated_at', 'created_at']) {
      const [forward, reverse] = [await allPages(order), await allPages(`-${order}`)];
      expect(new Set(forward.map(({ id }) => id)).size).toBe(names.length);
      expect(reverse.map(({ id }) => id)).toEqual(forward.map(({ id }) => id).reverse());
    }
  });
});
