import { describe, expect, test } from 'bun:test';
import { onOneStore, storeKinds } from './support/app.ts';
import { domainSuite, ownHost } from './support/domain-suite.ts';
import { eventually } from './support/eventually.ts';
import { visitRaw } from './support/raw-http.ts';

describe.each(storeKinds)('custom domains in use on %s', (store) => {
  const { suite, add, verify, remove, link, visit, addVerifiedDomain } = domainSuite(store);

  test('redirect the root and unknown suffixes to the addresses set by their owner, without counting clicks', async () => {
    const id = await addVerifiedDomain('fallbacks.example.org');
    await link('fallbacks.example.org', 'known');
    const patch = (body: object) =>
      suite.app.call('PATCH', `/api/v1/domain/${id}`, { key: suite.owner.key, body });
    const at = async (path: string, method = 'GET') => {
      const { status, headers } = await visitRaw(suite.app.url, {
        host: 'fallbacks.example.org',
        path,
        method,
      });
      return [status, headers.location];
    };
    expect(await at('/')).toEqual([404, undefined]);
    const { status, json } = await patch({
      root_url: 'example.com/home',
      not_found_url: 'https://example.com/lost?a=ü',
    });
    expect([status, json.root_url]).toEqual([200, 'https://example.com/home']);
    const lost = 'https://example.com/lost?a=%C3%BC';
    expect(await at('/')).toEqual([302, 'https://example.com/home']);
    expect(await at('/', 'HEAD')).toEqual([302, 'https://example.com/home']);
    for (const path of ['/unknown', '/un/known', '/docs', '/%ff', '/known/x'])
      expect([path, ...(await at(path))]).toEqual([path, 302, lost]);
    expect(await at('/known')).toEqual([302, 'https://destination.example/']);
    expect((await at('/unknown', 'POST'))[0]).toBe(404);
    expect(await at('/api/v1/link')).toEqual([404, undefined]);
    expect((await at('/robots.txt'))[0]).toBe(200);
    // A key must not be sent on to where the domain redirects.
    for (const [path, key] of [
      ['/v1/link', ''],
      ['/v1/link', suite.owner.key],
      ['/', suite.owner.key],
      ['/unknown', suite.owner.key],
    ] as const) {
      const misdirected = await visitRaw(suite.app.url, {
        host: 'fallbacks.example.org',
        path,
        headers: key === '' ? {} : { 'api-key': key },
      });
      expect([path, misdirected.status, misdirected.headers.location]).toEqual([path, 404, undefined]);
      expect(misdirected.headers['content-type']).toStartWith('application/json');
    }

    expect((await patch(json)).status).toBe(200);
    expect((await patch({ not_found_url: null })).json).toMatchObject({
      root_url: 'https://example.com/home',
      not_found_url: null,
    });
    expect(await at('/unknown')).toEqual([404, undefined]);
    // No header may contain braces.
    const template = 'https://example.com/lost?a={b}';
    expect((await patch({ not_found_url: template })).json.not_found_url).toBe(template);
    expect(await at('/unknown')).toEqual([302, 'https://example.com/lost?a=%7Bb%7D']);
    await patch({ root_url: '', not_found_url: '' });
    expect(await at('/')).toEqual([404, undefined]);
    const stats = await suite.app.call('GET', '/api/v1/clicks?class=all', { key: suite.owner.key });
    expect(stats.json.clicks.every(({ link_id }: { link_id: number | null }) => link_id !== null)).toBe(true);
  });

  test('are named in their own script, too, wherever links are chosen by domain', async () => {
    await addVerifiedDomain('läden.example.org');
    await link('läden.example.org', 'script');
    for (const name of ['läden.example.org', 'xn--lden-loa.example.org', 'https://LÄDEN.example.org/']) {
      const query = `domain=${encodeURIComponent(name)}`;
      const call = (path: string) =>
        suite.app.call('GET', `/api/v1/${path}?${query}`, { key: suite.owner.key });
      expect([name, (await call('link')).json.total_links]).toEqual([name, 1]);
      expect([name, (await call('stats')).status]).toEqual([name, 200]);
    }
  });

  test('never redirect to a short domain, their own or another, in any spelling', async () => {
    const id = await addVerifiedDomain('loop.example.org');
    await addVerifiedDomain('elsewhere.example.org', suite.other);
    await add('soon.example.org');
    for (const url of [
      'https://loop.example.org/',
      'http://LOOP.example.org./x',
      'soon.example.org',
      'https://elsewhere.example.org/a',
      `https://${ownHost}/x`,
    ])
      for (const field of ['root_url', 'not_found_url']) {
        const { status, json } = await suite.app.call('PATCH', `/api/v1/domain/${id}`, {
          key: suite.owner.key,
          body: { [field]: url },
        });
        expect([url, status, json.error_code, json.field_key]).toEqual([
          url,
          400,
          'DESTINATION_IS_OURS',
          field,
        ]);
      }
    for (const url of [
      'javascript:alert(1)',
      'ftp://example.com',
      'https://user:pass@example.com',
      'https://a\nb',
      'x',
    ]) {
      const { status, json } = await suite.app.call('PATCH', `/api/v1/domain/${id}`, {
        key: suite.owner.key,
        body: { root_url: url },
      });
      expect([url, status, json.field_key]).toEqual([url, 400, 'root_url']);
    }
  });

  test('are deleted only after a refusal that counts their links and the aliases of other links on them', async () => {
    const host = 'counted.example.org';
    const domain = await addVerifiedDomain(host);
    const call = async (method: string, path: string, body: object) =>
      (await suite.app.call(method, `/api/v1/link${path}`, { key: suite.owner.key, body })).json;
    const create = (fields: object) =>
      call('POST', '', { destination_url: 'https://example.com/', on_paper: true, ...fields });
    const refusal = async (query = '') => (await remove(domain, query)).json.error_string;
    const inPrint = () => refusal('?links=delete');

    const { id } = await create({ domain: host, aliases: ['its-own'] });
    expect(await refusal()).toStartWith(`There is one link on ${host}, which`);
    expect(await inPrint()).toStartWith(`A link on ${host} is in print`);
    const elsewhere = await create({ aliases: [`https://${host}/first`] });
    expect(await refusal()).toStartWith(`There is one link and an alias of another on ${host}, which`);
    await call('PATCH', `/${elsewhere.id}`, { add_aliases: [`https://${host}/second`] });
    expect(await refusal()).toStartWith(`There is one link and 2 aliases of others on ${host}, which`);
    expect(await inPrint()).toStartWith(`2 links on ${host} are in print`);
    await call('PATCH', `/${id}`, { on_paper: false });
    expect(await inPrint()).toStartWith(`A link on ${host} is in print`);
  });

  test('with links are kept, unless the links are to be deleted too', async () => {
    const id = await addVerifiedDomain('full.example.org');
    await Promise.all(Array.from({ length: 12 }, (_, index) => link('full.example.org', `s${index}`)));
    await suite.app.call('POST', '/api/v1/link', {
      key: suite.owner.key,
      body: { destination_url: 'https://example.com' },
    });
    const refused = await remove(id);
    expect([refused.status, refused.json.error_code]).toEqual([409, 'DOMAIN_HAS_LINKS']);
    expect(refused.json.error_string).toContain('12 links');
    expect((await remove(id, '?links=keep')).status).toBe(400);
    expect((await visit('full.example.org', '/s7')).status).toBe(302);

    expect((await remove(id, '?links=delete')).status).toBe(204);
    expect((await visit('full.example.org', '/s7')).status).toBe(404);
    expect((await suite.app.call('GET', `/api/v1/domain/${id}`, { key: suite.owner.key })).status).toBe(404);
    const { links, total_links } = (await suite.app.call('GET', '/api/v1/link', { key: suite.owner.key }))
      .json;
    expect([links.length, total_links]).toEqual([1, 1]);
    expect((await suite.app.call('GET', '/api/v1/domain', { key: suite.owner.key })).json).toEqual([]);
    expect((await remove(id, '?links=delete')).status).toBe(404);

    const again = await addVerifiedDomain('full.example.org');
    expect(again).not.toBe(id);
    expect((await visit('full.example.org', '/s7')).status).toBe(404);
    expect((await link('full.example.org', 's7')).status).toBe(201);
  });

  test('get no new links while they are being deleted, however close in time', async () => {
    for (let round = 0; round < 4; round++) {
      const host = `closing${round}.example.org`;
      const id = await addVerifiedDomain(host);
      const [deletion, ...made] = await Promise.all([
        remove(id, '?links=delete'),
        ...Array.from({ length: 8 }, (_, index) => link(host, `s${index}`)),
      ]);
      expect(deletion?.status).toBe(204);
      for (const { status, json } of made)
        expect(status === 201 || json.error_code === 'DOMAIN_UNVERIFIED').toBe(true);
      const { json } = await suite.app.call('GET', '/api/v1/link', { key: suite.owner.key });
      expect(json).toEqual({ links: [], total_links: 0 });
    }
  });

  test('whose deletion was interrupted are deleted by the next node that checks', async () => {
    const id = await addVerifiedDomain('torn.example.org');
    await link('torn.example.org', 'left');
    await suite.app.app.context.database.write((queries) =>
      queries
        .updateTable('domains')
        .set({ deleted_at: suite.app.clock.now, verified_at: null, next_check_at: suite.app.clock.now })
        .where('id', '=', id)
        .execute(),
    );
    const list = async () =>
      (await suite.app.call('GET', '/api/v1/link', { key: suite.owner.key })).json.total_links;
    await eventually(async () => (await list()) === 0, 'the links to be deleted');
    const { read } = suite.app.app.context.database;
    const rows = () => read.selectFrom('domains').select('id').where('id', '=', id).execute();
    await eventually(async () => (await rows()).length === 0, 'the domain to be deleted');
    expect(await list()).toBe(0);
  });

  test("can't be pending more than a hundred per organization, nor be checked more than twenty times a minute", async () => {
    const first = await add('n0.example.org');
    const [organization_id, created_at] = [suite.owner.organizationId, suite.app.clock.now];
    const pending = Array.from({ length: 98 }, (_, index) => ({
      ...{ organization_id, host: `n${index + 1}.example.org`, proof: '', created_at, next_check_at: null },
    }));
    await suite.app.app.context.database.write((queries) =>
      queries.insertInto('domains').values(pending).execute(),
    );
    expect((await add('n99.example.org')).status).toBe(201);
    const more = await add('n100.example.org');
    expect([more.status, more.json.error_code]).toEqual([409, 'TOO_MANY_DOMAINS']);
    await remove(first.json.id);
    const added = await add('n100.example.org');
    const responses = await Promise.all(Array.from({ length: 30 }, () => verify(added.json.id)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(20);
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10);
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  test('in other scripts are stored in ASCII and shown in both forms, except for deceptive names', async () => {
    for (const [given, domain, shown] of [
      ['Bücher.example.org', 'xn--bcher-kva.example.org', 'bücher.example.org'],
      ['xn--bcher-kva.de', 'xn--bcher-kva.de', 'bücher.de'],
      ['例え.jp', 'xn--r8jz45g.jp', '例え.jp'],
      ['аpple.example.org', 'xn--pple-43d.example.org', 'xn--pple-43d.example.org'],
    ] as const) {
      const { status, json } = await add(given);
      expect([status, json.domain, json.domain_unicode]).toEqual([201, domain, shown]);
    }
    const { error_code } = (await add('bücher.EXAMPLE.org')).json;
    expect(error_code).toBe('DOMAIN_EXISTS');
    await addVerifiedDomain('grüße.example.org');
    const made = await link('grüße.example.org', 'an-alle');
    expect([made.status, made.json.url]).toEqual([201, 'https://xn--gre-6ka8l.example.org/an-alle']);
    expect((await visit('xn--gre-6ka8l.example.org', '/an-alle')).status).toBe(302);
  });

  onOneStore(store, () => {
    test("that can't be registered are refused with a message", async () => {
      for (const [name, code] of [
        ['', 'DOMAIN_INVALID'],
        ['single', 'DOMAIN_INVALID'],
        ['192.0.2.1', 'DOMAIN_INVALID'],
        ['[2001:db8::1]', 'DOMAIN_INVALID'],
        ['go.example.org:8080', 'DOMAIN_INVALID'],
        ['ftp://go.example.org', 'DOMAIN_INVALID'],
        ['go.example.org/path', 'DOMAIN_INVALID'],
        ['a b.example.org', 'DOMAIN_INVALID'],
        ['_x.example.org', 'DOMAIN_INVALID'],
        ['xn--a.example.org', 'DOMAIN_INVALID'],
        ['co.uk', 'DOMAIN_RESERVED'],
        ['github.io', 'DOMAIN_RESERVED'],
        ['localhost', 'DOMAIN_RESERVED'],
        ['printer.local', 'DOMAIN_RESERVED'],
        [ownHost, 'DOMAIN_RESERVED'],
        [`x.y.${ownHost}`, 'DOMAIN_RESERVED'],
        [
          `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example.org`,
          'FIELD_TOO_LONG',
        ],
        ['x'.repeat(3_000), 'FIELD_TOO_LONG'],
        [null, 'FIELD_INVALID'],
        [7, 'FIELD_INVALID'],
      ] as const) {
        const { status, json } = await add(name);
        expect([name, status, json.error_code, json.field_key]).toEqual([name, 400, code, 'domain']);
        expect(json.error_string.length).toBeGreaterThan(10);
      }
      expect((await suite.app.call('GET', '/api/v1/domain', { key: suite.owner.key })).json).toEqual([]);
    });
  });

  test('may get certificates from a proxy if they are verified, and no other names may', async () => {
    const id = await addVerifiedDomain('tls.example.org');
    await add('waiting.example.org');
    const allowed = async (domain: string) =>
      (await suite.app.call('GET', `/internal/tls-allowed?domain=${encodeURIComponent(domain)}`)).status;
    for (const host of ['tls.example.org', 'TLS.example.org.'])
      expect([host, await allowed(host)]).toEqual([host, 200]);
    for (const host of [
      ownHost,
      `${ownHost}.`,
      'waiting.example.org',
      'x.tls.example.org',
      'example.org',
      `x.${ownHost}`,
      '',
      'a b',
      '127.0.0.1',
      'tls.example.org:443',
      'x'.repeat(5_000),
      '\n',
    ])
      expect([host, await allowed(host)]).toEqual([host, 404]);
    expect((await suite.app.call('GET', '/internal/tls-allowed')).status).toBe(404);
    const fromElsewhere = { 'x-forwarded-for': '203.0.113.7' };
    for (const method of ['GET', 'POST']) {
      const path = '/internal/tls-allowed?domain=tls.example.org';
      const outside = await suite.app.call(method, path, { headers: fromElsewhere });
      const unknown = await suite.app.call(method, '/internal/unknown', { headers: fromElsewhere });
      expect([outside.status, outside.text]).toEqual([404, unknown.text]);
    }
    expect((await suite.app.call('GET', '/internal/other?domain=tls.example.org')).status).toBe(404);
    expect((await suite.app.call('POST', '/internal/tls-allowed?domain=tls.example.org')).status).toBe(405);
    await remove(id);
    expect(await allowed('tls.example.org')).toBe(404);
  });
});
