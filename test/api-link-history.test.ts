import { describe, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { importLinks } from '../src/cli/import-links.ts';
import { type Send, startApp, storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { browserHeadersOf, member } from './support/members.ts';
import { migratedPostgres } from './support/migrated-store.ts';

interface Entry {
  readonly id: number;
  readonly at: string;
  readonly action: string;
  readonly back_to: number | null;
  readonly by: { readonly id: number; readonly email: string } | null;
  readonly via: string | null;
  readonly api_key: { readonly name: string } | null;
  readonly changes: readonly { field: string; from: unknown; to: unknown; hidden: boolean }[];
}

describe.each(storeKinds)('the history of a link on %s', (store) => {
  const { app, owner } = appWithOwner({ store });
  const call = (method: string, path: string, body?: object, more: Send = {}) =>
    app.call(method, `/api/v1${path}`, { key: owner.key, ...(body && { body }), ...more });
  const create = async (body: object = {}) =>
    (await call('POST', '/link', { destination_url: 'https://example.com/first', ...body })).json;
  const patch = (id: number, body: object, more: Send = {}) => call('PATCH', `/link/${id}`, body, more);
  const history = async (id: number): Promise<Entry[]> =>
    (await call('GET', `/link/${id}/history`)).json.history;
  const revert = (id: number, entry: unknown, headers: Record<string, string> = {}) =>
    call('POST', `/link/${id}/history/restore`, { entry }, { headers });

  test('records who made each change, when, and the old and new values, and begins with the creation', async () => {
    const tag = (await call('POST', '/tag', { name: 'spring' })).json.id;
    const { id } = await create({ name: 'One' });
    app.clock.now += 60_000;
    const changed = await patch(id, {
      destination_url: 'https://example.com/second',
      name: 'One',
      expiration_date: '2031-01-01',
      captcha: true,
      disabled: true,
      notes: 'In the window',
      webhook_events: ['link.updated', 'click'],
      add_tags: [tag],
    });
    const [latest, first, ...more] = await history(id);
    expect(more).toEqual([]);
    expect(latest).toMatchObject({
      at: changed.json.updated_at,
      action: 'changed',
      back_to: null,
      by: { id: owner.userId, email: owner.email },
      via: 'api_key',
      api_key: { name: 'tests' },
    });
    const change = (field: string, from: unknown, to: unknown) => ({ field, from, to, hidden: false });
    expect(latest?.changes.toSorted((one, other) => (one.field < other.field ? -1 : 1))).toEqual([
      change('captcha', false, true),
      change('destination_url', 'https://example.com/first', 'https://example.com/second'),
      change('disabled', false, true),
      change('expiration_date', null, '2031-01-01T00:00:00.000Z'),
      change('notes', null, 'In the window'),
      change('tags', [], [{ id: tag, name: 'spring' }]),
      change('webhook_events', ['click'], changed.json.webhook_events),
    ]);
    expect(first).toMatchObject({
      id: 0,
      action: 'created',
      via: 'api_key',
      by: { id: owner.userId },
      changes: [],
    });
  });

  test('has no entry for an update that changes nothing', async () => {
    const link = await create({ name: 'Same', password: 'sesame', webhook_auth_key: 'a key' });
    expect((await patch(link.id, link)).status).toBe(200);
    expect((await patch(link.id, { name: 'Same', notes: '' })).status).toBe(200);
    expect(await history(link.id)).toHaveLength(1);
  });

  test('has no secrets: of a password and a key only that they changed', async () => {
    const { id } = await create({ password: 'open sesame', webhook_auth_key: 'first signing key' });
    await patch(id, { password: 'shut sesame', webhook_auth_key: 'second signing key' });
    await patch(id, { password: null });
    const hidden = (field: string) => ({ field, from: null, to: null, hidden: true });
    expect((await history(id)).map(({ changes }) => changes)).toEqual([
      [hidden('password')],
      [hidden('password'), hidden('webhook_auth_key')],
      [],
    ]);
    const rows = await sql`select * from link_history`.execute(app.app.context.database.read);
    expect(JSON.stringify(rows.rows)).not.toMatch(/sesame|signing key|argon2/);
  });

  test("distinguishes the dashboard, keys, tokens and imports, and doesn't name former members", async () => {
    const { id } = await create();
    const browser = await browserHeadersOf(app, owner);
    await app.call('PATCH', `/api/v1/link/${id}`, {
      body: { name: 'by the dashboard' },
      headers: { cookie: browser.cookie, origin: app.url },
    });
    const pair = await call('POST', '/auth/create_tokens', { email: owner.email, password: owner.password });
    const bearer = { authorization: `Bearer ${pair.json.access_token}` };
    await app.call('PATCH', `/api/v1/link/${id}`, { body: { name: 'by a token' }, headers: bearer });
    const guest = await member(app, owner);
    await patch(id, { name: 'by a guest' }, { key: guest.key });
    expect((await history(id)).map(({ via, by }) => [via, by?.id])).toEqual([
      ['api_key', guest.userId],
      ['token', owner.userId],
      ['dashboard', owner.userId],
      ['api_key', owner.userId],
    ]);
    await call('DELETE', `/member/${guest.userId}`);
    expect((await history(id))[0]).toMatchObject({ via: 'api_key', by: null, api_key: null });

    const folder = await mkdtemp(join(tmpdir(), 'linnet-import-'));
    const file = join(folder, 'links.csv');
    await writeFile(file, `destination_url,suffix\nhttps://example.com,imported-${store}\n`);
    await importLinks.run(app.app.context, { email: owner.email, file });
    await rm(folder, { recursive: true });
    const [imported] = (await call('GET', `/link?q=imported-${store}`)).json.links;
    expect((await history(imported.id))[0]).toMatchObject({ id: 0, via: 'import', by: { id: owner.userId } });
  });

  test('records changes of many links at once, for each link that changed', async () => {
    const tag = (await call('POST', '/tag', { name: 'many' })).json.id;
    const [one, other] = [await create({ archived: true }), await create({ tags: [tag] })];
    const ids = [one.id, other.id];
    await call('PATCH', '/link/bulk', { ids, archived: true, add_tags: [tag] });
    await call('PATCH', '/link/bulk', { ids, archived: true, add_tags: [tag] });
    const fieldsOf = async (id: number) =>
      (await history(id)).map(({ changes }) => changes.map(({ field }) => field));
    expect(await fieldsOf(one.id)).toEqual([['tags'], []]);
    expect(await fieldsOf(other.id)).toEqual([['archived'], []]);
    await call('POST', '/link/bulk_delete', { ids });
    await call('POST', '/link/restore', { ids });
    for (const id of ids)
      expect((await history(id)).slice(0, 2).map(({ action }) => action)).toEqual(['restored', 'deleted']);
  });

  test('reverts a link to any state, including the first, and records that as a change like any other', async () => {
    const [spring, autumn] = await Promise.all(
      ['back spring', 'back autumn'].map(async (name) => (await call('POST', '/tag', { name })).json.id),
    );
    const first = await create({ name: 'First', tags: [spring], og_title: 'Card', password: 'sesame' });
    const { id } = first;
    const second = (
      await patch(id, {
        destination_url: 'https://example.com/second',
        expiration_date: '2031-01-01',
        add_tags: [autumn],
        remove_tags: [spring],
      })
    ).json;
    await patch(id, { name: null, og_title: null, disabled: true });
    await patch(id, { name: 'Fourth', webhook_events: ['link.expired'], password: null });
    const entries = await history(id);
    const settingsOf = ({ updated_at, has_password, clicks, ...link }: Record<string, unknown>) => link;
    const reverted = await revert(id, entries[2]?.id);
    expect(reverted.status).toBe(200);
    expect(settingsOf(reverted.json)).toEqual(settingsOf(second));
    expect(reverted.json.has_password).toBe(false);
    expect((await history(id))[0]).toMatchObject({ action: 'changed', back_to: entries[2]?.id });
    expect((await app.visit(`/${first.suffix}`)).headers.get('location')).toBe('https://example.com/second');

    expect(settingsOf((await revert(id, 0)).json)).toEqual(settingsOf(first));
    const [latest] = await history(id);
    expect(latest?.back_to).toBe(0);
    const third = (await revert(id, entries[1]?.id)).json;
    expect(third).toMatchObject({ name: null, disabled: true, tags: [{ id: autumn }] });
    const count = (await history(id)).length;
    const again = await revert(id, (await history(id))[0]?.id);
    expect([again.status, (await history(id)).length]).toEqual([200, count]);
  });

  test('reverts what another call changes at the same time', async () => {
    const tags = [];
    for (const name of ['kept', 'first', 'second']) tags.push((await call('POST', '/tag', { name })).json.id);
    for (let round = 0; round < 5; round++) {
      const { id } = await create({ name: 'As created', tags: [tags[0]] });
      await patch(id, { name: 'Changed', add_tags: [tags[1]] });
      await Promise.all([revert(id, 0), patch(id, { og_title: 'At the same time', add_tags: [tags[2]] })]);
      const isLast = (await history(id))[0]?.back_to === 0;
      const { og_title, tags: left } = (await call('GET', `/link/${id}`)).json;
      if (isLast) expect([og_title, left]).toMatchObject([null, [{ id: tags[0] }]]);
    }
  });

  test('reverts a link without tags that are deleted, and not to values that are no longer allowed', async () => {
    const tag = (await call('POST', '/tag', { name: 'gone' })).json.id;
    const { id } = await create({ tags: [tag] });
    await patch(id, { remove_tags: [tag] });
    await call('DELETE', `/tag/${tag}`);
    expect((await revert(id, 0)).json).toMatchObject({ tags: [] });
    const { id: other } = await create();
    await patch(other, { destination_url: 'https://example.com/later' });
    const from = JSON.stringify([{ field: 'destination_url', from: `${app.url}/loop`, to: 'x' }]);
    await app.app.context.database.write((queries) =>
      queries.updateTable('link_history').set({ changes: from }).where('link_id', '=', other).execute(),
    );
    const refused = await revert(other, 0);
    expect([refused.status, refused.json.error_code, refused.json.field_key]).toEqual([
      400,
      'DESTINATION_IS_OURS',
      'destination_url',
    ]);
  });

  test('does not revert a link if If-Match has an older version; an entry of another link is refused', async () => {
    const { id, updated_at } = await create({ name: 'before' });
    const { json } = await patch(id, { name: 'after' });
    const stale = await revert(id, 0, { 'if-match': `"${updated_at}"` });
    expect([stale.status, stale.json.error_code]).toEqual([409, 'LINK_CHANGED']);
    const { id: other } = await create();
    await patch(other, { name: 'of another' });
    const [entry] = await history(other);
    for (const wrong of [entry?.id, 987_654_321, -1, 1.5, '1', null, undefined]) {
      const { status, json } = await revert(id, wrong);
      expect([wrong, status, json.field_key]).toEqual([wrong, 400, 'entry']);
    }
    const current = await revert(id, 0, { 'if-match': `"${json.updated_at}"` });
    expect([current.status, current.json.name]).toEqual([200, 'before']);
  });

  test('has pages, which contain each entry once', async () => {
    const { id } = await create({ name: '0' });
    for (const number of [1, 2, 3, 4]) await patch(id, { name: String(number) });
    const seen: unknown[] = [];
    let cursor = '';
    let pages = 0;
    do {
      const { status, json } = await call('GET', `/link/${id}/history?limit=2${cursor}`);
      expect(status).toBe(200);
      seen.push(...json.history.map(({ changes }: Entry) => changes[0]?.to ?? 'created'));
      cursor = json.next ? `&cursor=${json.next}` : '';
      pages++;
    } while (cursor !== '');
    expect([pages, seen]).toEqual([3, ['4', '3', '2', '1', 'created']]);
    const wrong = await call('GET', `/link/${id}/history?limit=101`);
    expect([wrong.status, wrong.json.field_key]).toEqual([400, 'limit']);
    const { id: other } = await create();
    const { json } = await call('GET', `/link/${id}/history?limit=2`);
    expect((await call('GET', `/link/${other}/history?cursor=${json.next}`)).json.field_key).toBe('cursor');
  });

  test('is deleted completely when links are deleted for good, one or all', async () => {
    const links = [await create(), await create(), await create()];
    const ids = links.map(({ id }) => id);
    for (const id of ids) await patch(id, { notes: 'to be forgotten' });
    const countRows = async () =>
      (
        await app.app.context.database.read
          .selectFrom('link_history')
          .select('link_id')
          .where('link_id', 'in', ids)
          .execute()
      ).length;
    await call('POST', '/link/bulk_delete', { ids });
    expect(await countRows()).toBe(6);
    await call('DELETE', `/link/deleted/${ids[0]}`);
    expect(await countRows()).toBe(4);
    await call('DELETE', '/link/deleted');
    expect(await countRows()).toBe(0);
  });
});

test.each(storeKinds)('an earlier address is restored on %s after BASE_URL has changed', async (store) => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'linnet-test-'));
  const DATABASE_URL = store === 'postgres' ? await migratedPostgres() : '';
  const start = (host: string) =>
    startApp({ env: { DATA_DIR, DATABASE_URL, BASE_URL: `https://${host}`, REGISTRATION: 'open' } });
  const former = await start('links.example.com');
  const { key } = await former.createAccount();
  const aliases = [`menu-${store}`, `card-${store}`];
  const { id, suffix } = await former.createLink({ key }, { aliases });
  const domain = `moved-${store}.example.org`;
  await former.call('POST', '/api/v1/domain', { key, body: { domain } });
  await former.app.context.database.write((queries) =>
    queries.updateTable('domains').set({ verified_at: former.clock.now }).execute(),
  );
  const fields = { domain, aliases: [], name: 'Elsewhere' };
  expect((await former.call('PATCH', `/api/v1/link/${id}`, { key, body: fields })).status).toBe(200);
  await former.stop();

  const app = await start('go.example.org');
  const reverted = await app.call('POST', `/api/v1/link/${id}/history/restore`, { key, body: { entry: 0 } });
  expect([reverted.status, reverted.json.name, reverted.json.domain]).toEqual([
    ...[200, null, 'https://go.example.org'],
  ]);
  expect(reverted.json.aliases).toEqual([
    ...aliases.map((alias) => `https://go.example.org/${alias}`),
    `https://${domain}/${suffix}`,
  ]);
  await app.stop();
  await rm(DATA_DIR, { recursive: true });
});
