import { Database as Sqlite } from 'bun:sqlite';
import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { StoreUnavailable } from '../src/rules/errors.ts';
import { newestLinks } from '../src/storage/links/newest-links.ts';
import { openDatabase } from '../src/storage/open.ts';
import { runDirectly } from '../src/storage/prepared.ts';
import { type Send, storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { pollUntil } from './support/eventually.ts';
import { seedHits } from './support/hits.ts';
import { storeFolder } from './support/migrated-store.ts';
import { seededRandom } from './support/seeded-random.ts';

const pages = ['limit=10', 'limit=4', 'limit=4&offset=4'];

describe.each(storeKinds)('cached pages of links on %s', (store) => {
  const { app, owner } = appWithOwner({ store });
  let tagIds: number[];

  const call = async (method: string, path: string, send: Send = {}) => {
    const response = await app.call(method, `/api/v1${path}`, { key: owner.key, ...send });
    expect([200, 201, 204]).toContain(response.status);
    return response.json;
  };
  const create = (name: string) =>
    call('POST', '/link', { body: { destination_url: `https://destination.example/${name}`, name } });
  /** A page of this length isn't cached. */
  const uncached = async (): Promise<{ id: number }[]> => (await call('GET', '/link?limit=1000')).links;

  /** Compares the pages, which are of the first ten links, with a list that isn't cached. */
  const expectRightPages = async (after: string) => {
    const links = await uncached();
    for (const page of pages) {
      const query = new URLSearchParams(page);
      const offset = Number(query.get('offset') ?? 0);
      const { links: listed, total_links } = await call('GET', `/link?${page}`);
      const expected = links.slice(offset, offset + Number(query.get('limit')));
      expect({ after, page, listed, total_links }).toEqual({
        ...{ after, page },
        ...{ listed: expected, total_links: links.length },
      });
    }
  };

  beforeAll(async () => {
    tagIds = [];
    for (const name of ['autumn', 'posters'])
      tagIds.push((await call('POST', '/tag', { body: { name } })).id);
    for (let index = 0; index < 12; index++) await create(`${index}`);
    await expectRightPages('creations');
  });

  test('show every kind of change immediately', async () => {
    const { database } = app.app.context;
    const draw = seededRandom(20261126);
    const deleted: number[] = [];
    const setColumns = (id: number, columns: object) =>
      database.write((queries) => queries.updateTable('links').set(columns).where('id', '=', id).execute());
    const changes: Record<string, (id: number) => Promise<unknown>> = {
      create: () => create('another'),
      delete: async (id) => {
        await call('DELETE', `/link/${id}`);
        deleted.push(id);
      },
      restore: async () => {
        const ids = deleted.splice(0, 1);
        if (ids.length > 0) await call('POST', '/link/restore', { body: { ids } });
      },
      name: (id) => call('PATCH', `/link/${id}`, { body: { name: `name ${draw(1000)}` } }),
      archive: (id) => call('PATCH', `/link/${id}`, { body: { archived: true } }),
      tag: (id) => call('PATCH', `/link/${id}`, { body: { add_tags: [tagIds[draw(2)]] } }),
      untag: (id) => call('PATCH', `/link/${id}`, { body: { remove_tags: tagIds } }),
      'rename tag': () => call('PATCH', `/tag/${tagIds[0]}`, { body: { name: `tag ${draw(100_000)}` } }),
      click: (id) =>
        seedHits(database, [{ link: id, organization: owner.organizationId, at: app.clock.now }]),
      // As a background job does, which doesn't count as a change by a user.
      'page title': (id) => setColumns(id, { page_title: `title ${draw(1000)}` }),
      nothing: async () => {},
    };
    for (let step = 0; step < 30; step++) {
      const ids = (await uncached()).map(({ id }) => id);
      const names = Object.keys(changes);
      const name = names[step < names.length ? step : draw(names.length)] ?? '';
      await changes[name]?.(ids[draw(Math.min(ids.length, 10))] ?? 0);
      await expectRightPages(`${step}: ${name}`);
    }
    const newest = (await uncached()).slice(0, 10);
    expect(newest).toEqual(await Promise.all(newest.map(({ id }) => call('GET', `/link/${id}`))));
  }, 120_000);

  test('have no link that is deleted while the page is read', async () => {
    const { database } = app.app.context;
    const page = { organizationId: owner.organizationId, below: 2 ** 40, offset: 0, limit: 5 };
    const before = (await newestLinks(database, page)).links.map(({ link }) => link.id);
    const [changed = 0] = before;
    await call('PATCH', `/link/${changed}`, { body: { name: 'changed, then deleted' } });
    const read = database.readFor({
      ...{ organizationId: owner.organizationId, signal: null },
      ...{ deadline: Number.POSITIVE_INFINITY, timeout: Number.POSITIVE_INFINITY },
    });
    let statements = 0;
    runDirectly(read, async (text, parameters) => {
      if (++statements === 2) await call('DELETE', `/link/${changed}`);
      return database.read.executeQuery(CompiledQuery.raw(text, [...parameters]));
    });
    const found = await newestLinks({ ...database, read }, page);
    const ids = found.links.map(({ link }) => link.id);
    expect([statements, ids]).toEqual(store === 'sqlite' ? [1, before] : [2, before.slice(1)]);
  });

  test('are read again from SQLite only after a commit, also of another process; from a server each time', async () => {
    const { database } = app.app.context;
    const page = { organizationId: owner.organizationId, below: 2 ** 40, offset: 0, limit: 5 };
    let statements = 0;
    const read = database.readFor({
      ...{ organizationId: owner.organizationId, signal: null },
      ...{ deadline: Number.POSITIVE_INFINITY, timeout: Number.POSITIVE_INFINITY },
    });
    runDirectly(read, async (text, parameters) => {
      statements++;
      return database.read.executeQuery(CompiledQuery.raw(text, [...parameters]));
    });
    const first = async () => (await newestLinks({ ...database, read }, page)).links[0];
    await first();
    // The page that is cached now may have been read before the last commit of the background work.
    const link = await pollUntil(
      async () => {
        statements = 0;
        return [await first(), await first()];
      },
      () => store === 'postgres' || statements === 0,
      'a page without a statement',
    );
    expect(statements).toBe(store === 'sqlite' ? 0 : 2);
    if (store === 'postgres') return;
    // As by a command in another process.
    using other = new Sqlite(join(app.dataDir, 'linnet.sqlite'));
    other.run('update links set name = ? where id = ?', ['by another process', link[0]?.link.id ?? 0]);
    expect((await first())?.link.name).toBe('by another process');
  });

  test('have a new object for each version of a link', async () => {
    const { database } = app.app.context;
    const page = { organizationId: owner.organizationId, below: 2 ** 40, offset: 0, limit: 5 };
    for (let index = 0; index < 5; index++) await create(`new ${index}`);
    const { links: before } = await newestLinks(database, page);
    const copy = structuredClone(before);
    await call('PATCH', `/link/${before[1]?.link.id}`, { body: { name: 'another name' } });
    const { links: after } = await newestLinks(database, page);
    expect(before).toEqual(copy);
    expect(after[1]?.link.name).toBe('another name');
    const same = after.filter((link, index) => link === before[index]).length;
    expect(same).toBe(4);
  });

  test('are evicted for longer ones: the cache is bounded by the length of texts, not by the number of links', async () => {
    const { database } = app.app.context;
    const page = { organizationId: owner.organizationId, below: 2 ** 40, offset: 0, limit: 3 };
    const first = async () => (await newestLinks(database, page)).links[0];
    const link = await first();
    const isCached = async () => (await first()) === link;
    expect(await isCached()).toBe(true);
    const other = await app.createAccount();
    const send = { key: other.key, body: { destination_url: 'https://long.example' } };
    const { id } = (await app.call('POST', '/api/v1/link', send)).json;
    await database.write((queries) =>
      queries
        .updateTable('links')
        .set({ notes: 'n'.repeat(9_000_000) })
        .where('id', '=', id)
        .execute(),
    );
    await newestLinks(database, { ...page, organizationId: other.organizationId });
    expect(await isCached()).toBe(false);
  });

  test('have no links of another organization', async () => {
    const other = await app.createAccount();
    const { json } = await app.call('GET', '/api/v1/link?limit=10', { key: other.key });
    expect([json.links, json.total_links]).toEqual([[], 0]);
  });
});

test('reading from a closed database throws StoreUnavailable, and is no fault', async () => {
  await using folder = await storeFolder();
  const database = await openDatabase(null, folder.path, (cause) => {
    throw cause;
  });
  await database.close();
  const page = { organizationId: 1, below: 2 ** 40, offset: 0, limit: 5 };
  await expect(newestLinks(database, page)).rejects.toThrow(StoreUnavailable);
});
