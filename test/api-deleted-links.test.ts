import { describe, expect, test } from 'bun:test';
import { dayLength } from '../src/rules/durations.ts';
import { addDomain } from './support/add-domain.ts';
import { storeKinds, type TestAccount } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';

interface Deleted {
  readonly id: number;
  readonly suffix: string;
  readonly deleted_at: string;
}

describe.each(storeKinds)('the list of deleted links on %s', (store) => {
  const app = appForSuite({ store });
  let owner: TestAccount;

  const send = (method: string, path: string, body?: unknown) =>
    app.call(method, `/api/v1${path}`, { key: owner.key, ...(body === undefined ? {} : { body }) });
  const make = async (
    body: object = {},
  ): Promise<{ id: number; url: string; domain: string; suffix: string }> =>
    (await send('POST', '/link', { destination_url: 'https://example.com/there', ...body })).json;
  const remove = (...ids: number[]) => send('POST', '/link/bulk_delete', { ids });
  const bin = async (query = '') => (await send('GET', `/link/deleted${query}`)).json;
  const idsOf = ({ links }: { links: readonly Deleted[] }) => links.map(({ id }) => id);
  const makeMany = async (count: number): Promise<number[]> =>
    (await Promise.all(Array.from({ length: count }, () => make()))).map(({ id }) => id);

  test('shows each link as it was, when it was deleted, and until when it can be restored', async () => {
    owner = await app.createAccount();
    const link = await make({ suffix: `spring-${store}`, name: 'Poster' });
    const unnamed = await make();
    app.clock.now += 5_000;
    const at = app.clock.now;
    await send('DELETE', `/link/${link.id}`);
    app.clock.now += 5_000;
    await remove(unnamed.id);
    const { links, total_links, next } = await bin();
    expect([links.length, total_links, next]).toEqual([2, 2, null]);
    expect(links[1]).toEqual({
      id: link.id,
      deleted_at: new Date(at).toISOString(),
      kept_until: new Date(at + 30 * dayLength).toISOString(),
      domain: link.domain,
      suffix: `spring-${store}`,
      url: link.url,
      destination_url: 'https://example.com/there',
      name: 'Poster',
    });
    expect([links[0].id, links[0].name]).toEqual([unnamed.id, null]);
  });

  test("contains only the organization's own links, and gives no access to a link by its id", async () => {
    owner = await app.createAccount();
    const { id } = await make();
    await remove(id);
    const firstOwner = owner;
    owner = await app.createAccount();
    expect(await bin()).toEqual({ links: [], total_links: 0, next: null });
    // A cursor from another organization's list shows none of its links.
    expect(await bin(`?before=${app.clock.now + dayLength}-${id + 1}`)).toEqual({
      links: [],
      total_links: 0,
      next: null,
    });
    owner = firstOwner;
    expect(idsOf(await bin())).toEqual([id]);
    expect((await app.call('GET', '/api/v1/link/deleted')).status).toBe(401);
    expect((await send('PATCH', '/link/deleted', { name: 'x' })).status).toBe(404);
    expect((await app.call('DELETE', '/api/v1/link/deleted')).status).toBe(401);
  });

  test('loses restored links, and has links deleted again at the top', async () => {
    owner = await app.createAccount();
    const ids = await makeMany(3);
    await remove(...ids);
    app.clock.now += 1_000;
    const [first = 0, second = 0, third = 0] = ids;
    await send('POST', '/link/restore', { ids: [first, third] });
    expect(idsOf(await bin())).toEqual([second]);
    await remove(first);
    expect(idsOf(await bin())).toEqual([first, second]);
  });

  test('has each link once on its pages, even with 150 deleted in one call', async () => {
    owner = await app.createAccount();
    const links = Array.from({ length: 150 }, () => ({ destination_url: 'https://example.com' }));
    const { results } = (await send('POST', '/link/bulk', { links })).json;
    const ids: number[] = results.map((result: { link: { id: number } }) => result.link.id);
    await remove(...ids);
    const seen: number[] = [];
    let next: string | null = '';
    while (next !== null) {
      const page = await bin(`?limit=40${next && `&before=${next}`}`);
      expect(page.total_links).toBe(150);
      seen.push(...idsOf(page));
      next = page.next;
    }
    expect(seen).toEqual(ids.toSorted((one, other) => other - one));
  });

  test('has stable pages while links are restored and deleted, including the last of a page', async () => {
    owner = await app.createAccount();
    const ids = await makeMany(6);
    for (const id of ids) {
      app.clock.now += 1_000;
      await remove(id);
    }
    const newestFirst = ids.toReversed();
    const first = await bin('?limit=3');
    expect(idsOf(first)).toEqual(newestFirst.slice(0, 3));
    const late = await make();
    await send('POST', '/link/restore', { ids: newestFirst.slice(1, 3) });
    app.clock.now += 1_000;
    await remove(late.id);
    const second = await bin(`?limit=3&before=${first.next}`);
    expect([idsOf(second), second.next]).toEqual([newestFirst.slice(3), null]);
    expect(idsOf(await bin())).toEqual([late.id, newestFirst[0] ?? 0, ...newestFirst.slice(3)]);
  });

  test('omits links from the instant they can no longer be restored, even before the cleanup', async () => {
    owner = await app.createAccount();
    const now = app.clock.now;
    const [early = 0, late = 0] = await makeMany(2);
    await remove(early);
    app.clock.now = now + 1;
    await remove(late);
    app.clock.now = now + 30 * dayLength;
    expect(await bin()).toMatchObject({ links: [{ id: late }], total_links: 1 });
    expect((await send('POST', '/link/restore', { ids: [early] })).status).toBe(404);
    expect((await send('POST', '/link/restore', { ids: [late] })).status).toBe(200);
    app.clock.now = now;
  });

  test('shows links of a custom domain with its name, and none of a domain that is being deleted', async () => {
    owner = await app.createAccount();
    const host = `deleted-${store}.example`;
    const { database } = app.app.context;
    await addDomain(app, owner, host);
    const link = await make({ domain: host });
    await remove(link.id);
    expect((await bin()).links).toMatchObject([{ domain: link.domain, url: link.url }]);
    const hide = { deleted_at: app.clock.now, verified_at: null };
    await database.write((queries) =>
      queries.updateTable('domains').set(hide).where('host', '=', host).execute(),
    );
    expect(await bin()).toEqual({ links: [], total_links: 0, next: null });
  });

  test('refuses invalid page parameters', async () => {
    owner = await app.createAccount();
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=x',
      'before=',
      'before=1',
      'before=1-0',
      'before=-1-1',
      `before=${'9'.repeat(16)}-1`,
      `before=1-${'9'.repeat(16)}`,
      'before=2026-11-20',
    ]) {
      const { status, json } = await send('GET', `/link/deleted?${query}`);
      expect([query, status, json.error_code]).toEqual([query, 400, 'FIELD_INVALID']);
    }
    expect((await send('GET', `/link/deleted?before=${'9'.repeat(15)}-${'9'.repeat(15)}`)).status).toBe(200);
  });
});
