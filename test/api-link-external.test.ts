import { describe, expect, spyOn, test } from 'bun:test';
import { storeKinds, type TestResponse } from './support/app.ts';
import { nodesWithOwner } from './support/app-suite.ts';

describe.each(storeKinds)('external ids of links on %s', (store) => {
  const { nodeA: app, nodeB: other, owner } = nodesWithOwner({}, {}, store);
  const call = (method: string, path: string, body?: object, node = app) =>
    node.call(method, `/api/v1${path}`, { key: owner.key, ...(body && { body }) });
  let ids = 0;
  const newExternalId = () => `order-${++ids}`;
  const link = { destination_url: 'https://example.com/order' };
  const pathOf = (external: string) => `/link/external/${encodeURIComponent(external)}`;
  const put = (external: string, body: object, node = app) => call('PUT', pathOf(external), body, node);
  const create = async (fields: object) => (await call('POST', '/link', { ...link, ...fields })).json;
  const refused = ({ status, json }: TestResponse) => [status, json.error_code, json.field_key];
  const taken = [409, 'EXTERNAL_ID_TAKEN', 'external_id'];

  test('create a link, and then change it: only the sent fields', async () => {
    const external = newExternalId();
    const tags = await Promise.all(
      ['one', 'two'].map(async (name) => (await call('POST', '/tag', { name })).json.id),
    );
    expect((await call('GET', pathOf(external))).status).toBe(404);
    const made = await put(external, { ...link, name: 'first', password: 'sesame', tags });
    expect([made.status, made.json.external_id, made.json.tags.length]).toEqual([201, external, 2]);
    const changed = await put(external, {
      destination_url: 'https://example.com/changed',
      tags: tags.slice(1),
    });
    expect(changed.status).toBe(200);
    expect(changed.json).toMatchObject({
      ...{ id: made.json.id, suffix: made.json.suffix, name: 'first', has_password: true },
      destination_url: 'https://example.com/changed',
    });
    expect(changed.json.tags.map((tag: { id: number }) => tag.id)).toEqual(tags.slice(1));
    expect((await call('GET', pathOf(external))).json).toEqual(changed.json);
    // A link may be sent back as it was read.
    const sentBack = await put(external, { ...changed.json, name: 'third' });
    expect([sentBack.status, sentBack.json.name, sentBack.json.has_password]).toEqual([200, 'third', true]);
    const history = (await call('GET', `/link/${made.json.id}/history`)).json.history;
    expect(history.map(({ action }: { action: string }) => action)).toEqual([
      'changed',
      'changed',
      'created',
    ]);
    const empty = await put(external, { ...link, domain: '', suffix: '' });
    expect([empty.status, empty.json.suffix]).toEqual([200, made.json.suffix]);
    for (const none of [null, '', []]) {
      expect((await put(external, { ...link, tags })).json.tags).toHaveLength(2);
      expect((await put(external, { ...link, tags: none })).json.tags).toEqual([]);
    }
  });

  test('follow the rules of changes: addresses, versions, links in print', async () => {
    const external = newExternalId();
    const made = (await put(external, { ...link, on_paper: true })).json;
    expect(refused(await put(external, { ...link, suffix: 'another' }))).toEqual([
      409,
      'LINK_ON_PAPER',
      'confirm',
    ]);
    expect(refused(await put(external, { ...link, disabled: true }))).toEqual([
      409,
      'LINK_ON_PAPER',
      'confirm',
    ]);
    expect((await call('PUT', `${pathOf(external)}?confirm=true`, { ...link, disabled: true })).status).toBe(
      200,
    );
    const stale = await app.call('PUT', `/api/v1${pathOf(external)}`, {
      ...{ key: owner.key, body: link },
      headers: { 'if-match': `"${made.updated_at}"` },
    });
    expect(refused(stale)).toEqual([409, 'LINK_CHANGED', undefined]);
    const absent = newExternalId();
    for (const version of [`"${made.updated_at}"`, '*', '"nonsense"']) {
      const headers = { 'if-match': version };
      const sent = await app.call('PUT', `/api/v1${pathOf(absent)}`, { key: owner.key, body: link, headers });
      expect([version, ...refused(sent)]).toEqual([version, 404, 'NOT_FOUND', undefined]);
    }
    expect((await call('GET', pathOf(absent))).status).toBe(404);
    expect(refused(await put(external, {}))).toEqual([400, 'FIELD_MISSING', 'destination_url']);
    expect(refused(await put(external, { ...link, external_id: 'else' }))).toEqual([
      ...[400, 'FIELD_INVALID', 'external_id'],
    ]);
    expect(refused(await put('x'.repeat(256), link))).toEqual([400, 'FIELD_TOO_LONG', 'external_id']);
  });

  test('are unique in the organization, however they are set, and separate in each organization', async () => {
    const external = newExternalId();
    const one = await create({ external_id: external });
    app.clock.now += 1;
    const again = await call('POST', '/link', { ...link, external_id: external });
    expect(refused(again)).toEqual(taken);
    expect(again.json.error_string).toContain(`link ${one.id}`);
    const two = await create({});
    expect(refused(await call('PATCH', `/link/${two.id}`, { external_id: external }))).toEqual(taken);
    expect((await call('PATCH', `/link/${one.id}`, { external_id: external, name: 'x' })).status).toBe(200);
    expect((await call('PATCH', `/link/${one.id}`, { external_id: null })).json.external_id).toBe(null);
    expect((await call('PATCH', `/link/${two.id}`, { external_id: external })).json.external_id).toBe(
      external,
    );
    expect((await call('GET', pathOf(external))).json.id).toBe(two.id);
    // Tries to restore the state in which the first link had the id.
    const restored = await call('POST', `/link/${one.id}/history/restore`, { entry: 0 });
    expect(refused(restored)).toEqual(taken);
    const stranger = await app.createAccount();
    const body = { ...link, external_id: external };
    expect((await app.call('POST', '/api/v1/link', { key: stranger.key, body })).status).toBe(201);
  });

  test('that are taken make only their own links fail in bulk', async () => {
    const [existing, twice] = [newExternalId(), newExternalId()];
    await create({ external_id: existing });
    const links = [
      { ...link, external_id: existing },
      { ...link, external_id: twice, suffix: `bulk-external-${store}` },
      { ...link, external_id: twice },
      link,
      { ...link, external_id: newExternalId() },
    ];
    const { json } = await call('POST', '/link/bulk', { links });
    expect(json.results.map(({ status }: { status: number }) => status)).toEqual([409, 201, 409, 201, 201]);
    expect(json.results[2].error).toMatchObject({
      error_code: 'EXTERNAL_ID_TAKEN',
      field_key: 'external_id',
    });
    const atomic = await call('POST', '/link/bulk?atomic=true', { links: [link, links[0]] });
    expect(refused(atomic)).toEqual([409, 'EXTERNAL_ID_TAKEN', 'links.1.external_id']);
  });

  test('create one link when sent many times at once', async () => {
    const external = newExternalId();
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        put(external, { ...link, name: `${index}` }, index % 2 ? app : other),
      ),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([...Array(11).fill(200), 201]);
    expect(new Set(responses.map(({ json }) => json.id)).size).toBe(1);
    const made = newExternalId();
    const posts = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        call('POST', '/link', { ...link, external_id: made }, index % 2 ? app : other),
      ),
    );
    expect(posts.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)]);
  });

  test('never change a link that gets another external id during the call', async () => {
    const [external, newId] = [newExternalId(), newExternalId()];
    const { id } = await create({ external_id: external });
    // The password is hashed after the link was found, and before it is changed.
    spyOn(app.app.context.passwords, 'hash').mockImplementationOnce(async () => {
      await call('PATCH', `/link/${id}`, { external_id: newId });
      return 'a hash for the link that was found';
    });
    const { status, json } = await put(external, { ...link, name: 'new', password: 'sesame' });
    expect([status, json.external_id, json.name]).toEqual([201, external, 'new']);
    expect((await call('GET', pathOf(newId))).json).toMatchObject({ id, name: null, has_password: false });
  });

  test('replace all tags, also if two calls send other tags at once', async () => {
    const tagOf = async (name: string) => (await call('POST', '/tag', { name })).json.id;
    const tags = [await tagOf('red'), await tagOf('green')];
    for (let round = 0; round < 5; round++) {
      const external = newExternalId();
      await put(external, link);
      await Promise.all(
        tags.map((tag, index) => put(external, { ...link, tags: [tag] }, index === 0 ? app : other)),
      );
      expect((await call('GET', pathOf(external))).json.tags).toHaveLength(1);
    }
  });

  test('are free when their link is deleted, and restored with it if they still are', async () => {
    const [kept, lost] = [newExternalId(), newExternalId()];
    const [one, two, three] = await Promise.all([
      create({ external_id: kept }),
      create({ external_id: lost }),
      create({}),
    ]);
    const restore = async (...links: { id: number }[]) =>
      (await call('POST', '/link/restore', { ids: links.map(({ id }) => id) })).json.restored;
    for (const { id } of [one, two]) await call('DELETE', `/link/${id}`);
    const replacement = await put(lost, link);
    expect(replacement.status).toBe(201);
    expect(await restore(one, two)).toBe(2);
    expect((await call('GET', pathOf(kept))).json.id).toBe(one.id);
    expect((await call('GET', `/link/${two.id}`)).json.external_id).toBe(null);
    // Of two deleted links with the same id, the one deleted last keeps it.
    await call('DELETE', `/link/${one.id}`);
    await call('PATCH', `/link/${three.id}`, { external_id: kept });
    app.clock.now += 1;
    await call('DELETE', `/link/${three.id}`);
    expect(await restore(one, three)).toBe(2);
    expect((await call('GET', pathOf(kept))).json.id).toBe(three.id);
    // Deleting the link permanently erases all of it.
    await call('DELETE', `/link/${three.id}`);
    await call('DELETE', `/link/deleted/${three.id}`);
    const binned = await app.app.context.database.read
      .selectFrom('link_bin')
      .select(['external_id', 'destination_key'])
      .where('id', '=', three.id)
      .execute();
    expect(binned).toEqual([{ external_id: null, destination_key: null }]);
  });

  test('stay with a deleted link that cannot be restored yet', async () => {
    const [kept, lost] = [newExternalId(), newExternalId()];
    const restore = (...links: { id: number }[]) =>
      call('POST', '/link/restore', { ids: links.map(({ id }) => id) });
    const remove = ({ id }: { id: number }) => call('DELETE', `/link/${id}`);
    const [one, two] = [await create({ external_id: kept }), await create({ external_id: lost })];
    for (const deleted of [one, two]) await remove(deleted);
    const holders = [
      await create({ suffix: one.suffix, external_id: kept }),
      await create({ suffix: two.suffix }),
      await create({ external_id: lost }),
    ];
    for (const each of [one, two]) expect(refused(await restore(each))).toEqual([409, 'SUFFIX_TAKEN', 'ids']);
    for (const holder of holders.slice(0, 2)) await remove(holder);
    expect((await restore(one, two)).json.restored).toBe(2);
    expect((await call('GET', `/link/${one.id}`)).json.external_id).toBe(kept);
    const [entry] = (await call('GET', `/link/${two.id}/history`)).json.history;
    expect(entry.changes).toEqual([{ field: 'external_id', from: lost, to: null, hidden: false }]);

    // Of two deleted links with one id, the other gets it if the one deleted last can't be restored.
    await remove(one);
    app.clock.now += 1;
    const last = await create({ external_id: kept });
    await remove(last);
    await create({ suffix: last.suffix });
    expect((await restore(one, last)).json.ids).toEqual([one.id]);
    expect((await call('GET', pathOf(kept))).json.id).toBe(one.id);
  });

  test('may be any text, percent-encoded in the path, and are in the export', async () => {
    for (const external of ['a/b', 'é ü?#&%', '日本', 'history', 'stats', '123', 'x'.repeat(255)]) {
      const made = await put(`${external}`, link);
      expect([external, made.status, made.json.external_id]).toEqual([external, 201, external]);
      expect([external, (await call('GET', pathOf(external))).json?.id]).toEqual([external, made.json.id]);
    }
    for (const broken of ['%ED%A0%80', 'a%E9', '100%', '%zz']) {
      for (const method of ['GET', 'PUT']) {
        const response = await call(method, `/link/external/${broken}`, method === 'PUT' ? link : undefined);
        expect([broken, ...refused(response)]).toEqual([broken, 400, 'REQUEST_MALFORMED', undefined]);
      }
    }
    for (const dots of ['.', '..'])
      expect(refused(await call('POST', '/link', { ...link, external_id: dots }))).toEqual([
        ...[400, 'FIELD_INVALID', 'external_id'],
      ]);
    for (const external of ['%00', 'x'.repeat(256)]) {
      const path = `/link/external/${external}`;
      expect([external, (await call('GET', path)).status]).toEqual([external, 404]);
      expect([external, (await call('PUT', path, link)).json.field_key]).toEqual([external, 'external_id']);
    }
    const csv = (await call('GET', '/link.csv')).text;
    expect(csv.split('\r\n')[0]).toContain('external_id');
    expect(csv).toContain('日本');
  });
});
