import { beforeEach, describe, expect, test } from 'bun:test';
import { linkOrders } from '../src/rules/link-order.ts';
import { storeKinds, type TestAccount } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
import { foldClicks } from './support/click.ts';
import { insertHits, seedHits } from './support/hits.ts';
import { seededRandom } from './support/seeded-random.ts';

describe.each(storeKinds)('pages by cursor on %s', (store) => {
  const app = appForSuite({ store });
  let owner: TestAccount;
  beforeEach(async () => {
    owner = await app.createAccount();
  });

  const send = (method: string, path: string, body?: unknown, key = owner.key) =>
    app.call(method, `/api/v1${path}`, { key, ...(body === undefined ? {} : { body }) });
  const draw = seededRandom(20261122);
  /** Names that are hard to order: equal, missing, in other scripts, and long ones that differ only at the end. */
  const someName = () =>
    [null, 'Same', 'same', `n${draw(30)}`, 'Ünïcode', '日本', `${'long '.repeat(20)}${draw(5)}`][draw(7)] ??
    null;
  let made = 0;
  async function makeLinks(count: number, fields: object = {}): Promise<number[]> {
    const links = Array.from({ length: count }, () => ({
      destination_url: `https://cursor.example/${draw(100)}`,
      name: someName(),
      ...(draw(2) === 0 ? { suffix: `${'S'.repeat(70 * draw(2))}${draw(26).toString(36)}${++made}` } : {}),
      ...fields,
    }));
    const { json } = await send('POST', '/link/bulk?disable_png=true', { links });
    const ids: number[] = json.results.map(({ link }: { link: { id: number } }) => link.id);
    await setClicks(ids.filter((id) => id % 3 > 0).map((id) => [id, 1 + draw(4)]));
    return ids;
  }
  const setClicks = async (clicks: readonly (readonly [link: number, clicks: number])[]) =>
    clicks.length > 0 &&
    app.app.context.database.write((queries) =>
      queries
        .insertInto('link_clicks')
        .values(clicks.map(([link_id, count]) => ({ link_id, clicks: count, last_clicked_at: 1 })))
        .onConflict((conflict) =>
          conflict.column('link_id').doUpdateSet((row) => ({ clicks: row.ref('excluded.clicks') })),
        )
        .execute(),
    );
  /** All pages from first to last; `between` runs before each page but the first. */
  async function pagesOf(
    query: string,
    between: () => Promise<unknown> = async () => {},
  ): Promise<number[][]> {
    const pages: number[][] = [];
    for (let cursor = ''; ; ) {
      const { status, json } = await send('GET', `/link?${query}${cursor && `&cursor=${cursor}`}`);
      expect([query, status]).toEqual([query, 200]);
      pages.push(json.links.map(({ id }: { id: number }) => id));
      if (json.next === undefined) return pages;
      cursor = encodeURIComponent(json.next);
      await between();
    }
  }
  const sorted = (ids: Iterable<number>) => [...ids].sort((one, other) => one - other);

  /** Each order is tested with one of these filters in turn, the default order with all of them. */
  const filters = ['', 'q=cursor', 'tag='] as const;
  test.each(
    linkOrders.flatMap((order, index) =>
      filters
        .filter((_, at) => order === '-created_at' || at === index % filters.length)
        .map((filter) => [order, filter] as const),
    ),
  )(
    'in the order %s with %p, entries that exist throughout appear exactly once, while others are created and deleted',
    async (order, filter) => {
      const tag = (await send('POST', '/tag', { name: 'paged' })).json.id as number;
      const fields = filter === 'tag=' ? { tags: [tag] } : {};
      const permanent = await makeLinks(15, fields);
      const transient = await makeLinks(6, fields);
      const query = `limit=${4 + draw(3)}&sort=${order}&${filter}${filter === 'tag=' ? tag : ''}`;
      const pages = await pagesOf(query, async () => {
        await send('DELETE', `/link/${transient.splice(draw(transient.length), 1)[0] ?? 0}`);
        transient.push(...(await makeLinks(1 + draw(2), fields)));
      });
      const seen = pages.flat();
      expect(new Set(seen).size).toBe(seen.length);
      expect(sorted(seen.filter((id) => permanent.includes(id)))).toEqual(sorted(permanent));
      // Nothing changes any more: paging by cursor gives the same links as one request.
      const atOnce = (await send('GET', `/link?${query.replace(/limit=\d+/, 'limit=500')}`)).json;
      const all = atOnce.links.map(({ id }: { id: number }) => id);
      expect([(await pagesOf(query)).flat(), atOnce.next]).toEqual([all, undefined]);
      expect(all).toHaveLength(atOnce.total_links);
    },
    240_000,
  );

  test('by clicks, links without any count as 0, and equal numbers are ordered by age', async () => {
    const [first = 0, second = 0, third = 0, fourth = 0] = await makeLinks(4);
    await setClicks([first, second, third, fourth].map((id) => [id, 1]));
    await setClicks([[third, 12]]);
    await app.app.context.database.write((queries) =>
      queries.deleteFrom('link_clicks').where('link_id', '=', second).execute(),
    );
    const inOrder = async (sort: string) => (await pagesOf(`sort=${sort}&limit=3`)).flat();
    expect(await inOrder('-clicks')).toEqual([third, fourth, first, second]);
    expect(await inOrder('clicks')).toEqual([second, first, fourth, third]);
  });

  test('a page by offset continues by cursor, and an exactly full last page has no next one', async () => {
    const ids = (await makeLinks(6)).toReversed();
    const { json } = await send('GET', '/link?limit=2&offset=1');
    const second = await send('GET', `/link?limit=3&cursor=${json.next}`);
    expect(second.json.links.map(({ id }: { id: number }) => id)).toEqual(ids.slice(3));
    expect([second.json.total_links, 'next' in second.json]).toEqual([6, false]);
  });

  test('clicks, deleted links and deliveries have cursors too', async () => {
    const [first = 0, ...others] = await makeLinks(8, { webhook_url: 'http://localhost:9/hook' });
    const hits = Array.from({ length: 7 }, () => ({
      link: first,
      organization: owner.organizationId,
      at: app.clock.now,
    }));
    const idsIn = async (path: string, field: string, between: () => Promise<unknown>) => {
      const ids: number[] = [];
      for (let cursor = ''; ; ) {
        const { json } = await send('GET', `${path}?limit=3${cursor && `&cursor=${cursor}`}`);
        ids.push(...json[field].map(({ id }: { id: number }) => id));
        if (!json.next) return ids;
        cursor = json.next;
        await between();
      }
    };
    const { database } = app.app.context;
    await seedHits(database, hits);
    for (const path of [`/link/${first}/clicks`, '/clicks']) {
      const clicks = await idsIn(path, 'clicks', () => insertHits(database, hits.slice(0, 2)));
      expect([clicks.length, clicks]).toEqual([7, sorted(clicks).toReversed()]);
      await database.write((queries) =>
        queries
          .deleteFrom('hits')
          .where('id', '>', clicks[0] ?? 0)
          .execute(),
      );
    }
    await foldClicks(app, first, 7);
    const sent = await idsIn(`/link/${first}/webhook_deliveries`, 'webhook_deliveries', () =>
      foldClicks(app, first, 2),
    );
    expect([sent.length, new Set(sent).size]).toEqual([7, 7]);
    for (const id of others) await send('DELETE', `/link/${id}`);
    const [restored] = others;
    const deleted = await idsIn('/link/deleted', 'links', () =>
      send('POST', '/link/restore', { ids: [restored] }),
    );
    expect(sorted(deleted.filter((id) => id !== restored))).toEqual(sorted(others.slice(1)));
  });

  test('a cursor that is invalid, or of another list, order, filter or organization, is refused with a message', async () => {
    await makeLinks(4);
    const cursor = (await send('GET', '/link?limit=2')).json.next as string;
    const refused = async (path: string, key = owner.key) => {
      const { status, json } = await send('GET', path, undefined, key);
      expect([path, status, json.error_code, json.field_key]).toEqual([path, 400, 'FIELD_INVALID', 'cursor']);
      expect(json.error_string).toContain('"cursor" is not from this list');
    };
    const [text = '', signature = ''] = cursor.split('.');
    for (const bad of [
      '',
      'x',
      '.',
      `${text}.`,
      `.${signature}`,
      `${text}.${signature}.x`,
      `${cursor}A`,
      text,
    ])
      await refused(`/link?limit=2&cursor=${bad}`);
    const forged = Buffer.from('{"key":1,"id":1}').toString('base64url');
    await refused(`/link?limit=2&cursor=${forged}.${signature}`);
    await refused(`/link?limit=2&sort=name&cursor=${cursor}`);
    await refused(`/link?limit=2&q=x&cursor=${cursor}`);
    await refused(`/link/deleted?cursor=${cursor}`);
    await refused(`/clicks?cursor=${cursor}`);
    await refused(`/link?limit=2&cursor=${cursor}`, (await app.createAccount()).key);
    expect((await send('GET', `/link?limit=3&cursor=${cursor}`)).status).toBe(200);
    const both = await send('GET', `/link?offset=2&cursor=${cursor}`);
    expect([both.status, both.json.field_key]).toEqual([400, 'offset']);
  });
});
