import { beforeAll, describe, expect, test } from 'bun:test';
import { cleanUp } from '../src/manage/clean-up.ts';
import { dayLength } from '../src/rules/durations.ts';
import { addDomain } from './support/add-domain.ts';
import { storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';

describe.each(storeKinds)('bulk deletion and restoration on %s', (store) => {
  const { app, owner, call: send } = appWithOwner({ store });
  let tags: { id: number; name: string }[];

  const make = async (body: object = {}) =>
    (await send('POST', '/link', { destination_url: 'https://example.com', ...body })).json;
  const remove = (...ids: number[]) => send('POST', '/link/bulk_delete', { ids });
  const restore = (...ids: number[]) => send('POST', '/link/restore', { ids });
  const total = async () => (await send('GET', '/link?limit=1')).json.total_links;
  const linksOfTag = async (id: number) => (await send('GET', `/tag/${id}`)).json.links;

  beforeAll(async () => {
    tags = [];
    for (const name of ['red', 'green', 'blue']) tags.push((await send('POST', '/tag', { name })).json);
  });

  test('deleted links disappear everywhere at once, and are restored unchanged', async () => {
    const [red] = tags.map((tag) => tag.id) as [number];
    const link = await make({ suffix: `undo-${store}`, name: 'Undo me', tags: [red], password: 'sesame' });
    const other = await make();
    const [before, redBefore] = [await total(), await linksOfTag(red)];
    expect((await app.visit(`/undo-${store}`)).status).toBe(200);
    const deleted = await remove(link.id, other.id, link.id, 999_999);
    expect([deleted.status, deleted.json]).toEqual([200, { deleted: 2, ids: [link.id, other.id] }]);
    expect((await remove(link.id)).json).toEqual({ deleted: 0, ids: [] });
    expect((await app.visit(`/undo-${store}`)).status).toBe(404);
    expect((await send('GET', `/link/${link.id}`)).status).toBe(404);
    expect((await send('PATCH', `/link/${link.id}`, { name: 'x' })).status).toBe(404);
    expect((await send('GET', `/link/${link.id}/stats`)).status).toBe(404);
    expect((await send('GET', '/link?q=Undo%20me')).json).toEqual({ links: [], total_links: 0 });
    expect((await send('GET', `/zapier/sample`, undefined, link.zapier_key)).status).toBe(401);
    expect((await app.call('GET', new URL(link.qr_code_png).pathname)).status).toBe(404);
    expect([await total(), await linksOfTag(red)]).toEqual([before - 2, redBefore - 1]);
    const restored = await restore(link.id, 999_999);
    expect([restored.status, restored.json]).toEqual([200, { restored: 1, ids: [link.id] }]);
    expect((await send('GET', `/link/${link.id}`)).json).toEqual(link);
    expect((await app.visit(`/undo-${store}`)).status).toBe(200);
    expect([await total(), await linksOfTag(red)]).toEqual([before - 1, redBefore]);
    expect((await restore(link.id)).status).toBe(404);
  });

  test("a link whose domain was deleted can't be restored", async () => {
    const host = `bin-${store}.example`;
    const { database } = app.app.context;
    await addDomain(app, owner, host);
    const [kept, lost] = [await make({ domain: host }), await make({ domain: host })];
    expect(kept.url).toContain(host);
    await remove(kept.id, lost.id);
    expect((await restore(kept.id)).json.ids).toEqual([kept.id]);
    const hide = { deleted_at: app.clock.now, verified_at: null };
    await database.write((queries) =>
      queries.updateTable('domains').set(hide).where('host', '=', host).execute(),
    );
    expect((await restore(lost.id)).status).toBe(404);
  });

  test('a tag that was deleted meanwhile is not restored with a link', async () => {
    const { json: tag } = await send('POST', '/tag', { name: `brief ${store}` });
    const link = await make({ tags: [tag.id, tags[1]?.id] });
    await remove(link.id);
    expect((await send('DELETE', `/tag/${tag.id}`)).status).toBe(204);
    await restore(link.id);
    const names = (await send('GET', `/link/${link.id}`)).json.tags.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['green']);
  });

  test("another organization's links can be neither deleted nor restored", async () => {
    const stranger = await app.createAccount();
    const link = await make({ suffix: `mine-${store}` });
    expect((await send('POST', '/link/bulk_delete', { ids: [link.id] }, stranger.key)).json.deleted).toBe(0);
    await remove(link.id);
    expect((await send('POST', '/link/restore', { ids: [link.id] }, stranger.key)).status).toBe(404);
    expect((await restore(link.id)).status).toBe(200);
  });

  test('the suffix of a deleted link stays taken, and other organizations get no more information', async () => {
    const suffix = `kept-${store}`;
    const link = await make({ suffix });
    await send('DELETE', `/link/${link.id}`);
    const stranger = await app.createAccount();
    const { json } = await send('POST', '/link', { destination_url: 'e.com', suffix }, stranger.key);
    expect(json.error_string).toBe(`"${suffix}" is taken on this domain. Choose another suffix.`);
    expect((await restore(link.id)).status).toBe(200);
  });

  test('after 30 days a deleted link is gone for good and its suffix free, even before the cleanup', async () => {
    const now = app.clock.now;
    const [early, late] = [await make({ suffix: `early-${store}` }), await make({ suffix: `late-${store}` })];
    await remove(early.id, late.id);
    app.clock.now = now + 30 * dayLength;
    expect((await restore(early.id)).status).toBe(404);
    expect((await make({ suffix: `early-${store}` })).suffix).toBe(`early-${store}`);
    await cleanUp(app.app.context);
    expect((await restore(late.id)).status).toBe(404);
    expect((await make({ suffix: `late-${store}` })).suffix).toBe(`late-${store}`);
    app.clock.now = now;
  });

  test('many simultaneous deletions and restorations of the same links are all answered, and the counts are right', async () => {
    const links = await Promise.all(Array.from({ length: 10 }, () => make({ tags: [tags[2]?.id] })));
    const ids = links.map((link) => link.id);
    const responses = await Promise.all(
      Array.from({ length: 24 }, (_, turn) => (turn % 2 ? restore(...ids) : remove(...ids))),
    );
    for (const { status } of responses) expect([200, 404]).toContain(status);
    await restore(...ids);
    const { json } = await send('GET', `/link?tag=${tags[2]?.id}&limit=1000`);
    expect(await linksOfTag(tags[2]?.id ?? 0)).toBe(json.links.length);
    expect(json.links.map((link: { id: number }) => link.id)).toEqual(expect.arrayContaining(ids));
    const all = (await send('GET', '/link?limit=1&q=:%2F%2F')).json.total_links;
    expect(await total()).toBe(all);
  });

  test('webhooks are notified of each deletion', async () => {
    const hook = { webhook_url: `${app.url}/healthz`, webhook_events: ['link.deleted'] };
    const link = await make(hook);
    await remove(link.id);
    await restore(link.id);
    const { json } = await send('GET', `/link/${link.id}/webhook_deliveries`);
    expect(json.webhook_deliveries.map(({ event }: { event: string }) => event)).toEqual(['link.deleted']);
  });
});
