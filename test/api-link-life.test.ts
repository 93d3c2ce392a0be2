import { describe, expect, test } from 'bun:test';
import { LinkToCreate } from '../src/api/schemas/link.ts';
import { copyOf } from '../src/dashboard/pages/link/fields.ts';
import { storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';

describe.each(storeKinds)('the life of a link on %s', (store) => {
  const { app, owner } = appWithOwner({ store });
  const create = async (body: object) => {
    const made = await app.call('POST', '/api/v1/link', {
      key: owner.key,
      body: { destination_url: 'https://example.com/there', ...body },
    });
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    return made.json;
  };
  const patch = (id: number | 'bulk', body: object) =>
    app.call('PATCH', `/api/v1/link/${id}`, { key: owner.key, body });
  const list = async (query = '', key = owner.key) =>
    (await app.call('GET', `/api/v1/link?${query}`, { key })).json;
  const suffixes = ({ links }: { links: { suffix: string }[] }) => links.map(({ suffix }) => suffix);
  const refusal = async (body: object) => {
    const { status, json } = await app.call('POST', '/api/v1/link', {
      key: owner.key,
      body: { destination_url: 'https://example.com', ...body },
    });
    return [status, json.error_code, json.field_key];
  };

  test('a disabled link shows at once that it has ended, regardless of its other settings, and redirects again when enabled', async () => {
    for (const more of [{}, { password: 'sesame' }, { captcha: true, og_title: 'A card' }]) {
      const { id, suffix, disabled } = await create(more);
      expect(disabled).toBe(false);
      const before = await app.visit(`/${suffix}`);
      expect(before.status).not.toBe(410);
      expect((await patch(id, { disabled: true })).json.disabled).toBe(true);
      const ended = await app.visit(`/${suffix}`);
      expect([ended.status, ended.text]).toEqual([410, expect.stringContaining('This link has ended')]);
      await patch(id, { disabled: false });
      expect((await app.visit(`/${suffix}`)).status).toBe(before.status);
    }
  });

  test('a link may be created disabled, and clearing the flag enables it', async () => {
    const { id, suffix } = await create({ disabled: true });
    expect((await app.visit(`/${suffix}`)).status).toBe(410);
    for (const disabled of [null, '']) {
      await patch(id, { disabled: true });
      expect((await patch(id, { disabled })).json.disabled).toBe(false);
    }
    expect(await refusal({ disabled: 'yes' })).toEqual([400, 'FIELD_INVALID', 'disabled']);
    expect(await refusal({ archived: 1 })).toEqual([400, 'FIELD_INVALID', 'archived']);
  });

  test('an archived link works, and is listed only on request, with every filter', async () => {
    const { key } = await app.createAccount();
    const call = (method: string, path: string, body?: object) =>
      app.call(method, `/api/v1${path}`, { key, ...(body && { body }) });
    const tag = (await call('POST', '/tag', { name: 'autumn' })).json.id;
    const ids: number[] = [];
    for (const number of [1, 2, 3, 4]) {
      const body = {
        destination_url: 'https://example.com/there',
        suffix: `shelf-${store}-${number}`,
        name: `Shelf ${number}`,
        tags: [tag],
      };
      ids.push((await call('POST', '/link', body)).json.id);
    }
    const suffixOf = (number: number) => `shelf-${store}-${number}`;
    const [first, second, third, fourth] = [suffixOf(1), suffixOf(2), suffixOf(3), suffixOf(4)];
    expect((await list('archived=false', key)).total_links).toBe(4);
    await call('PATCH', `/link/${ids[1]}`, { archived: true });
    await call('PATCH', `/link/${ids[3]}`, { archived: true });
    expect((await app.visit(`/${second}`)).status).toBe(302);
    const host = new URL(app.url).host;
    const filters = ['', 'q=shelf', `tag=${tag}`, `domain=${host}`, `tag=${tag}&domain=${host}&q=shelf`];
    const sorts = ['-name', '-suffix', '-updated_at'];
    for (const [index, filter] of filters.entries()) {
      for (const sort of ['-created_at', sorts[index % sorts.length]]) {
        const listed = async (more: string) => {
          const found = await list(`${filter}&sort=${sort}&${more}`, key);
          return [suffixes(found).sort(), found.total_links];
        };
        expect([filter, sort, await listed('')]).toEqual([filter, sort, [[first, third], 2]]);
        expect(await listed('archived=true')).toEqual([[second, fourth], 2]);
        if (sort !== '-created_at') continue;
        expect(await listed('archived=false')).toEqual([[first, third], 2]);
        expect(await listed('archived=any')).toEqual([[first, second, third, fourth], 4]);
      }
      const page = await list(`${filter}&archived=true&limit=1`, key);
      expect(page.links).toHaveLength(1);
      expect((await list(`${filter}&archived=true&limit=1&cursor=${page.next}`, key)).total_links).toBe(2);
      const mismatched = await app.call('GET', `/api/v1/link?${filter}&limit=1&cursor=${page.next}`, { key });
      expect([mismatched.status, mismatched.json.field_key]).toEqual([400, 'cursor']);
    }
    for (const [value, count] of [
      ['True', 2],
      ['1', 2],
      ['FALSE', 2],
      ['0', 2],
      ['Any', 4],
    ] as const)
      expect([value, (await list(`archived=${value}`, key)).total_links]).toEqual([value, count]);
    const csv = async (query: string) =>
      (await call('GET', `/link.csv?${query}`)).text.split('\r\n').length - 2;
    expect([await csv(''), await csv('archived=true'), await csv('archived=any')]).toEqual([2, 2, 4]);
    expect(await csv(`ids=${ids.join()}`)).toBe(4);
    expect(await csv(`ids=${ids.join()}&archived=true`)).toBe(2);
    const wrong = await call('GET', '/link?archived=maybe');
    expect([wrong.status, wrong.json.error_code, wrong.json.field_key]).toEqual([
      400,
      'FIELD_INVALID',
      'archived',
    ]);
    await call('PATCH', `/link/${ids[1]}`, { archived: false });
    expect(suffixes(await list('', key))).toEqual([third, second, first]);
    await call('DELETE', `/link/${ids[3]}`);
    expect((await list('', key)).total_links).toBe(3);
    expect((await list('archived=true', key)).total_links).toBe(0);
    await call('POST', '/link/restore', { ids: [ids[3]] });
    expect(suffixes(await list('archived=true', key))).toEqual([fourth]);
  });

  test('notes are stored unchanged, up to 2,000 characters, and found by q', async () => {
    const notes = `Printed on the\nwindow of the shop in Gießen ${store}. Ask Ada.`;
    const { id, notes: kept } = await create({ notes, name: 'window' });
    expect(kept).toBe(notes);
    for (const q of ['GIEẞEN', 'ask ada', 'window of the shop']) {
      const found = await list(`q=${encodeURIComponent(q)}`);
      expect([q, found.links.map((link: { id: number }) => link.id)]).toEqual([q, [id]]);
    }
    await patch(id, { name: 'renamed' });
    expect((await list('q=ask+ada')).total_links).toBe(1);
    await patch(id, { notes: 'x'.repeat(2000) });
    expect((await list('q=ask+ada')).total_links).toBe(0);
    expect(await refusal({ notes: 'x'.repeat(2001) })).toEqual([400, 'FIELD_TOO_LONG', 'notes']);
    expect(await refusal({ notes: 'a\u0000b' })).toEqual([400, 'FIELD_INVALID', 'notes']);
    expect((await patch(id, { notes: '' })).json.notes).toBeNull();
  });

  test('many links are disabled and archived at once, and those that already are stay unchanged', async () => {
    const links = [await create({}), await create({ archived: true }), await create({ disabled: true })];
    const ids = links.map(({ id }) => id);
    const versions = async () =>
      Promise.all(
        ids.map(async (id) => (await app.call('GET', `/api/v1/link/${id}`, { key: owner.key })).json),
      );
    const changed = await patch('bulk', { ids, archived: true });
    expect(changed.json).toEqual({ updated: 3 });
    const archived = await versions();
    expect(archived.map((link) => link.archived)).toEqual([true, true, true]);
    expect(archived.map((link, at) => link.updated_at > links[at].updated_at)).toEqual([true, false, true]);
    await patch('bulk', { ids, disabled: true, archived: false });
    for (const { suffix } of links) expect((await app.visit(`/${suffix}`)).status).toBe(410);
    await patch('bulk', { ids, disabled: false });
    expect((await versions()).map((link) => [link.archived, link.disabled])).toEqual(
      links.map(() => [false, false]),
    );
    for (const { suffix } of links) expect((await app.visit(`/${suffix}`)).status).toBe(302);
    const wrong = await patch('bulk', { ids, archived: 'no' });
    expect([wrong.status, wrong.json.field_key]).toEqual([400, 'archived']);
    const stranger = await app.createAccount();
    const foreign = await app.call('PATCH', '/api/v1/link/bulk', {
      key: stranger.key,
      body: { ids, disabled: true },
    });
    expect(foreign.json).toEqual({ updated: 0 });
    expect((await versions()).every((link) => !link.disabled)).toBe(true);
  });

  test('a link that is sent back, created in bulk, deleted and restored keeps its notes and its archived and disabled states', async () => {
    const states = { notes: 'Kept', archived: true, disabled: true };
    const bulk = await app.call('POST', '/api/v1/link/bulk', {
      key: owner.key,
      body: { links: [{ destination_url: 'https://example.com/kept', ...states }] },
    });
    const [{ link }] = bulk.json.results;
    expect(link).toMatchObject(states);
    expect((await patch(link.id, link)).json).toMatchObject(states);
    await app.call('DELETE', `/api/v1/link/${link.id}`, { key: owner.key });
    await app.call('POST', '/api/v1/link/restore', { key: owner.key, body: { ids: [link.id] } });
    const restored = await app.call('GET', `/api/v1/link/${link.id}`, { key: owner.key });
    expect(restored.json).toMatchObject(states);
    const csv = await app.call('GET', `/api/v1/link.csv?ids=${link.id}`, { key: owner.key });
    const [head, line] = csv.text.split('\r\n').map((row) => row.split(','));
    const cell = (name: string) => line?.[head?.indexOf(name) ?? -1];
    const settings = Object.keys(LinkToCreate.shape);
    const secrets = ['password', 'webhook_auth_key'];
    // UTM parameters are part of the destination.
    const isLeftOut = (name: string) => secrets.includes(name) || name.startsWith('utm_');
    expect(settings.filter((name) => !isLeftOut(name) && !head?.includes(name))).toEqual([]);
    expect([cell('notes'), cell('archived'), cell('disabled')]).toEqual(['Kept', 'true', 'true']);
  });

  test("the dashboard's copy of a link has every setting of it, except for its addresses, its id and its password", async () => {
    const { json: tag } = await app.call('POST', '/api/v1/tag', { key: owner.key, body: { name: 'copied' } });
    const link = await create({
      ...{ forward_query: 'merge', forward_path: true, redirect_status: 308, statistics: false },
      ...{ notes: 'Kept', external_id: 'order-1', aliases: ['copied-from'], tags: [tag.id], on_paper: true },
    });
    const input: object = copyOf(link, 'secret');
    const settings = Object.keys(LinkToCreate.shape).filter((name) => !name.startsWith('utm_'));
    expect(settings.filter((name) => !Object.hasOwn(input, name))).toEqual([]);
    const copy = await create(input);
    const own = ['suffix', 'aliases', 'external_id', 'on_paper', 'password'];
    for (const name of settings.filter((setting) => !own.includes(setting)))
      expect([name, copy[name]]).toEqual([name, link[name]]);
    expect([copy.external_id, copy.aliases, copy.on_paper, copy.has_password]).toEqual([
      null,
      [],
      false,
      true,
    ]);
  });
});
