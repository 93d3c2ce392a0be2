import { describe, expect, test } from 'bun:test';
import { storeKinds, type TestResponse } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';

describe.each(storeKinds)('links that are in print on %s', (store) => {
  const { app, call } = appWithOwner({ store });
  const create = async (body: object = {}) =>
    (await call('POST', '/link', { destination_url: 'https://example.com/menu', on_paper: true, ...body }))
      .json;
  const read = (id: number) => call('GET', `/link/${id}`);
  const refused = ({ status, json }: TestResponse) => [status, json.error_code, json.field_key];
  const onPaper = [409, 'LINK_ON_PAPER', 'confirm'];

  test('are deleted only after confirmation, one or many, and all or none of them', async () => {
    const link = await create();
    expect(link.on_paper).toBe(true);
    for (const query of ['', '?confirm=false'])
      expect(refused(await call('DELETE', `/link/${link.id}${query}`))).toEqual(onPaper);
    const plain = await create({ on_paper: false });
    const ids = [plain.id, link.id];
    const many = await call('POST', '/link/bulk_delete', { ids });
    expect(refused(many)).toEqual(onPaper);
    expect(many.json.error_string).toContain(link.suffix);
    expect((await read(plain.id)).status).toBe(200);
    expect((await app.visit(`/${link.suffix}`)).status).toBe(302);
    expect((await call('DELETE', `/link/${plain.id}`)).status).toBe(204);
    expect((await call('DELETE', `/link/${link.id}?confirm=true`)).status).toBe(204);
    const other = await create();
    const confirmed = await call('POST', '/link/bulk_delete?confirm=true', { ids: [other.id] });
    expect(confirmed.json).toEqual({ deleted: 1, ids: [other.id] });
    const wrong = await call('DELETE', `/link/${other.id}?confirm=perhaps`);
    expect(refused(wrong)).toEqual([400, 'FIELD_INVALID', 'confirm']);
  });

  test('are ended only after confirmation, in each possible way; other changes and enabling need none', async () => {
    const { id, suffix } = await create();
    const endings = [
      { disabled: true },
      { expiration_date: '2031-01-01' },
      { disabled: true, on_paper: false },
    ];
    for (const ending of endings)
      expect(refused(await call('PATCH', `/link/${id}`, ending))).toEqual(onPaper);
    expect(refused(await call('PATCH', '/link/bulk', { ids: [id], disabled: true }))).toEqual(onPaper);
    expect((await read(id)).json).toMatchObject({ disabled: false, expiration_date: null, on_paper: true });
    const harmless = await call('PATCH', `/link/${id}`, {
      destination_url: 'https://example.com/winter',
      archived: true,
      password: 'sesame',
      expiration_date: null,
    });
    expect(harmless.status).toBe(200);
    await call('PATCH', `/link/${id}`, { password: null });
    const confirmed = await call('PATCH', `/link/${id}?confirm=true`, {
      disabled: true,
      expiration_date: '2031-01-01',
    });
    expect(confirmed.json).toMatchObject({ disabled: true, expiration_date: '2031-01-01T00:00:00.000Z' });
    expect((await app.visit(`/${suffix}`)).status).toBe(410);
    expect((await call('PATCH', `/link/${id}`, confirmed.json)).status).toBe(200);
    expect((await call('PATCH', `/link/${id}`, { disabled: false, expiration_date: '' })).status).toBe(200);

    const { history } = (await call('GET', `/link/${id}/history`)).json;
    const ended = history.find(({ changes }: { changes: { field: string; to: unknown }[] }) =>
      changes.some(({ field, to }) => field === 'disabled' && to === true),
    );
    const path = `/link/${id}/history/restore`;
    expect(refused(await call('POST', path, { entry: ended.id }))).toEqual(onPaper);
    expect((await call('POST', `${path}?confirm=true`, { entry: ended.id })).json.disabled).toBe(true);
    const bulk = await call('PATCH', '/link/bulk', { ids: [id], disabled: false, on_paper: false });
    expect(bulk.json).toEqual({ updated: 1 });
    expect((await call('DELETE', `/link/${id}`)).status).toBe(204);
  });

  test('keep their domain, unless its deletion is confirmed as well', async () => {
    const made = await call('POST', '/domain', { domain: `print-${store}.example.org` });
    const { id } = made.json;
    await app.app.context.database.write((queries) =>
      queries.updateTable('domains').set({ verified_at: app.clock.now }).where('id', '=', id).execute(),
    );
    const link = await create({ domain: `print-${store}.example.org` });
    await create();
    expect((await call('DELETE', `/domain/${id}`)).json.error_code).toBe('DOMAIN_HAS_LINKS');
    const kept = await call('DELETE', `/domain/${id}?links=delete`);
    expect(refused(kept)).toEqual(onPaper);
    expect(kept.json.error_string).toContain(`A link on print-${store}.example.org is in print`);
    expect((await read(link.id)).status).toBe(200);
    expect((await call('DELETE', `/domain/${id}?links=delete&confirm=true`)).status).toBe(204);
    expect((await read(link.id)).status).toBe(404);
  });

  test('are found in the list and the export, together with other filters', async () => {
    const { key } = await app.createAccount();
    for (const [name, on_paper, archived] of [
      ['poster', true, false],
      ['banner', false, false],
      ['flyer', true, true],
    ] as const)
      await app.call('POST', '/api/v1/link', {
        key,
        body: { destination_url: 'https://example.com', name, on_paper, archived },
      });
    const found = async (query: string) => {
      const { json } = await app.call('GET', `/api/v1/link?${query}`, { key });
      return [json.links.map((link: { name: string }) => link.name), json.total_links];
    };
    expect(await found('on_paper=true')).toEqual([['poster'], 1]);
    expect(await found('on_paper=false')).toEqual([['banner'], 1]);
    expect(await found('on_paper=true&archived=any&sort=name')).toEqual([['flyer', 'poster'], 2]);
    expect(await found('on_paper=true&archived=any&q=FLY')).toEqual([['flyer'], 1]);
    expect(await found('')).toEqual([['banner', 'poster'], 2]);
    const csv = await app.call('GET', '/api/v1/link.csv?on_paper=true', { key });
    expect(csv.text.split('\r\n').filter((line) => line !== '')).toHaveLength(2);
    const wrong = await app.call('GET', '/api/v1/link?on_paper=maybe', { key });
    expect(refused(wrong)).toEqual([400, 'FIELD_INVALID', 'on_paper']);
  });
});
