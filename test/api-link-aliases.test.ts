import { describe, expect, test } from 'bun:test';
import { dayLength } from '../src/rules/durations.ts';
import { onOneStore, storeKinds, type TestAccount, type TestResponse } from './support/app.ts';
import { domainSuite, ownHost } from './support/domain-suite.ts';

describe.each(storeKinds)('addresses of a link on %s', (store) => {
  const { suite, visit, addVerifiedDomain, remove } = domainSuite(store);
  const call = (method: string, path: string, body?: object, { key }: TestAccount = suite.owner) =>
    suite.app.call(method, `/api/v1${path}`, { key, ...(body && { body }) });
  const create = async (body: object = {}, account = suite.owner) =>
    (await call('POST', '/link', { destination_url: 'https://example.com/menu', ...body }, account)).json;
  const patch = (id: number, body: object, query = '') => call('PATCH', `/link/${id}${query}`, body);
  const locationOn = async (host: string, path: string) => (await visit(host, path)).headers.location ?? null;
  const locationOf = (path: string) => locationOn(ownHost, path);
  const refused = ({ status, json }: TestResponse) => [status, json.error_code, json.field_key];
  const urlOf = (suffix: string) => `https://${ownHost}/${suffix}`;
  const menu = 'https://example.com/menu';

  test('a suffix is changed, and the old one continues to redirect, through further changes and back', async () => {
    const { id } = await create({ suffix: 'sprnig' });
    expect(await locationOf('/spring')).toBeNull();
    expect(await locationOf('/sprnig')).toBe(menu);
    const { status, json } = await patch(id, { suffix: 'spring' });
    expect([status, json.suffix, json.url, json.aliases]).toEqual([
      ...[200, 'spring', urlOf('spring')],
      [urlOf('sprnig')],
    ]);
    for (const path of ['/spring', '/sprnig', '/sprnig', '/sprnig'])
      expect(await locationOf(path)).toBe(menu);
    await patch(id, { destination_url: 'https://example.com/other' });
    for (const path of ['/spring', '/sprnig'])
      expect(await locationOf(path)).toBe('https://example.com/other');
    const changedBack = await patch(id, { suffix: 'sprnig' });
    expect([changedBack.json.suffix, changedBack.json.aliases]).toEqual(['sprnig', [urlOf('spring')]]);
    for (const path of ['/spring', '/sprnig'])
      expect(await locationOf(path)).toBe('https://example.com/other');
    expect((await call('GET', '/link?q=SPRING')).json.links.map((link: { id: number }) => link.id)).toEqual([
      id,
    ]);
  });

  test('aliases are set, added and removed, by suffix or address, and a Link can be sent back unchanged', async () => {
    // Its 404 is cached.
    expect(await locationOf('/given-at-once')).toBeNull();
    await create({ aliases: ['given-at-once'] });
    expect(await locationOf('/given-at-once')).toBe(menu);
    const { id, ...made } = await create({ suffix: 'given', aliases: ['given-2', urlOf('ångström')] });
    expect(made.aliases).toEqual([urlOf('given-2'), urlOf('%C3%A5ngstr%C3%B6m')]);
    expect(await locationOf('/%C3%A5ngstr%C3%B6m')).toBe(menu);
    const more = await patch(id, {
      add_aliases: ['given-3', 'given', 'given-3'],
      remove_aliases: ['given-2'],
    });
    expect(more.json.aliases).toEqual([urlOf('%C3%A5ngstr%C3%B6m'), urlOf('given-3')]);
    expect([await locationOf('/given-2'), await locationOf('/given-3')]).toEqual([null, menu]);
    const same = await patch(id, { ...more.json, name: 'Sent back' });
    expect([same.status, same.json.aliases]).toEqual([200, more.json.aliases]);
    const all = await patch(id, { ...more.json, suffix: 'renamed' });
    expect(all.json.aliases).toEqual([...more.json.aliases, urlOf('given')]);
    expect((await patch(id, { aliases: '' })).json.aliases).toEqual([]);
    expect([await locationOf('/given'), await locationOf('/given-3'), await locationOf('/renamed')]).toEqual([
      null,
      null,
      menu,
    ]);
    const { json } = await call('GET', `/link/${id}/history`);
    expect(json.history[1].changes).toMatchObject([
      { field: 'suffix', from: 'given', to: 'renamed' },
      { field: 'aliases', from: more.json.aliases, to: all.json.aliases },
      { field: 'name' },
    ]);
  });

  test('an address that another link has, as its own or as an alias, is refused on creation, change and restoration', async () => {
    const holder = await create({ suffix: 'held', aliases: ['held-too'] });
    const { id } = await create({ suffix: 'wants' });
    for (const suffix of ['held', 'held-too']) {
      const taken = await patch(id, { suffix });
      expect(refused(taken)).toEqual([409, 'SUFFIX_TAKEN', 'suffix']);
      expect(taken.json.error_string).toContain(`link ${holder.id} `);
      expect(refused(await patch(id, { add_aliases: ['free', suffix] }))).toEqual([
        409,
        'SUFFIX_TAKEN',
        'add_aliases',
      ]);
      expect(refused(await patch(id, { aliases: ['free', suffix] }))).toEqual([
        409,
        'SUFFIX_TAKEN',
        'aliases',
      ]);
      const body = { destination_url: menu, suffix };
      expect(refused(await call('POST', '/link', body))).toEqual([409, 'SUFFIX_TAKEN', 'suffix']);
      expect(refused(await call('POST', '/link', body, suite.other))).toEqual([
        409,
        'SUFFIX_TAKEN',
        'suffix',
      ]);
      const asAlias = { destination_url: menu, suffix: `as-alias-${suffix}`, aliases: ['free', suffix] };
      expect(refused(await call('POST', '/link', asAlias))).toEqual([409, 'SUFFIX_TAKEN', 'aliases']);
      expect([await locationOf(`/as-alias-${suffix}`), await locationOf('/free')]).toEqual([null, null]);
    }
    const links = [
      { destination_url: menu, suffix: 'bulk-1', aliases: ['bulk-alias'] },
      { destination_url: menu, suffix: 'bulk-2', aliases: ['bulk-alias'] },
      { destination_url: menu, suffix: 'bulk-alias' },
      { destination_url: menu, aliases: ['bulk-alias-2'] },
    ];
    const { json } = await call('POST', '/link/bulk', { links });
    expect(json.results.map((result: { status: number }) => result.status).toSorted()).toEqual([
      201, 201, 409, 409,
    ]);
    expect([
      await locationOf('/bulk-alias'),
      await locationOf('/bulk-alias-2'),
      await locationOf('/bulk-2'),
    ]).toEqual([menu, menu, null]);
  });

  test('of many simultaneous requests for one address, one gets it', async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, async () => (await create()).id));
    const outcomes = await Promise.all([
      ...ids.slice(0, 2).map((id) => patch(id, { suffix: 'contested' })),
      ...ids.slice(2).map((id) => patch(id, { add_aliases: ['contested'] })),
      ...['a', 'b'].map(() => call('POST', '/link', { destination_url: menu, suffix: 'contested' })),
      call('POST', '/link', { destination_url: menu, aliases: ['contested'] }),
    ]);
    expect(outcomes.filter(({ status }) => status < 300)).toHaveLength(1);
    expect(outcomes.filter(({ status }) => status === 409)).toHaveLength(outcomes.length - 1);
    expect(await locationOf('/contested')).toBe(menu);
  });

  test('a deleted link reserves its aliases, and is restored with those that its organization did not reassign', async () => {
    const { id } = await create({ suffix: 'binned', aliases: ['binned-1', 'binned-2'] });
    expect(await locationOf('/binned-1')).toBe(menu);
    await call('DELETE', `/link/${id}`);
    expect([
      await locationOf('/binned'),
      await locationOf('/binned-1'),
      await locationOf('/binned-2'),
    ]).toEqual([null, null, null]);
    const body = { destination_url: 'https://example.com/thief', suffix: 'binned-1' };
    expect(refused(await call('POST', '/link', body, suite.other))).toEqual([409, 'SUFFIX_TAKEN', 'suffix']);
    expect((await call('POST', '/link', body)).status).toBe(201);
    expect((await call('POST', '/link/restore', { ids: [id] })).status).toBe(200);
    expect((await call('GET', `/link/${id}`)).json.aliases).toEqual([urlOf('binned-2')]);
    expect([await locationOf('/binned-1'), await locationOf('/binned-2')]).toEqual([
      'https://example.com/thief',
      menu,
    ]);
    const other = await create({ suffix: 'binned-3' });
    await call('DELETE', `/link/${other.id}`);
    expect((await patch(id, { add_aliases: ['binned-3'] })).status).toBe(200);
    expect((await call('GET', '/link/deleted')).json.links[0]).toMatchObject({
      id: other.id,
      suffix_taken_by: id,
    });
    const restored = await call('POST', '/link/restore', { ids: [other.id] });
    expect(restored.json.error_string).toMatch(/ is an alias of link \d+\. Remove it there first\.$/);
    expect(refused(restored)).toEqual([409, 'SUFFIX_TAKEN', 'ids']);
  });

  test("changing the address of a link in print, and removing aliases, needs confirmation; adding them doesn't", async () => {
    const { id } = await create({ suffix: 'printed', on_paper: true, aliases: ['printed-1'] });
    const onPaper = [409, 'LINK_ON_PAPER', 'confirm'];
    expect(refused(await patch(id, { suffix: 'printed-2' }))).toEqual(onPaper);
    expect(refused(await patch(id, { remove_aliases: ['printed-1'] }))).toEqual(onPaper);
    const at = new Date(suite.app.clock.now + 60_000).toISOString();
    const plan = { at, changes: { suffix: 'printed-2' } };
    expect(refused(await call('POST', `/link/${id}/scheduled`, plan))).toEqual(onPaper);
    expect((await patch(id, { add_aliases: ['printed-3'] })).status).toBe(200);
    expect((await patch(id, { suffix: 'printed-2' }, '?confirm=true')).status).toBe(200);
    expect(await locationOf('/printed')).toBe(menu);
  });

  test('the PNG of the QR code has another path after the address changes', async () => {
    const { id, qr_code_png: before } = await create({ suffix: 'pictured' });
    const { qr_code_png: after } = (await patch(id, { suffix: 'pictured-2' })).json;
    expect(after).not.toBe(before);
    for (const png of [before, after])
      expect((await visit(ownHost, new URL(png).pathname)).headers['content-type']).toBe('image/png');
    await patch(id, { aliases: null });
    expect((await call('GET', `/link/${id}`)).json.qr_code_png).toBe(after);
  });

  onOneStore(store, () => {
    test('an invalid address is refused with its field, and so are too many', async () => {
      const { id } = await create({ suffix: 'proper' });
      const wrong: readonly (readonly [object, string, string])[] = [
        [{ suffix: 'two words' }, 'SUFFIX_INVALID', 'suffix'],
        [{ suffix: 'api' }, 'SUFFIX_RESERVED', 'suffix'],
        [{ suffix: '' }, 'FIELD_INVALID', 'suffix'],
        [{ suffix: null }, 'FIELD_INVALID', 'suffix'],
        [{ domain: 'https://not-ours.example' }, 'DOMAIN_UNVERIFIED', 'domain'],
        [{ add_aliases: ['two words'] }, 'SUFFIX_INVALID', 'add_aliases'],
        [{ add_aliases: ['https://not-ours.example/x'] }, 'DOMAIN_UNVERIFIED', 'add_aliases'],
        [{ add_aliases: [urlOf('api/v1')] }, 'SUFFIX_RESERVED', 'add_aliases'],
        [{ aliases: ['https://not-ours.example/x'] }, 'DOMAIN_UNVERIFIED', 'aliases'],
        [{ aliases: [urlOf('a?b')] }, 'SUFFIX_INVALID', 'aliases'],
        [{ aliases: Array.from({ length: 21 }, (_, index) => `many-${index}`) }, 'FIELD_INVALID', 'aliases'],
        [{ aliases: 'proper-2' }, 'FIELD_INVALID', 'aliases'],
      ];
      for (const [body, code, field] of wrong) {
        const { status, json } = await patch(id, body);
        expect([body, status, json.error_code, json.field_key]).toEqual([body, 400, code, field]);
      }
      expect((await call('GET', `/link/${id}`)).json).toMatchObject({ suffix: 'proper', aliases: [] });
    });
  });

  test('a link moves to another domain, forwards paths from all addresses, and loses those of a deleted domain', async () => {
    const domain = await addVerifiedDomain('aliases.example.org');
    const { id } = await create({ suffix: 'moving', forward_path: true });
    const moved = await patch(id, { domain: 'https://aliases.example.org', add_aliases: ['moving-2'] });
    expect(moved.json.aliases).toEqual(['https://aliases.example.org/moving-2', urlOf('moving')]);
    const locationThere = (path: string) => locationOn('aliases.example.org', path);
    for (const path of ['/moving', '/moving-2']) expect(await locationThere(path)).toBe(menu);
    expect(await locationThere('/moving-2/lunch')).toBe(`${menu}/lunch`);
    expect(await locationOf('/moving/lunch')).toBe(`${menu}/lunch`);
    await patch(id, { forward_path: false });
    expect(await locationOf('/moving/lunch')).toBeNull();
    expect((await call('GET', `/domain/${domain}`)).json.links).toBe(1);

    expect((await patch(id, { domain: ownHost })).json.domain).toBe(`https://${ownHost}`);
    await patch(id, { on_paper: true });
    expect(refused(await remove(domain))).toEqual([409, 'DOMAIN_HAS_LINKS', undefined]);
    const path = `/domain/${domain}?links=delete`;
    expect(refused(await call('DELETE', path))).toEqual([409, 'LINK_ON_PAPER', 'confirm']);
    expect((await call('DELETE', `${path}&confirm=true`)).status).toBe(204);
    expect((await call('GET', `/link/${id}`)).json.aliases).toEqual([]);
    expect(await locationOf('/moving')).toBe(menu);
    const { json } = await call('GET', `/link/${id}/history`);
    expect(json.history[0]).toMatchObject({ via: 'linnet', changes: [{ field: 'aliases', to: [] }] });

    // Earlier states are restored without them, and then no other alias is lost.
    await patch(id, { name: 'Later', add_aliases: ['moving-3'] });
    const reverted = await call('POST', `/link/${id}/history/restore`, { entry: json.history[1].id });
    expect([reverted.status, reverted.json.name, reverted.json.aliases]).toEqual([
      ...[200, null],
      [urlOf('moving-3')],
    ]);
  });

  test('a restored link that has lost nothing is as it was, with its aliases in their order', async () => {
    const { id } = await create({ suffix: 'ordered', aliases: ['order-2'] });
    const before = (await patch(id, { aliases: ['order-1', 'order-2'] })).json;
    expect(before.aliases).toEqual([urlOf('order-1'), urlOf('order-2')]);
    await call('DELETE', `/link/${id}`);
    await call('POST', '/link/restore', { ids: [id] });
    expect((await call('GET', `/link/${id}`)).json).toEqual(before);
    const { history } = (await call('GET', `/link/${id}/history`)).json;
    expect(history[0]).toMatchObject({ action: 'restored', changes: [] });
  });

  test('a restored link has lost its aliases on a domain that was deleted meanwhile, and its history says so', async () => {
    const domain = await addVerifiedDomain('meanwhile.example.org');
    const there = 'https://meanwhile.example.org/there';
    const { id } = await create({ suffix: 'meanwhile', aliases: [there, 'here'] });
    await call('DELETE', `/link/${id}`);
    expect((await call('DELETE', `/domain/${domain}?links=delete`)).status).toBe(204);
    await call('POST', '/link/restore', { ids: [id] });
    expect((await call('GET', `/link/${id}/history`)).json.history[0]).toMatchObject({
      action: 'restored',
      changes: [{ field: 'aliases', from: [there, urlOf('here')], to: [urlOf('here')] }],
    });
  });

  test('what a deleted link has lost by its restoration is in its history, and is no longer searched', async () => {
    const before = await create({ suffix: 'losing', aliases: ['lost-1', 'kept-1'], external_id: 'lost-id' });
    const { id } = before;
    await call('DELETE', `/link/${id}`);
    const holder = await create({ suffix: 'lost-1', external_id: 'lost-id' });
    expect((await call('POST', '/link/restore', { ids: [id] })).status).toBe(200);
    const { json } = await call('GET', `/link/${id}`);
    expect([json.aliases, json.external_id]).toEqual([[urlOf('kept-1')], null]);
    const { history } = (await call('GET', `/link/${id}/history`)).json;
    expect(history[0]).toMatchObject({
      action: 'restored',
      changes: [
        { field: 'aliases', from: [urlOf('lost-1'), urlOf('kept-1')], to: [urlOf('kept-1')] },
        { field: 'external_id', from: 'lost-id', to: null },
      ],
    });
    const found = async (q: string) =>
      (await call('GET', `/link?q=${q}`)).json.links.map((link: { id: number }) => link.id);
    expect([await found('lost-1'), await found('kept-1')]).toEqual([[holder.id], [id]]);
    // It is another state of the link, so changes of the earlier one are refused.
    const headers = { 'If-Match': `"${before.updated_at}"` };
    const outdated = await suite.app.call('PATCH', `/api/v1/link/${id}`, {
      key: suite.owner.key,
      headers,
      body: { name: 'Outdated' },
    });
    expect(outdated.json.error_code).toBe('LINK_CHANGED');
    // It gets everything back once that is free.
    await call('DELETE', `/link/${holder.id}`);
    const reverted = await call('POST', `/link/${id}/history/restore`, { entry: 0 });
    expect([reverted.json.aliases, reverted.json.external_id]).toEqual([before.aliases, 'lost-id']);
  });

  test('an earlier state is restored with its address and keeps the later one; a change of the address can be scheduled', async () => {
    const { id } = await create({ suffix: 'state-1' });
    await patch(id, { suffix: 'state-2', name: 'Second' });
    const { json } = await call('POST', `/link/${id}/history/restore`, { entry: 0 });
    expect([json.suffix, json.name, json.aliases]).toEqual(['state-1', null, [urlOf('state-2')]]);
    const at = new Date(suite.app.clock.now + 60_000).toISOString();
    const plan = await call('POST', `/link/${id}/scheduled`, { at, changes: { suffix: 'state-3' } });
    expect([plan.status, plan.json.changes]).toEqual([201, { suffix: 'state-3' }]);
    const wrong = await call('POST', `/link/${id}/scheduled`, { at, changes: { suffix: 'two words' } });
    expect(refused(wrong)).toEqual([400, 'SUFFIX_INVALID', 'changes.suffix']);

    // Without the aliases added since, but with each address that the link had since.
    const { id: moved } = await create({ suffix: 'stage-1' });
    const domain = await addVerifiedDomain('stages.example.org');
    await patch(moved, { suffix: 'stage-2', add_aliases: ['stage-a'] });
    await patch(moved, { add_aliases: ['stage-b', 'stage-c'] });
    await patch(moved, { domain: 'stages.example.org', suffix: 'stage-3' });
    await patch(moved, { suffix: 'stage-4' });
    await patch(moved, { domain: ownHost, suffix: 'stage-1', remove_aliases: [urlOf('stage-a')] });
    const restore = async () => (await call('POST', `/link/${moved}/history/restore`, { entry: 0 })).json;
    const { suffix, aliases } = await restore();
    const there = ['stage-3', 'stage-4'].map((stage) => `https://stages.example.org/${stage}`);
    expect([suffix, aliases.toSorted()]).toEqual(['stage-1', [urlOf('stage-2'), ...there].toSorted()]);
    expect(await locationOf('/stage-2')).toBe(menu);
    // One that was removed on purpose stays away.
    await patch(moved, { remove_aliases: [urlOf('stage-2')], name: 'Without' });
    expect((await restore()).aliases.toSorted()).toEqual(there);
    expect((await call('DELETE', `/domain/${domain}?links=delete`)).status).toBe(204);
  });

  test('the CSV has the aliases, and a link with an external id gets its address by PUT', async () => {
    const put = (body: object) => call('PUT', '/link/external/order-1', { destination_url: menu, ...body });
    expect((await put({ suffix: 'put-1', aliases: ['put-2', 'put-3'] })).status).toBe(201);
    const { text } = await call('GET', '/link.csv?q=put-1');
    expect(text).toContain(`${urlOf('put-2')} ${urlOf('put-3')}`);
    expect((await put({ suffix: 'put-4' })).json.aliases).toEqual(['put-2', 'put-3', 'put-1'].map(urlOf));
  });

  test('the addresses of a link that can no longer be restored are free', async () => {
    const { id } = await create({ suffix: 'over', aliases: ['over-1', 'over-2'] });
    await call('DELETE', `/link/${id}`);
    suite.app.clock.now += 31 * dayLength;
    const theirs = (body: object) => call('POST', '/link', { destination_url: menu, ...body }, suite.other);
    expect((await theirs({ suffix: 'over-1' })).status).toBe(201);
    expect((await theirs({ aliases: ['over', 'over-2'] })).json.aliases).toEqual(
      ['over', 'over-2'].map(urlOf),
    );
    for (const path of ['/over', '/over-1', '/over-2']) expect(await locationOf(path)).toBe(menu);
    expect((await call('POST', '/link/restore', { ids: [id] })).status).toBe(404);
  });
});
