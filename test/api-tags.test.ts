import { describe, expect, test } from 'bun:test';
import { onOneStore, storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';

describe.each(storeKinds)('tags on %s', (store) => {
  const { app, owner } = appWithOwner({ store });
  const create = (body: unknown) => app.call('POST', '/api/v1/tag', { key: owner.key, body });

  test('a tag is created from a name, or from "tag" as in the interface\'s example', async () => {
    const named = await create({ name: ' Spring ' });
    expect(named.status).toBe(201);
    expect(named.json).toEqual({
      id: named.json.id,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d$/),
      organization_id: owner.organizationId,
      name: 'Spring',
      links: 0,
    });
    const aliased = await create({ tag: 'Summer' });
    expect(aliased.json.name).toBe('Summer');
    const { json } = await app.call('GET', '/api/v1/tag', { key: owner.key });
    expect(json).toEqual([named.json, aliased.json]);
  });

  test('a name is unique in its organization, ignoring case, and free in another', async () => {
    await create({ name: 'Straße' });
    const again = await create({ name: 'STRAßE' });
    expect(again.status).toBe(409);
    expect(again.json).toMatchObject({ error_code: 'TAG_EXISTS', field_key: 'name' });
    const other = await app.createAccount();
    expect((await app.call('POST', '/api/v1/tag', { key: other.key, body: { name: 'straße' } })).status).toBe(
      201,
    );
  });

  onOneStore(store, () => {
    test('invisible characters around a name, as of a pasted one, are dropped', async () => {
      expect((await create({ name: '\ufeffpasted\u200b ' })).json.name).toBe('pasted');
      expect((await create({ name: 'pasted\u200b' })).json.error_code).toBe('TAG_EXISTS');
      expect((await create({ name: ' \u200b\u2060' })).json.error_code).toBe('FIELD_MISSING');
      expect((await create({ name: '👩\u200d🚀' })).json.name).toBe('👩\u200d🚀');
    });
  });

  test('many simultaneous creations of one tag create one', async () => {
    const responses = await Promise.all(Array.from({ length: 12 }, () => create({ name: 'at once' })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(409)]);
  });

  test('a tag is read and renamed by id; its own name in another case is no conflict', async () => {
    const { json: tag } = await create({ name: 'autumn' });
    expect((await app.call('GET', `/api/v1/tag/${tag.id}`, { key: owner.key })).json).toEqual(tag);
    const renamed = await app.call('PATCH', `/api/v1/tag/${tag.id}`, {
      key: owner.key,
      body: { ...tag, name: 'Autumn' },
    });
    expect(renamed.json).toEqual({ ...tag, name: 'Autumn' });
    await create({ name: 'winter' });
    const taken = await app.call('PATCH', `/api/v1/tag/${tag.id}`, {
      key: owner.key,
      body: { name: 'Winter' },
    });
    expect([taken.status, taken.json.error_code]).toEqual([409, 'TAG_EXISTS']);
  });

  test('a deleted tag is removed from its links', async () => {
    const { json: tag } = await create({ name: 'brief' });
    const link = await app.createLink(owner, { tags: [tag.id] });
    const deleted = await app.call('DELETE', `/api/v1/tag/${tag.id}`, { key: owner.key });
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await app.call('GET', `/api/v1/link/${link.id}`, { key: owner.key })).json.tags).toEqual([]);
    expect((await app.call('DELETE', `/api/v1/tag/${tag.id}`, { key: owner.key })).status).toBe(404);
  });

  test('adding a tag during its deletion succeeds for all links or is refused, without an internal error', async () => {
    for (let round = 0; round < 3; round++) {
      const { json: tag } = await create({ name: `vanishing ${round}` });
      const responses = await Promise.all([
        ...Array.from({ length: 8 }, () =>
          app.call('POST', '/api/v1/link', {
            key: owner.key,
            body: { destination_url: 'e.com', tags: [tag.id] },
          }),
        ),
        app.call('DELETE', `/api/v1/tag/${tag.id}`, { key: owner.key }),
      ]);
      for (const { status } of responses) expect([201, 204, 400]).toContain(status);
    }
  });
});
