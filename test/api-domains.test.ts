import { describe, expect, test } from 'bun:test';
import { checkDomain } from '../src/manage/domains/check-domain.ts';
import { checkDueDomains } from '../src/manage/domains/check-due-domains.ts';
import { dayLength, hourLength } from '../src/rules/durations.ts';
import { findDomain } from '../src/storage/domains.ts';
import { storeKinds } from './support/app.ts';
import { domainSuite, ownHost } from './support/domain-suite.ts';
import { eventually } from './support/eventually.ts';

describe.each(storeKinds)('custom domains on %s', (store) => {
  const {
    suite,
    names,
    add,
    read,
    verify,
    remove,
    link,
    visit,
    publishProof,
    addVerifiedDomain,
    waitForLookup,
    waitForState,
    waitForCheck,
  } = domainSuite(store);

  test('a subdomain gets its TXT and CNAME records to create, is verified by them, and then can have links', async () => {
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
        value: ownHost,
        is_required: false,
        state: 'unknown',
        seen: [],
      },
    ]);
    expect((await link('go.example.org', 'early')).json.error_code).toBe('DOMAIN_UNVERIFIED');
    expect((await visit('go.example.org', '/first')).status).toBe(404);

    publishProof(added);
    names['go.example.org'] = { CNAME: [ownHost] };
    const after = (await verify(json.id)).json;
    expect(after).toMatchObject({ state: 'verified', problem: null });
    expect(after.records.map((record: { state: string }) => record.state)).toEqual(['ok', 'ok']);
    expect(after.records[1].seen).toEqual([ownHost]);
    const made = await link('go.example.org', 'first');
    expect([made.status, made.json.url]).toEqual([201, 'https://go.example.org/first']);
    expect((await visit('go.example.org', '/first')).headers.location).toBe('https://destination.example/');
    expect((await read(json.id)).links).toBe(1);
  });

  test('a registered domain itself gets the addresses to point to, since it may have no CNAME', async () => {
    const added = await add('example.org');
    const records = added.json.records.slice(1);
    expect(records.map(({ type, name, value }: Record<string, string>) => [type, name, value])).toEqual([
      ['A', 'example.org', '192.0.2.1'],
      ['AAAA', 'example.org', '2001:db8::1'],
    ]);
    publishProof(added);
    names['example.org'] = { A: ['192.0.2.1'], AAAA: ['2001:DB8:0::1'] };
    expect((await verify(added.json.id)).json).toMatchObject({ state: 'verified', problem: null });
    names['example.org'] = { A: ['192.0.2.1'], AAAA: ['2001:db8::bad'] };
    const { json } = await verify(added.json.id);
    expect(json.records.map((record: { state: string }) => record.state)).toEqual(['ok', 'ok', 'wrong']);
    expect(json.problem).toContain('2001:db8::bad');
  });

  test("errors are reported for each record, and don't affect the proof", async () => {
    // Set before the domain is added, as its first DNS check may still be running when it is verified.
    names['_linnet.shop.example.org'] = {
      TXT: ['linnet-proof=of somebody else', '<script>alert(1)</script>'],
    };
    names['shop.example.org'] = { A: ['203.0.113.9'] };
    const added = await add('shop.example.org');
    const { id, records } = added.json;
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
    // Some name servers resolve the host themselves and return only its addresses.
    names['shop.example.org'] = { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] };
    expect((await verify(id)).json).toMatchObject({ problem: null, records: [{}, { state: 'ok' }] });
  });

  test('a domain is verified automatically soon after its record exists, and never without it', async () => {
    const added = await add('auto.example.org');
    const { id } = added.json;
    const first = await waitForLookup(added);
    expect([first.state, first.records[0].state]).toEqual(['pending', 'missing']);
    publishProof(added);
    suite.app.clock.now += 10_000;
    await waitForState(id, 'verified');

    const late = await add('late.example.org');
    const countChecks = async () =>
      suite.dns.queries.filter((question) => question === 'TXT _linnet.late.example.org').length;
    let checksBefore = 0;
    for (const [days, wait] of [
      [0, 10_000],
      [1, 600_000],
      [5, hourLength],
      [30, dayLength],
    ] as const) {
      suite.app.clock.now += days * dayLength;
      await waitForCheck(late.json.id);
      checksBefore = await countChecks();
      suite.app.clock.now += wait - 1;
      await checkDueDomains(suite.app.app.context);
      expect(await countChecks()).toBe(checksBefore);
      suite.app.clock.now += 1;
      await eventually(async () => (await countChecks()) > checksBefore, 'a check');
    }
  });

  test("the proof is the organization's own, and stays the same when the domain is added again", async () => {
    const mine = await add('both.example.org');
    const theirs = await add('both.example.org', suite.other);
    expect(theirs.status).toBe(201);
    expect(mine.json.records[0].value).not.toBe(theirs.json.records[0].value);
    await remove(mine.json.id);
    const again = await add('both.example.org');
    expect(again.json.records[0].value).toBe(mine.json.records[0].value);
    publishProof(theirs);
    expect((await verify(again.json.id)).json.state).toBe('pending');
    expect((await verify(theirs.json.id, suite.other)).json.state).toBe('verified');
  });

  test('the proof of an organization that was lost in a restore is none for the organization that gets its id', async () => {
    const lost = await add('lost.example.org');
    publishProof(lost);
    await remove(lost.json.id);
    const { database } = suite.app.app.context;
    const setCreatedAt = (created_at: number) =>
      database.write((queries) =>
        queries
          .updateTable('organizations')
          .set({ created_at })
          .where('id', '=', suite.owner.organizationId)
          .execute(),
      );
    const before = await database.read
      .selectFrom('organizations')
      .select('created_at')
      .where('id', '=', suite.owner.organizationId)
      .executeTakeFirstOrThrow();
    await setCreatedAt(before.created_at + 1);
    const added = await add('lost.example.org');
    expect((await verify(added.json.id)).json.state).toBe('pending');
    await setCreatedAt(before.created_at);
  });

  test('an outdated check changes nothing, and the next one counts again', async () => {
    const { context } = suite.app.app;
    const row = async (id: number) => {
      const found = await findDomain(context.database.lookup, suite.owner.organizationId, id);
      if (!found) throw new Error('no such domain');
      return found;
    };
    const added = await add('overtaken.example.org');
    await waitForLookup(added);
    const before = await row(added.json.id);
    suite.app.clock.now += 1;
    publishProof(added);
    expect((await verify(added.json.id)).json.state).toBe('verified');
    delete names[added.json.records[0].name];
    expect(await checkDomain(context, before)).toBe('noted');
    expect((await read(added.json.id)).state).toBe('verified');
    expect(await checkDomain(context, await row(added.json.id))).toBe('noted');
    expect((await read(added.json.id)).state).toBe('failing');
  });

  test('if two organizations prove it at once, one gets it and the other gets an error', async () => {
    for (let round = 0; round < 3; round++) {
      const host = `race${round}.example.org`;
      const [mine, theirs] = await Promise.all([add(host), add(host, suite.other)]);
      names[`_linnet.${host}`] = { TXT: [mine.json.records[0].value, theirs.json.records[0].value] };
      const responses = await Promise.all([
        verify(mine.json.id),
        verify(theirs.json.id, suite.other),
        verify(mine.json.id),
        verify(theirs.json.id, suite.other),
      ]);
      const [domain, others] = await Promise.all([read(mine.json.id), read(theirs.json.id, suite.other)]);
      expect([domain.state, others.state].sort()).toEqual(['pending', 'verified']);
      const [winner, loser] = domain.state === 'verified' ? [domain, others] : [others, domain];
      expect(loser.problem).toContain('Another organization has');
      for (const { status, json } of responses) {
        if (status === 200) expect([json.id, json.state]).toEqual([winner.id, 'verified']);
        else expect([status, json.error_code]).toEqual([409, 'DOMAIN_TAKEN']);
      }
      expect(responses.filter(({ status }) => status === 409)).toHaveLength(2);
    }
  });

  test("a name that is verified for another organization can't be claimed", async () => {
    const id = await addVerifiedDomain('mine.example.org');
    const claim = await add('mine.example.org', suite.other);
    expect([claim.status, claim.json.error_code, claim.json.field_key]).toEqual([
      409,
      'DOMAIN_TAKEN',
      'domain',
    ]);
    expect((await link('mine.example.org', 'x', suite.other)).json.error_code).toBe('DOMAIN_UNVERIFIED');
    await remove(id);
    expect((await add('mine.example.org', suite.other)).status).toBe(201);
  });

  test('the same name twice in one organization is one claim, even with twenty requests at once', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => add('twice.example.org')));
    const statuses = responses.map(({ status, json }) => `${status} ${json.error_code ?? ''}`).sort();
    expect(statuses).toEqual(['201 ', ...Array(19).fill('409 DOMAIN_EXISTS')]);
  });

  test('an unreachable DNS server changes nothing, and the state of the record is unknown', async () => {
    const id = await addVerifiedDomain('steady.example.org');
    const proof = names['_linnet.steady.example.org'] ?? {};
    // No answer is awaited for seconds, in which the app costs CPU: one store is enough.
    const failures = ['server failure', 'refused', 'garbage', 'silence'] as const;
    for (const failure of failures.slice(0, store === 'sqlite' ? 4 : 1)) {
      names['_linnet.steady.example.org'] = failure;
      const { status, json } = await verify(id);
      expect([failure, status, json.state, json.records[0].state]).toEqual([
        failure,
        200,
        'verified',
        'unknown',
      ]);
      expect(json.problem).toContain('did not answer');
    }
    names['_linnet.steady.example.org'] = 'server failure';
    for (let day = 0; day < 5; day++) {
      suite.app.clock.now += dayLength;
      await waitForCheck(id);
    }
    expect((await read(id)).state).toBe('verified');
    names['_linnet.steady.example.org'] = proof;
    expect((await verify(id)).json).toMatchObject({ state: 'verified', records: [{ state: 'ok' }, {}] });
  });

  test('a domain without its proof is failing, is given up after 72 hours, and can be restored with its links', async () => {
    const id = await addVerifiedDomain('fading.example.org');
    const proof = names['_linnet.fading.example.org'] ?? {};
    await link('fading.example.org', 'kept');
    const visitStatus = async () => (await visit('fading.example.org', '/kept')).status;
    expect(await visitStatus()).toBe(302);

    delete names['_linnet.fading.example.org'];
    suite.app.clock.now += dayLength;
    const failing = await waitForState(id, 'failing');
    const end = new Date(suite.app.clock.now + 72 * hourLength).toISOString().slice(0, 16).replace('T', ' ');
    expect(failing.problem).toContain(`Put it back before ${end} UTC`);
    expect([await visitStatus(), (await link('fading.example.org', 'more')).status]).toEqual([302, 201]);
    expect((await add('fading.example.org', suite.other)).json.error_code).toBe('DOMAIN_TAKEN');

    // The record is back in time: everything is as before, and the deadline starts again.
    names['_linnet.fading.example.org'] = proof;
    suite.app.clock.now += 70 * hourLength;
    await waitForState(id, 'verified');
    delete names['_linnet.fading.example.org'];
    suite.app.clock.now += dayLength;
    await waitForState(id, 'failing');
    suite.app.clock.now += 71 * hourLength;
    await waitForCheck(id);
    expect([(await read(id)).state, await visitStatus()]).toEqual(['failing', 302]);
    suite.app.clock.now += hourLength;
    const released = await waitForState(id, 'pending');
    expect(released).toMatchObject({ verified_at: null, links: 2 });
    expect(released.problem).toContain('given up');
    expect(await visitStatus()).toBe(404);
    const listed = await suite.app.call('GET', '/api/v1/link', { key: suite.owner.key });
    expect(listed.json.links.map(({ url }: { url: string }) => url).sort()).toEqual([
      'https://fading.example.org/kept',
      'https://fading.example.org/more',
    ]);
    expect((await link('fading.example.org', 'never')).json.error_code).toBe('DOMAIN_UNVERIFIED');

    // Now another organization can have the domain, and only that organization's links answer.
    const theirs = await addVerifiedDomain('fading.example.org', suite.other);
    expect(await visitStatus()).toBe(404);
    await remove(theirs, '', suite.other);

    names['_linnet.fading.example.org'] = proof;
    expect((await verify(id)).json.state).toBe('verified');
    expect(await visitStatus()).toBe(302);
  });

  test("time in which the DNS didn't answer doesn't count as time without the proof", async () => {
    const id = await addVerifiedDomain('dark.example.org');
    const at = '_linnet.dark.example.org';
    delete names[at];
    suite.app.clock.now += dayLength;
    await waitForState(id, 'failing');
    names[at] = 'server failure';
    for (let step = 0; step < 5; step++) {
      suite.app.clock.now += 20 * hourLength;
      await waitForCheck(id);
    }
    delete names[at];
    suite.app.clock.now += 71 * hourLength;
    await waitForCheck(id);
    expect((await read(id)).state).toBe('failing');
    suite.app.clock.now += hourLength;
    await waitForState(id, 'pending');
  });
});
