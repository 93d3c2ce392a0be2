import { beforeAll, describe, expect, test } from 'bun:test';
import { onOneStore, storeKinds, type TestAccount } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';

describe.each(storeKinds)('mistakes with links on %s', (store) => {
  const app = appForSuite({ store });
  let owner: TestAccount;
  let stranger: TestAccount;
  beforeAll(async () => {
    [owner, stranger] = [await app.createAccount(), await app.createAccount()];
  });

  const create = (body: object, { key } = owner) =>
    app.call('POST', '/api/v1/link', { key, body: { destination_url: 'https://example.com', ...body } });
  const patch = (id: number, body: object, headers: Record<string, string> = {}) =>
    app.call('PATCH', `/api/v1/link/${id}`, { key: owner.key, body, headers });

  test("a repeated creation gets the link that exists, and another organization's link is not revealed", async () => {
    const { json: made } = await create({ suffix: 'again' });
    app.clock.now += 1_000;
    const again = await create({ suffix: 'again' });
    expect([again.status, again.json.error_code, again.json.field_key]).toEqual([
      409,
      'SUFFIX_TAKEN',
      'suffix',
    ]);
    expect(again.json.error_string).toContain(`is the suffix of link ${made.id} of your own organization`);
    const theirs = await create({ suffix: 'again' }, stranger);
    expect(theirs.json.error_string).toBe('"again" is taken on this domain. Choose another suffix.');
  });

  test('a suffix that is an alias of an own link is not called the suffix of that link', async () => {
    const { json: made } = await create({ suffix: 'before-alias' });
    await patch(made.id, { suffix: 'after-alias' });
    app.clock.now += 1_000;
    const again = await create({ suffix: 'before-alias' });
    expect([again.status, again.json.error_code]).toEqual([409, 'SUFFIX_TAKEN']);
    expect(again.json.error_string).toBe(
      `"before-alias" leads to link ${made.id} of your own organization. Choose another suffix, or take it from that link first.`,
    );
  });

  test('a taken alias names the own link that has it, and reveals no other', async () => {
    const { json: made } = await create({ suffix: 'alias-wanted', aliases: ['alias-had'] });
    app.clock.now += 1_000;
    for (const alias of ['alias-wanted', 'alias-had']) {
      const refused = await create({ aliases: [alias] });
      expect([refused.status, refused.json.field_key]).toEqual([409, 'aliases']);
      expect(refused.json.error_string).toBe(
        `"${alias}" leads to link ${made.id} of your own organization. Choose another suffix, or take it from that link first.`,
      );
      const theirs = await create({ aliases: [alias] }, stranger);
      expect(theirs.json.error_string).toBe(`"${alias}" is taken on this domain. Choose another suffix.`);
    }
  });

  onOneStore(store, () => {
    test('what was pasted invisibly at the ends of a destination, a suffix or an alias is dropped; elsewhere it is named', async () => {
      const destination_url = '\u200bhttps://example.com/x\u00ad';
      const { json } = await create({ destination_url, suffix: `\ufeffpasted-${store}\u200b` });
      expect([json.destination_url, json.suffix]).toEqual(['https://example.com/x', `pasted-${store}`]);
      const changed = await patch(json.id, {
        suffix: '\u200bpasted-again',
        add_aliases: ['pasted-alias\u2060'],
      });
      expect(changed.json.suffix).toBe('pasted-again');
      expect(changed.json.aliases.join()).toMatch(/\/pasted-alias(,|$)/);
      for (const [field, text] of [
        ['suffix', 'sa\u00adle'],
        ['destination_url', 'https://example.com/sa\u00adle'],
      ] as const) {
        const refused = await create({ [field]: text });
        expect([refused.status, refused.json.field_key]).toEqual([400, field]);
        expect(refused.json.error_string).toContain('a soft hyphen, after');
      }
    });
  });

  test('a repeated creation in bulk gets the links that exist, but not links of a call that is rolled back', async () => {
    const links = ['one', 'two'].map((suffix) => ({ destination_url: 'https://example.com', suffix }));
    const bulk = (query: string, items: object[]) =>
      app.call('POST', `/api/v1/link/bulk${query}`, { key: owner.key, body: { links: items } });
    const ids = (await bulk('', links)).json.results.map(({ link }: { link: { id: number } }) => link.id);
    app.clock.now += 1_000;
    const again = (await bulk('', links)).json.results;
    for (const [index, { error }] of again.entries())
      expect(error.error_string).toContain(`of link ${ids[index]} of your own`);
    const twice = ['three', 'three'].map((suffix) => ({ destination_url: 'https://example.com', suffix }));
    const rolledBack = await bulk('?atomic=true', twice);
    expect(rolledBack.json.error_string).toBe(
      'Link 2 of 2: "three" is taken on this domain. Choose another suffix.',
    );
  });

  test('an If-Match without a version is reported as such, not as a changed link', async () => {
    const { json: link } = await create({});
    const same = link.updated_at;
    for (const [header, message] of [
      [`W/"abc"`, 'without W/'],
      [`W/"${same}"`, 'without W/'],
      ['"abc"', `such as "${same}"`],
      ['', `such as "${same}"`],
    ] as const) {
      const { status, json } = await patch(link.id, { name: 'x' }, { 'if-match': header });
      expect([header, status, json.error_code, json.field_key]).toEqual([
        header,
        400,
        'FIELD_INVALID',
        'If-Match',
      ]);
      expect(json.error_string).toContain(message);
    }
    const old = await patch(link.id, { name: 'x' }, { 'if-match': '"2020-01-01T00:00:00.000Z"' });
    expect([old.status, old.json.error_code]).toEqual([409, 'LINK_CHANGED']);
    expect((await patch(link.id, { name: 'x' }, { 'if-match': `"other", "${same}"` })).status).toBe(200);
    expect((await patch(link.id, { name: 'y' }, { 'if-match': '*' })).status).toBe(200);
  });

  test('a deletion with an If-Match leaves a link that was changed since', async () => {
    const { json: link } = await create({});
    const remove = (version: string) =>
      app.call('DELETE', `/api/v1/link/${link.id}`, { key: owner.key, headers: { 'if-match': version } });
    app.clock.now += 1_000;
    const { json: changed } = await patch(link.id, { name: 'changed since' });
    const [late, invalid] = [await remove(`"${link.updated_at}"`), await remove('"abc"')];
    expect([late.status, late.json?.error_code]).toEqual([409, 'LINK_CHANGED']);
    expect([invalid.status, invalid.json?.field_key]).toEqual([400, 'If-Match']);
    expect((await remove(`"${changed.updated_at}"`)).status).toBe(204);
    expect((await remove(`"${changed.updated_at}"`)).status).toBe(404);
  });

  test('a deleted tag can be removed from a link, but not added', async () => {
    const { id: tag } = (await app.call('POST', '/api/v1/tag', { key: owner.key, body: { name: 'Gone' } }))
      .json;
    const { json: link } = await create({ tags: [tag] });
    await app.call('DELETE', `/api/v1/tag/${tag}`, { key: owner.key });
    const removed = await patch(link.id, { remove_tags: [tag], name: 'changed' });
    expect([removed.status, removed.json.tags, removed.json.name]).toEqual([200, [], 'changed']);
    const added = await patch(link.id, { add_tags: [tag] });
    expect(added.json.error_string).toBe(
      `There is no tag ${tag} in your organization. GET /api/v1/tag lists the tags.`,
    );
  });

  test('addresses are URIs in every response, and decode to domain and suffix', async () => {
    const uri = /^https?:\/\/[\w.:-]+(?:\/(?:[\w.~!$&'()*+,;=:@/?#-]|%[0-9A-F]{2})*)?$/;
    const suffix = `Frühling/🦊-${store}`;
    const { json: link } = await create({ suffix, destination_url: 'https://example.com/a|b/[c]?q=ü^`#é' });
    expect(link.suffix).toBe(suffix);
    for (const address of [link.url, link.destination_url]) expect(address).toMatch(uri);
    expect(decodeURI(link.url)).toBe(`${link.domain}/${suffix}`);
    expect((await app.visit(new URL(link.url).pathname)).status).toBe(302);
    const csv = await app.call('GET', `/api/v1/link.csv?ids=${link.id}`, { key: owner.key });
    expect(csv.text).toContain(`,${link.url},`);
    await app.call('DELETE', `/api/v1/link/${link.id}`, { key: owner.key });
    const [deleted] = (await app.call('GET', '/api/v1/link/deleted', { key: owner.key })).json.links;
    expect([deleted.url, deleted.suffix]).toEqual([link.url, suffix]);
  });

  onOneStore(store, () => {
    test('the error for a scheme that a field does not allow names the allowed ones', async () => {
      const sentence = async (field: string) =>
        (await create({ [field]: 'ftp://example.com/x' })).json.error_string;
      expect(await sentence('webhook_url')).toBe(
        'Webhooks are sent to http and https addresses, not to "ftp:".',
      );
      expect(await sentence('og_image')).toBe(
        'Pictures are taken from http and https addresses, not from "ftp:".',
      );
      expect(await sentence('destination_url')).toBe(
        'A link can lead to http and https addresses, not to "ftp:".',
      );
    });

    test('the error for a user name in a URL says what to do instead in a webhook, and who would see it elsewhere', async () => {
      const sentence = async (field: string) =>
        (await create({ [field]: 'https://user:secret@example.com/x' })).json.error_string;
      expect(await sentence('webhook_url')).toEndWith('Give webhook_auth_key instead.');
      for (const field of ['og_image', 'destination_url']) {
        expect(await sentence(field)).toEndWith('would show them to every visitor.');
      }
    });

    test.each([[{ language: ['!!'] }], [{ os: ['zz'] }], [{ from: 'soon' }], [{ referrer: ['a b'] }]])(
      'a rule with an invalid condition, %j, is also told that it leads nowhere',
      async (when) => {
        const { json } = await create({ rules: [{ when }] });
        const [name = ''] = Object.keys(when);
        const fields = json.errors.map(({ field_key }: { field_key: string }) => field_key);
        expect(fields).toEqual([expect.stringContaining(`rules.0.when.${name}`), 'rules.0.destination_url']);
      },
    );

    describe('a link with several invalid fields is told all of them', () => {
      const fieldsIn = (error: { errors?: { field_key: string }[] }) =>
        error.errors?.map(({ field_key }) => field_key);
      const invalid = {
        destination_url: 'word',
        domain: 'https://unverified.example.com',
        suffix: 'two words',
        ios_link_destination: 'also-a-word',
        start_date: '2031-01-01',
        expiration_date: '2030-01-01',
        webhook_url: 'http://10.0.0.1/hook',
        qr_code_foreground_hex: '#123456',
        qr_code_background_hex: '#123456',
        rules: [
          { when: {}, destination_url: 'third-word' },
          {
            when: {},
            variants: [{ destination_url: 'https://example.com' }, { destination_url: 'fourth-word' }],
          },
        ],
      };
      const found = [
        'destination_url',
        'domain',
        'ios_link_destination',
        'qr_code_foreground_hex',
        'rules.0.destination_url',
        'rules.1.variants.1.destination_url',
        'start_date',
        'suffix',
        'webhook_url',
      ];

      test('when it is created, also as one of many', async () => {
        const { status, json } = await create(invalid);
        expect([status, fieldsIn(json)?.sort()]).toEqual([400, found]);
        const { status_code, error_code, field_key, error_string } = json;
        expect(json.errors[0]).toEqual({ status_code, error_code, field_key, error_string });
        const bulk = (query: string) =>
          app.call('POST', `/api/v1/link/bulk${query}`, {
            key: owner.key,
            body: { links: [{ destination_url: 'https://example.com' }, invalid] },
          });
        const [created, refused] = (await bulk('')).json.results;
        expect([created.status, refused.status, fieldsIn(refused.error)?.sort()]).toEqual([201, 400, found]);
        expect(fieldsIn((await bulk('?atomic=true')).json)?.sort()).toEqual(
          found.map((field) => `links.1.${field}`),
        );
      });

      test('when it is changed, also by its external id, and in a scheduled change', async () => {
        const external_id = `invalid-${store}`;
        const { json: link } = await create({ external_id });
        expect(fieldsIn((await patch(link.id, invalid)).json)?.sort()).toEqual(found);
        const put = await app.call('PUT', `/api/v1/link/external/${external_id}`, {
          key: owner.key,
          body: invalid,
        });
        expect(fieldsIn(put.json)?.sort()).toEqual(found);
        const scheduled = await app.call('POST', `/api/v1/link/${link.id}/scheduled`, {
          key: owner.key,
          body: { at: new Date(app.clock.now + 60_000).toISOString(), changes: invalid },
        });
        expect(fieldsIn(scheduled.json)?.sort()).toEqual(found.map((field) => `changes.${field}`));
        const { json: after } = await app.call('GET', `/api/v1/link/${link.id}`, { key: owner.key });
        expect(after).toEqual(link);
      });

      test('a single one stays without a list', async () => {
        const { json: link } = await create({});
        for (const fields of [
          { suffix: 'two words' },
          { expiration_date: 'tomorrow' },
          { qr_code_background_hex: 'red' },
          { aliases: ['a b'] },
          { domain: 'unverified.example.com' },
          { start_date: '2031-01-01', expiration_date: '2030-01-01' },
        ])
          for (const { status, json } of [await create(fields), await patch(link.id, fields)])
            expect([status, json.errors, typeof json.error_string]).toEqual([400, undefined, 'string']);
      });

      test('of dates and colours too', async () => {
        const { json: link } = await create({});
        const fields = {
          destination_url: 'word',
          start_date: 'today',
          expiration_date: 'tomorrow',
          qr_code_foreground_hex: 'white',
          qr_code_background_hex: '#000000',
        };
        for (const { json } of [await create(fields), await patch(link.id, fields)])
          expect(fieldsIn(json)?.sort()).toEqual([
            'destination_url',
            'expiration_date',
            'qr_code_foreground_hex',
            'start_date',
          ]);
      });

      test('but no more than a list of errors has', async () => {
        const variants = Array.from({ length: 10 }, () => ({ destination_url: 'word' }));
        const rules = Array.from({ length: 50 }, () => ({ when: {}, variants }));
        expect((await create({ rules })).json.errors).toHaveLength(25);
      });
    });
  });
});
