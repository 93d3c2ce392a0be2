import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { checkDomain } from '../src/manage/check-domain.ts';
import { checkDueDomains } from '../src/manage/check-due-domains.ts';
import { findDomain } from '../src/storage/domains.ts';
import { type Answer, type Newcomer, startApp, storeKinds, type TestApp } from './support/app.ts';
import { answerWhen } from './support/eventually.ts';
import { type NameServer, type Names, startNameServer, zoneOf } from './support/name-server.ts';
import { visitRaw } from './support/raw-http.ts';

const ours = 'links.example.com';
const world = { [ours]: { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] } } as const;
const hour = 3_600_000;

describe.each(storeKinds)('custom domains on %s', (store) => {
  const names: Names = {};
  let dns: NameServer;
  let app: TestApp;
  let owner: Newcomer;
  let other: Newcomer;

  beforeAll(async () => {
    dns = await startNameServer(zoneOf(names));
    app = await startApp({
      store,
      env: { BASE_URL: `https://${ours}`, DNS_SERVERS: dns.address },
      overrides: { domainInterval: 20 },
    });
  });
  beforeEach(async () => {
    for (const name of Object.keys(names)) delete names[name];
    Object.assign(names, world);
    owner = await app.newcomer();
    other = await app.newcomer();
  });
  afterAll(async () => {
    await app.stop();
    await dns.stop();
    expect(app.faults).toEqual([]);
  });

  const add = (domain: unknown, { key }: Newcomer = owner): Promise<Answer> =>
    app.call('POST', '/api/v1/domain', { key, body: { domain } });
  const read = async (id: number, { key }: Newcomer = owner) =>
    (await app.call('GET', `/api/v1/domain/${id}`, { key })).json;
  const verify = (id: number, { key }: Newcomer = owner): Promise<Answer> =>
    app.call('POST', `/api/v1/domain/${id}/verify`, { key });
  const remove = (id: number, query = '', { key }: Newcomer = owner): Promise<Answer> =>
    app.call('DELETE', `/api/v1/domain/${id}${query}`, { key });
  const link = (domain: string, suffix: string, { key }: Newcomer = owner): Promise<Answer> =>
    app.call('POST', '/api/v1/link?disable_png=true', {
      key,
      body: { destination_url: 'https://destination.example/', domain, suffix },
    });
  const visit = (host: string, path: string) => visitRaw(app.url, { host, path });

  /** Puts the proof where the answer says it must be. */
  function prove({ json }: Answer): void {
    const record = json.records.find(({ purpose }: { purpose: string }) => purpose === 'proof');
    names[record.name] = { TXT: ['v=something else', record.value] };
  }
  async function verified(domain: string, who: Newcomer = owner): Promise<number> {
    const added = await add(domain, who);
    await lookedUp(added, who);
    prove(added);
    const { json } = await verify(added.json.id, who);
    expect([domain, json.state]).toEqual([domain, 'verified']);
    return added.json.id;
  }
  /** The look that an addition brings about is over: none is under way that would be noted after a jump of the clock. */
  const lookedUp = ({ json }: Answer, who: Newcomer = owner) =>
    soon(
      () => read(json.id, who),
      ({ checked_at }) => checked_at !== null,
    );
  const soon = <T>(ask: () => Promise<T>, isDone: (answer: T) => boolean): Promise<T> =>
    answerWhen(ask, isDone, 'the background to see to it');

  test('a sub-domain is told its TXT and its CNAME, is verified by them, and then carries links', async () => {
    const added = await add('https://Go.Example.org/');
    expect(added.status).toBe(201);
    const { json } = added;
    expect(json).toMatchObject({
      domain: 'go.example.org',
      domain_unicode: 'go.example.org',
      state: 'pending',
      verified_at: null,
      links: 0,
      root_url: null,
      not_found_url: null,
    });
    expect(json.records).toEqual([
      {
        purpose: 'proof',
        type: 'TXT',
        name: '_linnet.go.example.org',
        value: expect.stringMatching(/^linnet-proof=[\w-]{32}$/),
        is_required: true,
        state: 'unknown',
        seen: [],
      },
      {
        purpose: 'address',
        type: 'CNAME',
        name: 'go.example.org',
        value: ours,
        is_required: false,
        state: 'unknown',
        seen: [],
      },
    ]);
    expect((await link('go.example.org', 'early')).json.error_code).toBe('DOMAIN_UNVERIFIED');
    expect((await visit('go.example.org', '/first')).status).toBe(404);

    prove(added);
    names['go.example.org'] = { CNAME: [ours] };
    const after = (await verify(json.id)).json;
    expect(after).toMatchObject({ state: 'verified', problem: null });
    expect(after.records.map((record: { state: string }) => record.state)).toEqual(['ok', 'ok']);
    expect(after.records[1].seen).toEqual([ours]);
    const made = await link('go.example.org', 'first');
    expect([made.status, made.json.url]).toEqual([201, 'https://go.example.org/first']);
    expect((await visit('go.example.org', '/first')).headers.location).toBe('https://destination.example/');
    expect((await read(json.id)).links).toBe(1);
  });

  test('a registered domain itself is told the addresses to lead to, as no CNAME may stand there', async () => {
    const added = await add('example.org');
    const records = added.json.records.slice(1);
    expect(records.map(({ type, name, value }: Record<string, string>) => [type, name, value])).toEqual([
      ['A', 'example.org', '192.0.2.1'],
      ['AAAA', 'example.org', '2001:db8::1'],
    ]);
    prove(added);
    names['example.org'] = { A: ['192.0.2.1'], AAAA: ['2001:DB8:0::1'] };
    expect((await verify(added.json.id)).json).toMatchObject({ state: 'verified', problem: null });
    names['example.org'] = { A: ['192.0.2.1'], AAAA: ['2001:db8::bad'] };
    const { json } = await verify(added.json.id);
    expect(json.records.map((record: { state: string }) => record.state)).toEqual(['ok', 'ok', 'wrong']);
    expect(json.problem).toContain('2001:db8::bad');
  });

  test('what is wrong is said record by record, and does not count against the proof', async () => {
    const added = await add('shop.example.org');
    const { id, records } = added.json;
    names['_linnet.shop.example.org'] = {
      TXT: ['linnet-proof=of somebody else', '<script>alert(1)</script>'],
    };
    names['shop.example.org'] = { A: ['203.0.113.9'] };
    const wrong = (await verify(id)).json;
    expect(wrong.state).toBe('pending');
    expect(wrong.records.map((record: { state: string }) => record.state)).toEqual(['wrong', 'wrong']);
    expect(wrong.records[0].seen).toEqual(['linnet-proof=of somebody else', '<script>alert(1)</script>']);
    expect(wrong.records[1].seen).toEqual(['203.0.113.9']);
    expect(wrong.problem).toContain('linnet-proof=of somebody else');

    names['_linnet.shop.example.org'] = { TXT: [`"${records[0].value}"`] };
    const right = (await verify(id)).json;
    expect(right.state).toBe('verified');
    expect(right.problem).toContain('203.0.113.9');

    names['shop.example.org'] = {};
    expect((await verify(id)).json.problem).toContain('leads nowhere yet');
    // Some name servers follow the host themselves and show its addresses alone.
    names['shop.example.org'] = { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] };
    expect((await verify(id)).json).toMatchObject({ problem: null, records: [{}, { state: 'ok' }] });
  });

  test('is found by itself soon after its record is there, and never verified without', async () => {
    const added = await add('auto.example.org');
    const { id } = added.json;
    const first = await soon(
      () => read(id),
      (domain) => domain.checked_at !== null,
    );
    expect([first.state, first.records[0].state]).toEqual(['pending', 'missing']);
    prove(added);
    app.clock.now += 10_000;
    await soon(
      () => read(id),
      (domain) => domain.state === 'verified',
    );

    const late = await add('late.example.org');
    const seen = async () =>
      dns.questions.filter((question) => question === 'TXT _linnet.late.example.org').length;
    let looks = 0;
    for (const [days, wait] of [
      [0, 10_000],
      [1, 600_000],
      [5, hour],
      [30, 24 * hour],
    ] as const) {
      app.clock.now += days * 24 * hour;
      await soon(
        () => read(late.json.id),
        ({ checked_at }) => checked_at === new Date(app.clock.now).toISOString(),
      );
      looks = await seen();
      app.clock.now += wait - 1;
      await checkDueDomains(app.app.context);
      expect(await seen()).toBe(looks);
      app.clock.now += 1;
      await soon(seen, (now) => now > looks);
    }
  });

  test("the proof is the organization's own, and stays the same when it starts over", async () => {
    const mine = await add('both.example.org');
    const theirs = await add('both.example.org', other);
    expect(theirs.status).toBe(201);
    expect(mine.json.records[0].value).not.toBe(theirs.json.records[0].value);
    await remove(mine.json.id);
    const again = await add('both.example.org');
    expect(again.json.records[0].value).toBe(mine.json.records[0].value);
    prove(theirs);
    expect((await verify(again.json.id)).json.state).toBe('pending');
    expect((await verify(theirs.json.id, other)).json.state).toBe('verified');
  });

  test('a look that was overtaken takes nothing back, and the next one counts again', async () => {
    const { context } = app.app;
    const row = async (id: number) => {
      const found = await findDomain(context.database.lookup, owner.organizationId, id);
      if (!found) throw new Error('no such domain');
      return found;
    };
    const added = await add('overtaken.example.org');
    await lookedUp(added);
    const before = await row(added.json.id);
    app.clock.now += 1;
    prove(added);
    expect((await verify(added.json.id)).json.state).toBe('verified');
    delete names[added.json.records[0].name];
    expect(await checkDomain(context, before)).toBe('noted');
    expect((await read(added.json.id)).state).toBe('verified');
    expect(await checkDomain(context, await row(added.json.id))).toBe('noted');
    expect((await read(added.json.id)).state).toBe('failing');
  });

  test('of two organizations that both prove it at once one has it, and the other is told', async () => {
    for (let round = 0; round < 10; round++) {
      const host = `race${round}.example.org`;
      const [mine, theirs] = await Promise.all([add(host), add(host, other)]);
      names[`_linnet.${host}`] = { TXT: [mine.json.records[0].value, theirs.json.records[0].value] };
      const answers = await Promise.all([
        verify(mine.json.id),
        verify(theirs.json.id, other),
        verify(mine.json.id),
        verify(theirs.json.id, other),
      ]);
      const [domain, others] = await Promise.all([read(mine.json.id), read(theirs.json.id, other)]);
      expect([domain.state, others.state].sort()).toEqual(['pending', 'verified']);
      const [winner, loser] = domain.state === 'verified' ? [domain, others] : [others, domain];
      expect(loser.problem).toContain('Another organization has');
      for (const { status, json } of answers) {
        if (status === 200) expect([json.id, json.state]).toEqual([winner.id, 'verified']);
        else expect([status, json.error_code]).toEqual([409, 'DOMAIN_TAKEN']);
      }
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
    }
  });

  test('a name that is verified for another organization can not be claimed', async () => {
    const id = await verified('mine.example.org');
    const claim = await add('mine.example.org', other);
    expect([claim.status, claim.json.error_code, claim.json.field_key]).toEqual([
      409,
      'DOMAIN_TAKEN',
      'domain',
    ]);
    expect((await link('mine.example.org', 'x', other)).json.error_code).toBe('DOMAIN_UNVERIFIED');
    await remove(id);
    expect((await add('mine.example.org', other)).status).toBe(201);
  });

  test('the same name twice in one organization is one claim, also when twenty ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => add('twice.example.org')));
    const statuses = answers.map(({ status, json }) => `${status} ${json.error_code ?? ''}`).sort();
    expect(statuses).toEqual(['201 ', ...Array(19).fill('409 DOMAIN_EXISTS')]);
  });

  test('a DNS that can not be asked takes nothing away and says nothing of the record', async () => {
    const id = await verified('steady.example.org');
    const proof = names['_linnet.steady.example.org'] ?? {};
    for (const failure of ['server failure', 'refused', 'garbage', 'silence'] as const) {
      names['_linnet.steady.example.org'] = failure;
      const { status, json } = await verify(id);
      expect([failure, status, json.state, json.records[0].state]).toEqual([
        failure,
        200,
        'verified',
        'unknown',
      ]);
      expect(json.problem).toContain('could not be asked');
    }
    names['_linnet.steady.example.org'] = 'server failure';
    for (let day = 0; day < 10; day++) {
      app.clock.now += 24 * hour;
      await soon(
        () => read(id),
        ({ checked_at }) => checked_at === new Date(app.clock.now).toISOString(),
      );
    }
    expect((await read(id)).state).toBe('verified');
    names['_linnet.steady.example.org'] = proof;
    expect((await verify(id)).json).toMatchObject({ state: 'verified', records: [{ state: 'ok' }, {}] });
  });

  test('whose proof goes is failing, is given up after 72 hours, and comes back with its links', async () => {
    const id = await verified('fading.example.org');
    const proof = names['_linnet.fading.example.org'] ?? {};
    await link('fading.example.org', 'kept');
    const answers = async () => (await visit('fading.example.org', '/kept')).status;
    expect(await answers()).toBe(302);

    delete names['_linnet.fading.example.org'];
    app.clock.now += 24 * hour;
    const failing = await soon(
      () => read(id),
      ({ state }) => state === 'failing',
    );
    const end = new Date(app.clock.now + 72 * hour).toISOString().slice(0, 16).replace('T', ' ');
    expect(failing.problem).toContain(`Put it back before ${end} UTC`);
    expect([await answers(), (await link('fading.example.org', 'more')).status]).toEqual([302, 201]);
    expect((await add('fading.example.org', other)).json.error_code).toBe('DOMAIN_TAKEN');

    // Back in time: everything is as it was, and the clock begins anew.
    names['_linnet.fading.example.org'] = proof;
    app.clock.now += 70 * hour;
    await soon(
      () => read(id),
      ({ state }) => state === 'verified',
    );
    delete names['_linnet.fading.example.org'];
    app.clock.now += 24 * hour;
    await soon(
      () => read(id),
      ({ state }) => state === 'failing',
    );
    app.clock.now += 71 * hour;
    await soon(
      () => read(id),
      ({ checked_at }) => checked_at === new Date(app.clock.now).toISOString(),
    );
    expect([(await read(id)).state, await answers()]).toEqual(['failing', 302]);
    app.clock.now += hour;
    const released = await soon(
      () => read(id),
      ({ state }) => state === 'pending',
    );
    expect(released).toMatchObject({ verified_at: null, links: 2 });
    expect(released.problem).toContain('given up');
    expect(await answers()).toBe(404);
    const listed = await app.call('GET', '/api/v1/link', { key: owner.key });
    expect(listed.json.links.map(({ url }: { url: string }) => url).sort()).toEqual([
      'https://fading.example.org/kept',
      'https://fading.example.org/more',
    ]);
    expect((await link('fading.example.org', 'never')).json.error_code).toBe('DOMAIN_UNVERIFIED');

    // Now it can be somebody else's, and theirs are the links that answer.
    const theirs = await verified('fading.example.org', other);
    expect(await answers()).toBe(404);
    await remove(theirs, '', other);

    names['_linnet.fading.example.org'] = proof;
    expect((await verify(id)).json.state).toBe('verified');
    expect(await answers()).toBe(302);
  });

  test('time in which the DNS was silent is not counted as time without the proof', async () => {
    const id = await verified('dark.example.org');
    const at = '_linnet.dark.example.org';
    delete names[at];
    app.clock.now += 24 * hour;
    await soon(
      () => read(id),
      ({ state }) => state === 'failing',
    );
    names[at] = 'server failure';
    for (let step = 0; step < 5; step++) {
      app.clock.now += 20 * hour;
      await soon(
        () => read(id),
        ({ checked_at }) => checked_at === new Date(app.clock.now).toISOString(),
      );
    }
    delete names[at];
    app.clock.now += 71 * hour;
    await soon(
      () => read(id),
      ({ checked_at }) => checked_at === new Date(app.clock.now).toISOString(),
    );
    expect((await read(id)).state).toBe('failing');
    app.clock.now += hour;
    await soon(
      () => read(id),
      ({ state }) => state === 'pending',
    );
  });

  test('leads where its owner says for its root and for unknown suffixes, and counts nothing there', async () => {
    const id = await verified('ways.example.org');
    await link('ways.example.org', 'known');
    const patch = (body: object) => app.call('PATCH', `/api/v1/domain/${id}`, { key: owner.key, body });
    const at = async (path: string, method = 'GET') => {
      const { status, headers } = await visitRaw(app.url, { host: 'ways.example.org', path, method });
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

    expect((await patch(json)).status).toBe(200);
    expect((await patch({ not_found_url: null })).json).toMatchObject({
      root_url: 'https://example.com/home',
      not_found_url: null,
    });
    expect(await at('/unknown')).toEqual([404, undefined]);
    await patch({ root_url: '' });
    expect(await at('/')).toEqual([404, undefined]);
    const stats = await app.call('GET', '/api/v1/clicks?class=all', { key: owner.key });
    expect(stats.json.clicks.every(({ link_id }: { link_id: number | null }) => link_id !== null)).toBe(true);
  });

  test('never leads to a short domain, its own or another, in whatever disguise', async () => {
    const id = await verified('loop.example.org');
    await verified('elsewhere.example.org', other);
    await add('soon.example.org');
    for (const url of [
      'https://loop.example.org/',
      'http://LOOP.example.org./x',
      'soon.example.org',
      'https://elsewhere.example.org/a',
      `https://${ours}/x`,
    ])
      for (const field of ['root_url', 'not_found_url']) {
        const { status, json } = await app.call('PATCH', `/api/v1/domain/${id}`, {
          key: owner.key,
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
      const { status, json } = await app.call('PATCH', `/api/v1/domain/${id}`, {
        key: owner.key,
        body: { root_url: url },
      });
      expect([url, status, json.field_key]).toEqual([url, 400, 'root_url']);
    }
  });

  test('with links it stays, unless they are to go with it', async () => {
    const id = await verified('full.example.org');
    await Promise.all(Array.from({ length: 40 }, (_, index) => link('full.example.org', `s${index}`)));
    await app.call('POST', '/api/v1/link', {
      key: owner.key,
      body: { destination_url: 'https://example.com' },
    });
    const refused = await remove(id);
    expect([refused.status, refused.json.error_code]).toEqual([409, 'DOMAIN_HAS_LINKS']);
    expect(refused.json.error_string).toContain('40 links');
    expect((await remove(id, '?links=keep')).status).toBe(400);
    expect((await visit('full.example.org', '/s7')).status).toBe(302);

    expect((await remove(id, '?links=delete')).status).toBe(204);
    expect((await visit('full.example.org', '/s7')).status).toBe(404);
    expect((await app.call('GET', `/api/v1/domain/${id}`, { key: owner.key })).status).toBe(404);
    const { links, total_links } = (await app.call('GET', '/api/v1/link', { key: owner.key })).json;
    expect([links.length, total_links]).toEqual([1, 1]);
    expect((await app.call('GET', '/api/v1/domain', { key: owner.key })).json).toEqual([]);
    expect((await remove(id, '?links=delete')).status).toBe(404);

    const again = await verified('full.example.org');
    expect(again).not.toBe(id);
    expect((await visit('full.example.org', '/s7')).status).toBe(404);
    expect((await link('full.example.org', 's7')).status).toBe(201);
  });

  test('no link is made on a domain that is being deleted, however close they come', async () => {
    for (let round = 0; round < 8; round++) {
      const host = `closing${round}.example.org`;
      const id = await verified(host);
      const [deletion, ...made] = await Promise.all([
        remove(id, '?links=delete'),
        ...Array.from({ length: 8 }, (_, index) => link(host, `s${index}`)),
      ]);
      expect(deletion?.status).toBe(204);
      for (const { status, json } of made)
        expect(status === 201 || json.error_code === 'DOMAIN_UNVERIFIED').toBe(true);
      const { json } = await app.call('GET', '/api/v1/link', { key: owner.key });
      expect(json).toEqual({ links: [], total_links: 0 });
    }
  });

  test('a deletion that was broken off is finished by whichever node looks next', async () => {
    const id = await verified('torn.example.org');
    await link('torn.example.org', 'left');
    await app.app.context.database.write((queries) =>
      queries
        .updateTable('domains')
        .set({ deleted_at: app.clock.now, verified_at: null, next_check_at: app.clock.now })
        .where('id', '=', id)
        .execute(),
    );
    const list = async () => (await app.call('GET', '/api/v1/link', { key: owner.key })).json.total_links;
    await soon(list, (total) => total === 0);
    await soon(
      () => app.app.context.database.read.selectFrom('domains').select('id').where('id', '=', id).execute(),
      (rows) => rows.length === 0,
    );
  });

  test('an organization has a hundred domains waiting at most, and asks for a look twenty times a minute', async () => {
    const first = await add('n0.example.org');
    for (let index = 1; index < 100; index++) expect((await add(`n${index}.example.org`)).status).toBe(201);
    const more = await add('n100.example.org');
    expect([more.status, more.json.error_code]).toEqual([409, 'TOO_MANY_DOMAINS']);
    await remove(first.json.id);
    const added = await add('n100.example.org');
    const answers = await Promise.all(Array.from({ length: 30 }, () => verify(added.json.id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10);
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  test('names in other scripts are kept in ASCII and shown both ways, but for those that deceive', async () => {
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
    await verified('grüße.example.org');
    const made = await link('grüße.example.org', 'an-alle');
    expect([made.status, made.json.url]).toEqual([201, 'https://xn--gre-6ka8l.example.org/an-alle']);
    expect((await visit('xn--gre-6ka8l.example.org', '/an-alle')).status).toBe(302);
  });

  test('what is no domain of anybody is refused with a sentence', async () => {
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
      [ours, 'DOMAIN_RESERVED'],
      [`x.y.${ours}`, 'DOMAIN_RESERVED'],
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
    expect((await app.call('GET', '/api/v1/domain', { key: owner.key })).json).toEqual([]);
  });

  test('a proxy may get certificates for verified custom domains, and for nothing else', async () => {
    const id = await verified('tls.example.org');
    await add('waiting.example.org');
    const allowed = async (domain: string) =>
      (await app.call('GET', `/internal/tls-allowed?domain=${encodeURIComponent(domain)}`)).status;
    for (const host of ['tls.example.org', 'TLS.example.org.'])
      expect([host, await allowed(host)]).toEqual([host, 200]);
    for (const host of [
      ours,
      `${ours}.`,
      'waiting.example.org',
      'x.tls.example.org',
      'example.org',
      `x.${ours}`,
      '',
      'a b',
      '127.0.0.1',
      'tls.example.org:443',
      'x'.repeat(5_000),
      '\n',
    ])
      expect([host, await allowed(host)]).toEqual([host, 404]);
    expect((await app.call('GET', '/internal/tls-allowed')).status).toBe(404);
    const forAVisitor = { 'x-forwarded-for': '203.0.113.7' };
    for (const method of ['GET', 'POST']) {
      const path = '/internal/tls-allowed?domain=tls.example.org';
      const outside = await app.call(method, path, { headers: forAVisitor });
      const unknown = await app.call(method, '/internal/unknown', { headers: forAVisitor });
      expect([outside.status, outside.text]).toEqual([404, unknown.text]);
    }
    expect((await app.call('GET', '/internal/other?domain=tls.example.org')).status).toBe(404);
    expect((await app.call('POST', '/internal/tls-allowed?domain=tls.example.org')).status).toBe(405);
    await remove(id);
    expect(await allowed('tls.example.org')).toBe(404);
  });
});
