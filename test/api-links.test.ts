import { describe, expect, test } from 'bun:test';
import { onOneStore, storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';

const specified = [
  'id',
  'created_at',
  'domain',
  'suffix',
  'organization_id',
  'og_title',
  'og_description',
  'og_image',
  'destination_url',
  'qr_code_svg',
  'qr_code_png',
  'url',
  'expiration_date',
  'qr_code_foreground_hex',
  'qr_code_background_hex',
  'has_password',
  'password',
  'android_link_destination',
  'ios_link_destination',
  'bot_protection',
  'captcha',
  'name',
  'tags',
  'webhook_url',
  'webhook_auth_key',
  'zapier_key',
  'zapier_webhook_url_new_click',
];

/** A tag as a link shows it: without the number of its links. */
const onLink = ({ links: _, ...tag }: { links: number }) => tag;

describe.each(storeKinds)('links on %s', (store) => {
  const { app, owner } = appWithOwner({ store });
  const create = (body: object, query = '') =>
    app.call('POST', `/api/v1/link${query}`, { key: owner.key, body });
  const patch = (id: number, body: object) =>
    app.call('PATCH', `/api/v1/link/${id}`, { key: owner.key, body });
  const read = (id: number) => app.call('GET', `/api/v1/link/${id}`, { key: owner.key });
  const list = (query = '') => app.call('GET', `/api/v1/link${query}`, { key: owner.key });

  test('a link is created from only a destination, and has every specified field', async () => {
    const { status, json } = await create({ destination_url: 'https://example.com/page' });
    expect(status).toBe(201);
    for (const field of specified) expect(json).toHaveProperty(field);
    expect(json).toMatchObject({
      domain: app.url,
      organization_id: owner.organizationId,
      destination_url: 'https://example.com/page',
      qr_code_foreground_hex: '#000000',
      qr_code_background_hex: '#FFFFFF',
      has_password: false,
      password: null,
      bot_protection: false,
      captcha: false,
      tags: [],
      zapier_webhook_url_new_click: null,
    });
    expect(json.suffix).toMatch(/^[2-9a-hjkmnp-zA-HJ-NP-Z]{7}$/);
    expect(json.url).toBe(`${app.url}/${json.suffix}`);
    expect(json.created_at).toMatch(/^\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d$/);
    expect(json.zapier_key).toMatch(/^lnz_\d+_[\w-]{32}$/);
    expect((await read(json.id)).json).toEqual(json);
  });

  test('every field of the interface is accepted in a creation, including bot_protection and captcha', async () => {
    const tag = await app.call('POST', '/api/v1/tag', {
      key: owner.key,
      body: { name: `all fields ${store}` },
    });
    const input = {
      destination_url: 'https://example.com/all',
      domain: app.url,
      suffix: 'all-fields',
      og_title: 'Title',
      og_description: 'Description',
      og_image: 'https://example.com/i.png',
      expiration_date: '2031-02-03T04:05:06+02:00',
      qr_code_foreground_hex: '#112233',
      qr_code_background_hex: '#EEFFEE',
      name: 'Internal',
      android_link_destination: 'https://example.com/android',
      ios_link_destination: 'example.com/ios',
      webhook_url: 'https://example.com/hook',
      webhook_auth_key: 'whsec_secret',
      bot_protection: true,
      captcha: true,
    };
    const { status, json } = await create({ ...input, password: 'sesame', tags: [tag.json.id] });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      ...input,
      expiration_date: '2031-02-03T02:05:06.000Z',
      ios_link_destination: 'https://example.com/ios',
      has_password: true,
      password: null,
      tags: [onLink(tag.json)],
    });
  });

  onOneStore(store, () => {
    test('a destination without a scheme gets https', async () => {
      expect((await create({ destination_url: 'example.com/path?q=1' })).json.destination_url).toBe(
        'https://example.com/path?q=1',
      );
      expect((await create({ destination_url: 'example.com:8443/x' })).json.destination_url).toBe(
        'https://example.com:8443/x',
      );
    });
  });

  test('disable_png omits only the PNG, permanently', async () => {
    const { json } = await create({ destination_url: 'https://example.com' }, '?disable_png=true');
    expect(json.qr_code_png).toBeNull();
    expect(json.qr_code_svg).toStartWith('<svg');
    expect((await read(json.id)).json.qr_code_png).toBeNull();
  });

  test('a suffix is unique per domain, case-sensitive, and compared in NFC', async () => {
    expect((await create({ destination_url: 'https://example.com', suffix: 'Café' })).status).toBe(201);
    const again = await create({ destination_url: 'https://example.com', suffix: 'Cafe\u0301' });
    expect(again.status).toBe(409);
    expect(again.json).toMatchObject({ status_code: 409, error_code: 'SUFFIX_TAKEN', field_key: 'suffix' });
    expect((await create({ destination_url: 'https://example.com', suffix: 'café' })).status).toBe(201);
  });

  test('of many simultaneous requests for one suffix, one gets it', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => create({ destination_url: 'https://example.com', suffix: 'race' })),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(19);
  });

  test('an update changes what is sent and leaves the rest', async () => {
    const { json: made } = await create({
      destination_url: 'https://example.com/1',
      name: 'one',
      password: 'x',
    });
    const { status, json } = await patch(made.id, {
      destination_url: 'https://example.com/2',
      captcha: true,
    });
    expect(status).toBe(200);
    expect(json).toEqual({
      ...made,
      destination_url: 'https://example.com/2',
      captcha: true,
      updated_at: expect.any(String),
    });
    expect(json.updated_at > made.updated_at).toBe(true);
    expect((await read(made.id)).json).toEqual(json);
  });

  const clearable = {
    og_title: 't',
    og_description: 'd',
    og_image: 'https://example.com/i.png',
    expiration_date: '2031-01-01T00:00:00.000Z',
    name: 'n',
    android_link_destination: 'https://example.com/a',
    ios_link_destination: 'https://example.com/i',
    webhook_url: 'https://example.com/w',
    webhook_auth_key: 'k',
  };

  // Both are read as the same value before the store is asked.
  test.each(store === 'sqlite' ? [null, ''] : [null])(
    'every optional field is cleared by %p',
    async (empty) => {
      const { json: made } = await create({
        destination_url: 'https://example.com',
        ...clearable,
        password: 'x',
      });
      for (const field of Object.keys(clearable)) {
        const { json } = await patch(made.id, { [field]: empty });
        expect(json[field]).toBeNull();
      }
      expect((await patch(made.id, { password: empty })).json.has_password).toBe(false);
      const colours = { qr_code_foreground_hex: '#123456', qr_code_background_hex: '#FEDCBA' };
      await patch(made.id, colours);
      const { json } = await patch(made.id, {
        qr_code_foreground_hex: empty,
        qr_code_background_hex: empty,
      });
      expect(json).toMatchObject({ qr_code_foreground_hex: '#000000', qr_code_background_hex: '#FFFFFF' });
      expect((await patch(made.id, { destination_url: empty })).json).toMatchObject({
        field_key: 'destination_url',
      });
    },
  );

  test('a link can be sent back unchanged, including its password', async () => {
    const tag = await app.call('POST', '/api/v1/tag', {
      key: owner.key,
      body: { name: `sent back ${store}` },
    });
    const { json: made } = await create({
      destination_url: 'https://example.com',
      ...clearable,
      password: 'stay',
      tags: [tag.json.id],
    });
    const { status, json } = await patch(made.id, made);
    expect(status).toBe(200);
    expect(json).toEqual({ ...made, updated_at: expect.any(String) });
    const copy = await create({ ...made, suffix: `copy-${store}` });
    expect(copy.status).toBe(201);
    expect(copy.json.tags).toEqual([onLink(tag.json)]);
  });

  test("another organization's domain and tags can't be set by an update", async () => {
    const { json: made } = await create({ destination_url: 'https://example.com' });
    for (const [field, value, error_code] of [
      ['domain', 'https://other.example', 'DOMAIN_UNVERIFIED'],
      ['tags', [1], 'FIELD_FIXED'],
    ]) {
      const { status, json } = await patch(made.id, { [field as string]: value, name: 'not half done' });
      expect(status).toBe(400);
      expect(json).toMatchObject({ error_code, field_key: field });
    }
    expect((await read(made.id)).json).toEqual(made);
  });

  test('tags are added and removed by id, as numbers or digits, all or none', async () => {
    const tags = [];
    for (const name of ['p', 'q', 'r'])
      tags.push(
        (await app.call('POST', '/api/v1/tag', { key: owner.key, body: { name: `${name} ${store}` } })).json,
      );
    const [p, q, r] = tags.map(onLink) as [{ id: number }, { id: number }, { id: number }];
    const { json: made } = await create({
      destination_url: 'https://example.com',
      tags: [p.id, String(q.id), p.id],
    });
    expect(made.tags).toEqual([p, q]);
    const { json } = await patch(made.id, { add_tags: [r.id], remove_tags: [p.id] });
    expect(json.tags).toEqual([q, r]);
    const wrong = await patch(made.id, { add_tags: [p.id, 999_999], name: 'not this' });
    expect(wrong.status).toBe(400);
    expect(wrong.json).toMatchObject({ error_code: 'TAG_NOT_FOUND', field_key: 'add_tags' });
    expect((await read(made.id)).json).toMatchObject({ tags: [q, r], name: null });
  });

  test('a deleted link returns 204 without a body, then 404', async () => {
    const { json: made } = await create({ destination_url: 'https://example.com' });
    const deleted = await app.call('DELETE', `/api/v1/link/${made.id}`, { key: owner.key });
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await read(made.id)).status).toBe(404);
    expect((await app.call('DELETE', `/api/v1/link/${made.id}`, { key: owner.key })).status).toBe(404);
    expect((await app.visit(`/${made.suffix}`)).status).toBe(404);
  });

  test('the list is newest first, in pages, always with a total', async () => {
    const other = await app.createAccount(`lister-${store}@example.com`);
    const asOther = (query: string) => app.call('GET', `/api/v1/link${query}`, { key: other.key });
    expect((await asOther('')).json).toEqual({ links: [], total_links: 0 });
    const ids: number[] = [];
    const links = Array.from({ length: 30 }, (_, made) => ({ destination_url: `e.com/${made}` }));
    const made = await app.call('POST', '/api/v1/link/bulk', { key: other.key, body: { links } });
    for (const { link } of made.json.results) ids.unshift(link.id);
    const page = async (query: string) => {
      const { json } = await asOther(query);
      expect(json.total_links).toBe(30);
      return json.links.map((link: { id: number }) => link.id);
    };
    expect(await page('')).toEqual(ids.slice(0, 25));
    expect(await page('?limit=10&offset=10')).toEqual(ids.slice(10, 20));
    expect(await page('?limit=1000')).toEqual(ids);
    expect(await page('?offset=1000')).toEqual([]);
    expect(await page('?sort=created_at&limit=3')).toEqual(ids.slice(-3).reverse());
    expect(await page(`?before=${ids[9]}&limit=5`)).toEqual(ids.slice(10, 15));
  });

  test('pages with `before` are stable while links are created', async () => {
    const first = (await list('?limit=3')).json.links.map((link: { id: number }) => link.id);
    const beforeNewest = `before=${first[0] + 1}`;
    const second = (await list(`?limit=3&offset=3&${beforeNewest}`)).json.links;
    await create({ destination_url: 'https://example.com/between' });
    expect((await list(`?limit=3&offset=3&${beforeNewest}`)).json.links).toEqual(second);
  });

  test('the list is filtered by text in any case, by tag and by domain', async () => {
    const tag = (await app.call('POST', '/api/v1/tag', { key: owner.key, body: { name: `filter ${store}` } }))
      .json;
    const named = (
      await create({ destination_url: 'https://example.com', name: 'Frühling 50% off_', tags: [tag.id] })
    ).json;
    const found = async (query: string) => {
      const { json } = await list(query);
      expect(json.total_links).toBe(json.links.length);
      return json.links.map((link: { id: number }) => link.id);
    };
    expect(await found(`?q=${encodeURIComponent('FRÜHLING')}`)).toEqual([named.id]);
    expect(await found(`?q=${encodeURIComponent('50% off_')}`)).toEqual([named.id]);
    expect(await found('?q=50%25_off')).toEqual([]);
    expect(await found(`?q=${named.suffix}`)).toEqual([named.id]);
    expect(await found(`?tag=${tag.id}`)).toEqual([named.id]);
    expect(await found('?tag=987654')).toEqual([]);
    expect(await found(`?domain=127.0.0.1&tag=${tag.id}`)).toEqual([named.id]);
    expect(await found(`?domain=127.0.0.1/%E2%80%A8&tag=${tag.id}`)).toEqual([named.id]);
    expect(await found('?domain=elsewhere.example')).toEqual([]);
    for (const sort of ['name', '-name', 'suffix', '-updated_at', 'created_at']) {
      expect(await found(`?q=fr%C3%BChling&sort=${sort}`)).toEqual([named.id]);
    }
    const past = (await list('?q=FRÜHLING&offset=5')).json;
    expect(past).toEqual({ links: [], total_links: 1 });
    const older = (await list(`?q=FRÜHLING&before=${named.id}`)).json;
    expect(older).toEqual({ links: [], total_links: 1 });
  });

  test('sorting by name puts unnamed links last, and by suffix is alphabetical', async () => {
    const names = (await list('?sort=name&limit=1000')).json.links.map(
      (link: { name: string | null }) => link.name,
    );
    const firstUnnamed = names.indexOf(null);
    expect(names.slice(firstUnnamed).every((name: string | null) => name === null)).toBe(true);
    expect(names.slice(0, firstUnnamed)).toEqual([...names.slice(0, firstUnnamed)].sort());
  });

  test('an expired link still exists for its owner', async () => {
    const { json } = await create({ destination_url: 'https://example.com', expiration_date: '2020-01-01' });
    expect(json.expiration_date).toBe('2020-01-01T00:00:00.000Z');
    expect((await app.visit(`/${json.suffix}`)).status).toBe(410);
  });

  test('a burst of creations and deletions leaves the total correct', async () => {
    const burst = await app.createAccount(`burst-${store}@example.com`);
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        app.call('POST', '/api/v1/link', {
          key: burst.key,
          body: { destination_url: 'e.com', ...(index % 3 ? {} : { suffix: `burst-${store}` }) },
        }),
      ),
    );
    const kept = made.filter(({ status }) => status === 201).map(({ json }) => json.id);
    expect(kept).toHaveLength(21);
    await Promise.all(
      kept.slice(0, 10).map((id) => app.call('DELETE', `/api/v1/link/${id}`, { key: burst.key })),
    );
    expect((await app.call('GET', '/api/v1/link', { key: burst.key })).json.total_links).toBe(11);
  });
});
