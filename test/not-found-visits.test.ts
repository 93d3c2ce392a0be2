import { describe, expect, test } from 'bun:test';
import { dayLength, hourLength } from '../src/rules/durations.ts';
import { addNotFoundVisits } from '../src/storage/not-found-visits.ts';
import { defaultDomainId } from '../src/storage/schema.ts';
import { addDomain } from './support/add-domain.ts';
import { browserUserAgent, startApp, storeKinds, type TestAccount } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { pollUntil } from './support/eventually.ts';
import { visitRaw } from './support/raw-http.ts';

describe.each(storeKinds)('visits to unknown addresses, on %s', (store) => {
  const { app, owner: operator } = appWithOwner({
    store,
    env: { TRUSTED_PROXIES: '127.0.0.1' },
    overrides: { notFoundInterval: 20, domainInterval: 20 },
  });
  let organizations = 0;
  /** A new organization with a domain of its own. */
  async function createOrganization() {
    const account = await app.createAccount();
    const host = `go${++organizations}.example.org`;
    return { ...account, host, domainId: await addDomain(app, account, host) };
  }

  const visit = (host: string, path: string, from = '203.0.113.1', headers: Record<string, string> = {}) =>
    visitRaw(app.url, {
      host,
      path,
      headers: { 'user-agent': browserUserAgent, 'x-forwarded-for': from, ...headers },
    });

  const list = async ({ key }: Pick<TestAccount, 'key'>, query = '') =>
    (await app.call('GET', `/api/v1/not_found${query}`, { key })).json;

  const eventuallyListed = (owner: Pick<TestAccount, 'key'>, count: number, query = '') =>
    pollUntil(
      () => list(owner, query),
      ({ addresses }) => addresses.length >= count,
      `${count} addresses`,
    );

  const today = () => new Date(app.clock.now).toISOString().slice(0, 10);

  test('mistyped addresses are listed with their counts, those of bots and scanners are not, and the response is unchanged', async () => {
    const { host, ...owner } = await createOrganization();
    await app.call('POST', '/api/v1/link', {
      key: owner.key,
      body: { destination_url: 'https://example.com', domain: host, suffix: 'summer-sale' },
    });
    expect((await visit(host, '/sumer-sale')).status).toBe(404);
    await visit(host, '/sumer-sale?utm_source=mail', '203.0.114.1');
    await visit(host, '/wp-login.php');
    await visit(host, '/sumer-sale', '203.0.115.1', { 'user-agent': 'python-requests/2.32' });
    await visit(host, '/summer-sale');
    await visit(host, '/caf%C3%A9', '203.0.116.1');
    // This visit is answered by the app server, because its headers are unusual.
    await visitRaw(app.url, {
      host,
      path: '/other',
      method: 'GET',
      headers: { 'user-agent': browserUserAgent, 'x-forwarded-for': '203.0.117.1', expect: '' },
    });
    const { addresses, ...rest } = await eventuallyListed(owner, 3);
    expect(rest).toEqual({ other_visits: 0 });
    const base = { domain: addresses[0].domain, first_day: today(), last_day: today() };
    expect(new URL(base.domain).hostname).toBe(host);
    const [summer] = (await app.call('GET', '/api/v1/link', { key: owner.key })).json.links;
    expect(addresses).toEqual([
      {
        ...base,
        suffix: 'sumer-sale',
        url: `${base.domain}/sumer-sale`,
        visits: 2,
        similar: { id: summer.id, suffix: 'summer-sale', url: summer.url },
      },
      { ...base, suffix: 'café', url: `${base.domain}/caf%C3%A9`, visits: 1, similar: null },
      { ...base, suffix: 'other', url: `${base.domain}/other`, visits: 1, similar: null },
    ]);
  });

  test('an address that gets a link is removed from the list', async () => {
    const { host, ...owner } = await createOrganization();
    await visit(host, '/flyer');
    await eventuallyListed(owner, 1);
    const body = { destination_url: 'https://example.com', domain: host, suffix: 'flyer' };
    const { id } = (await app.call('POST', '/api/v1/link', { key: owner.key, body })).json;
    expect((await list(owner)).addresses).toEqual([]);
    expect((await visit(host, '/flyer')).status).toBe(302);

    // As an alias of a link, for as long as the link has it.
    await visit(host, '/flier', '203.0.118.1');
    await eventuallyListed(owner, 1);
    const change = (body: object) => app.call('PATCH', `/api/v1/link/${id}`, { key: owner.key, body });
    expect((await change({ add_aliases: ['flier'] })).status).toBe(200);
    expect((await list(owner)).addresses).toEqual([]);
    await app.call('DELETE', `/api/v1/link/${id}`, { key: owner.key });
    expect((await list(owner)).addresses.map((address: { suffix: string }) => address.suffix)).toEqual([
      'flier',
      'flyer',
    ]);
  });

  test('addresses of a domain are only visible to its organization, those of the service to the organization that runs it', async () => {
    const ownOrganization = await createOrganization();
    const otherOrganization = await createOrganization();
    await visit(ownOrganization.host, '/secret');
    await visit('127.0.0.1', '/of-the-service');
    await eventuallyListed(ownOrganization, 1);
    expect((await list(otherOrganization)).addresses).toEqual([]);
    const foreign = await app.call('GET', `/api/v1/not_found?domain=${ownOrganization.host}`, {
      key: otherOrganization.key,
    });
    const missing = await app.call('GET', '/api/v1/not_found?domain=none.example', {
      key: otherOrganization.key,
    });
    expect([foreign.status, missing.status]).toEqual([400, 400]);
    expect(foreign.json.field_key).toBe('domain');
    expect(foreign.text.replace(ownOrganization.host, 'none.example')).toBe(missing.text);
    const service = `?domain=${new URL(app.url).hostname}`;
    expect((await app.call('GET', `/api/v1/not_found${service}`, { key: ownOrganization.key })).status).toBe(
      403,
    );
    const { addresses } = await eventuallyListed(operator, 1, service);
    expect(addresses.map(({ suffix }: { suffix: string }) => suffix)).toEqual(['of-the-service']);
    expect((await list(operator)).addresses).toEqual(addresses);
    expect((await app.call('GET', '/api/v1/not_found')).status).toBe(401);
  });

  test('pages are ordered by visits, and a cursor belongs to its list', async () => {
    const owner = await createOrganization();
    const { database } = app.app.context;
    const now = Math.floor(app.clock.now / dayLength);
    const counts = ['a', 'b', 'c', 'd', 'e'].map((suffix, index) => ({
      suffix,
      visits: [3, 1, 3, 2, 1][index] ?? 0,
    }));
    await database.write((queries) => addNotFoundVisits(queries, owner.domainId, now, counts));
    await database.write((queries) =>
      addNotFoundVisits(queries, owner.domainId, now - 2, [{ suffix: 'd', visits: 2 }]),
    );
    const seen: unknown[] = [];
    let next: string | undefined = '';
    while (next !== undefined) {
      const page = await list(owner, `?limit=2${next && `&cursor=${next}`}`);
      expect(page.addresses.length).toBeLessThanOrEqual(2);
      for (const { suffix, visits } of page.addresses) seen.push([suffix, visits]);
      next = page.next;
    }
    expect(seen).toEqual([
      ['d', 4],
      ['a', 3],
      ['c', 3],
      ['b', 1],
      ['e', 1],
    ]);
    const ofThree = await list(owner, '?days=3');
    expect(ofThree.addresses[0].first_day).toBe(new Date((now - 2) * dayLength).toISOString().slice(0, 10));
    expect(
      (await list(owner, '?days=2')).addresses.map((address: { visits: number }) => address.visits),
    ).toEqual([3, 3, 2, 1, 1]);
    const other = await app.call(
      'GET',
      `/api/v1/not_found?days=2&cursor=${(await list(owner, '?limit=2')).next}`,
      {
        key: owner.key,
      },
    );
    expect([other.status, other.json.field_key]).toEqual([400, 'cursor']);
    for (const query of ['days=0', 'days=x', 'limit=101', 'domain=%00', 'unknown=1'])
      expect([
        query,
        (await app.call('GET', `/api/v1/not_found?${query}`, { key: owner.key })).status,
      ]).toEqual([query, 400]);
  });

  test('200 addresses a day are stored: those visited once are replaced, and all are counted', async () => {
    const owner = await createOrganization();
    const { database } = app.app.context;
    const now = Math.floor(app.clock.now / dayLength);
    const add = (counts: { suffix: string; visits: number }[]) =>
      database.write((queries) => addNotFoundVisits(queries, owner.domainId, now, counts));
    await add([{ suffix: 'flyer', visits: 5 }]);
    await add(Array.from({ length: 500 }, (_, index) => ({ suffix: `made-up-${index}`, visits: 1 })));
    await add([{ suffix: 'poster', visits: 1 }]);
    await Promise.all([add([{ suffix: 'poster', visits: 1 }]), add([{ suffix: 'flyer', visits: 1 }])]);
    const rows = await database.read
      .selectFrom('not_found_visits')
      .selectAll()
      .where('domain_id', '=', owner.domainId)
      .execute();
    expect(rows.length).toBe(201);
    expect(rows.reduce((sum, { visits }) => sum + visits, 0)).toBe(508);
    const { addresses, other_visits } = await list(owner, '?limit=2');
    expect(
      addresses.map((address: { suffix: string; visits: number }) => [address.suffix, address.visits]),
    ).toEqual([
      ['flyer', 6],
      ['poster', 2],
    ]);
    expect(other_visits).toBe(302);
  });

  test('addresses are deleted with their domain, and nothing is counted for a deleted domain', async () => {
    const owner = await createOrganization();
    await visit(owner.host, '/flyer', '203.0.119.1');
    await eventuallyListed(owner, 1);
    const { key, domainId } = owner;
    expect((await app.call('DELETE', `/api/v1/domain/${domainId}`, { key })).status).toBe(204);
    const { database } = app.app.context;
    await database.write((queries) =>
      addNotFoundVisits(queries, domainId, 1, [{ suffix: 'late', visits: 1 }]),
    );
    const remaining = database.read
      .selectFrom('not_found_visits')
      .selectAll()
      .where('domain_id', '=', domainId);
    expect(await remaining.execute()).toEqual([]);
  });

  test('the organization that runs the service gets the most visited addresses of the default domain with those of its own domains', async () => {
    const { database } = app.app.context;
    const now = Math.floor(app.clock.now / dayLength);
    const counts = [{ suffix: 'brochure', visits: 1_000 }];
    await database.write((queries) => addNotFoundVisits(queries, defaultDomainId, now, counts));
    expect((await list(operator, '?limit=1')).addresses[0].suffix).toBe('brochure');
  });
});

test('addresses survive a stop, and are kept as long as individual clicks', async () => {
  const { cleanUp } = await import('../src/manage/clean-up.ts');
  const app = await startApp({
    env: { CLICK_RETENTION_DAYS: '3' },
    overrides: { notFoundInterval: hourLength },
  });
  await app.createAccount();
  const { database } = app.app.context;
  const rows = () => database.read.selectFrom('not_found_visits').select('suffix').execute();
  await app.visit('/flyer');
  expect(await rows()).toEqual([]);
  const now = Math.floor(app.clock.now / dayLength);
  for (const [suffix, age] of [
    ['old', 4],
    ['young', 3],
  ] as const)
    await database.write((queries) =>
      addNotFoundVisits(queries, defaultDomainId, now - age, [{ suffix, visits: 1 }]),
    );
  await cleanUp(app.app.context);
  expect(await rows()).toEqual([{ suffix: 'young' }]);
  const before = app.app.context.database;
  let stored: unknown;
  const { close } = before;
  before.close = async () => {
    stored = await rows();
    await close.call(before);
  };
  await app.stop();
  expect(stored).toEqual([{ suffix: 'young' }, { suffix: 'flyer' }]);
});
