import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { importLinks } from '../src/cli/import-links.ts';
import { onOneStore, storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { eventually } from './support/eventually.ts';

describe.each(storeKinds)('UTM parameters on %s', (store) => {
  const { app, owner, call } = appWithOwner({ store });
  const create = async (body: object) => (await call('POST', '/link', body)).json;
  const errorOf = async (response: ReturnType<typeof call>) => {
    const { status, json } = await response;
    return [status, json.error_code, json.field_key];
  };

  test('are written into the destination, in creations, bulk calls and imports, and visitors are redirected there', async () => {
    const link = await create({
      destination_url: 'example.com/page?utm_source=old&x=1#part',
      utm_source: 'spring mail',
      utm_campaign: 'ü',
    });
    expect(link.destination_url).toBe(
      'https://example.com/page?utm_source=spring%20mail&x=1&utm_campaign=%C3%BC#part',
    );
    expect(Object.keys(link).filter((name) => name.startsWith('utm_'))).toEqual([]);
    expect((await app.visit(`/${link.suffix}`)).headers.get('location')).toBe(link.destination_url);
    const bulk = await call('POST', '/link/bulk', {
      links: [{ destination_url: 'https://example.com/b', utm_medium: 'm' }],
    });
    expect(bulk.json.results[0].link.destination_url).toBe('https://example.com/b?utm_medium=m');
    const file = join(app.dataDir, 'utm.csv');
    await Bun.write(file, 'destination_url,suffix,utm_source\nhttps://example.com/c,from-csv,"a, b"\n');
    await importLinks.run(app.app.context, { email: owner.email, file });
    const [made] = (await call('GET', '/link?q=from-csv')).json.links;
    expect(made.destination_url).toBe('https://example.com/c?utm_source=a%2C%20b');
  });

  test('can be changed alone: the rest of the destination stays, and the new destination is searched and returned', async () => {
    const link = await create({ destination_url: 'https://example.com/d?utm_source=a&x={id}' });
    const patch = (body: object) => call('PATCH', `/link/${link.id}`, body);
    expect((await patch({ utm_source: 'b', utm_term: 't' })).json.destination_url).toBe(
      'https://example.com/d?utm_source=b&x={id}&utm_term=t',
    );
    expect((await patch({ utm_source: null, utm_term: '' })).json.destination_url).toBe(
      'https://example.com/d?x={id}',
    );
    expect(
      (await patch({ destination_url: 'https://example.com/e', utm_medium: 'm' })).json.destination_url,
    ).toBe('https://example.com/e?utm_medium=m');
    const { history } = (await call('GET', `/link/${link.id}/history`)).json;
    expect(history[0].changes).toMatchObject([
      {
        field: 'destination_url',
        from: 'https://example.com/d?x={id}',
        to: 'https://example.com/e?utm_medium=m',
      },
    ]);
    const again = await call('POST', '/link?if_exists=return', {
      destination_url: 'https://example.com/e',
      utm_medium: 'm',
    });
    expect([again.status, again.json.id]).toEqual([200, link.id]);
    expect(
      (await call('GET', '/link?q=utm_medium%3Dm')).json.links.map(({ id }: { id: number }) => id),
    ).toContain(link.id);
  });

  test('keep all of several simultaneous changes', async () => {
    const link = await create({ destination_url: 'https://example.com/f' });
    await Promise.all(
      ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term'].map((name) =>
        call('PATCH', `/link/${link.id}`, { [name]: 'x' }),
      ),
    );
    const { destination_url } = (await call('GET', `/link/${link.id}`)).json;
    expect([...new URL(destination_url).searchParams.keys()].sort()).toEqual([
      'utm_campaign',
      'utm_medium',
      'utm_source',
      'utm_term',
    ]);
  });

  test('that are scheduled change the destination that the link has at that time', async () => {
    const link = await create({ destination_url: 'https://example.com/g' });
    const at = new Date(app.clock.now + 60_000).toISOString();
    const scheduled = await call('POST', `/link/${link.id}/scheduled`, {
      at,
      changes: { utm_campaign: 'later' },
    });
    expect([scheduled.status, scheduled.json.changes]).toEqual([201, { utm_campaign: 'later' }]);
    await call('PATCH', `/link/${link.id}`, { destination_url: 'https://example.com/h' });
    app.clock.now += 61_000;
    await eventually(
      async () =>
        (await call('GET', `/link/${link.id}`)).json.destination_url ===
        'https://example.com/h?utm_campaign=later',
      'the campaign to be in the new destination',
    );
  });

  onOneStore(store, () => {
    test("are refused if they can't be stored", async () => {
      const base = { destination_url: 'https://example.com' };
      expect(await errorOf(call('POST', '/link', { ...base, utm_source: 'a\u0000' }))).toEqual([
        400,
        'FIELD_INVALID',
        'utm_source',
      ]);
      expect(await errorOf(call('POST', '/link', { ...base, utm_source: 'a'.repeat(256) }))).toEqual([
        400,
        'FIELD_TOO_LONG',
        'utm_source',
      ]);
      expect(await errorOf(call('POST', '/link', { ...base, utm_source: 7 }))).toEqual([
        400,
        'FIELD_INVALID',
        'utm_source',
      ]);
      const long = await create({ destination_url: `https://example.com/${'a'.repeat(8_100)}` });
      expect(await errorOf(call('PATCH', `/link/${long.id}`, { utm_term: 'ü'.repeat(30) }))).toEqual([
        400,
        'FIELD_TOO_LONG',
        'destination_url',
      ]);
    });
  });

  test('are stored together as templates with unique names', async () => {
    const made = await call('POST', '/utm_template', {
      name: ' Letter ',
      utm_source: 'mail',
      utm_medium: '',
    });
    expect([made.status, made.json]).toEqual([
      201,
      {
        id: made.json.id,
        organization_id: owner.organizationId,
        name: 'Letter',
        utm_source: 'mail',
        utm_medium: null,
        utm_campaign: null,
        utm_term: null,
        utm_content: null,
        created_at: expect.any(String),
        updated_at: made.json.created_at,
      },
    ]);
    const path = `/utm_template/${made.json.id}`;
    expect(await errorOf(call('POST', '/utm_template', { name: 'LETTER', utm_source: 'x' }))).toEqual([
      409,
      'TEMPLATE_EXISTS',
      'name',
    ]);
    expect(await errorOf(call('POST', '/utm_template', { name: 'Nothing' }))).toEqual([
      400,
      'FIELD_MISSING',
      'utm_source',
    ]);
    expect(await errorOf(call('POST', '/utm_template', { utm_source: 'x' }))).toEqual([
      400,
      'FIELD_MISSING',
      'name',
    ]);
    expect(await errorOf(call('PATCH', path, { utm_source: null }))).toEqual([
      400,
      'FIELD_MISSING',
      'utm_source',
    ]);
    const other = (await call('POST', '/utm_template', { name: 'Flyer', utm_medium: 'paper' })).json;
    expect(await errorOf(call('PATCH', path, { name: 'flyer' }))).toEqual([409, 'TEMPLATE_EXISTS', 'name']);
    const changed = (await call('PATCH', path, { utm_campaign: 'autumn', utm_source: null })).json;
    expect(changed).toMatchObject({ name: 'Letter', utm_source: null, utm_campaign: 'autumn' });
    expect((await call('GET', path)).json).toEqual(changed);
    const names = async () =>
      (await call('GET', '/utm_template')).json.map(({ name }: { name: string }) => name);
    expect(await names()).toEqual(['Flyer', 'Letter']);
    expect((await call('DELETE', path)).status).toBe(204);
    expect(await errorOf(call('GET', path))).toEqual([404, 'NOT_FOUND', undefined]);
    expect(await names()).toEqual([other.name]);
  });

  test('of links and templates are suggested, the most frequent first', async () => {
    const { key } = await app.createAccount();
    for (const source of ['rare', 'often', 'often'])
      await call('POST', '/link', { destination_url: 'https://example.com', utm_source: source }, key);
    await call('POST', '/utm_template', { name: 'T', utm_source: 'often', utm_content: 'button' }, key);
    expect((await call('GET', '/utm_values', undefined, key)).json).toEqual({
      utm_source: ['often', 'rare'],
      utm_medium: [],
      utm_campaign: [],
      utm_term: [],
      utm_content: ['button'],
    });
  });
});
