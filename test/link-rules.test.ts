import { describe, expect, spyOn, test } from 'bun:test';
import { hoursCondition } from '../src/rules/link-rules/rule-hours.ts';
import { storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { importedElsewhere } from './support/imported-elsewhere.ts';

const to = (name: string) => ({ destination_url: `https://example.com/${name}` });
const phone = {
  'user-agent':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
};

describe.each(storeKinds)('rules of links on %s', (store) => {
  const { app, owner, call } = appWithOwner({ store, env: { TRUSTED_PROXIES: '1' } });
  const create = async (body: object) => {
    const created = await call('POST', '/link', { ...to('default'), ...body });
    expect([created.status, created.text]).toEqual([201, created.text]);
    return created.json;
  };
  /** The end of the URL to which a visitor is redirected. The fast path and the app server must give the same answer. */
  const destinationOf = async (path: string, headers: Record<string, string> = {}) => {
    const fast = await app.visit(`/${path}`, headers);
    const slow = await app.visit(`/${path}`, { ...headers, 'x-detour': '\xe9' });
    expect(fast.headers.get('location')).toBe(slow.headers.get('location'));
    return fast.headers.get('location')?.replace('https://example.com/', '');
  };

  test('are refused if they ask for a parameter whose name could not be kept', async () => {
    const rules =
      '[{"when":{"query":{"vip":["1"],"__proto__":["x"]}},"destination_url":"https://example.com/x"}]';
    const body = `{"destination_url":"https://example.com","rules":${rules}}`;
    const { status, json } = await app.call('POST', '/api/v1/link', { key: owner.key, body });
    expect([status, json.error_code]).toEqual([400, 'FIELD_INVALID']);
    expect(json.error_string).toContain('"__proto__"');
  });

  test('are refused with the reason if a weight is no whole number, or none that fits', async () => {
    for (const [weight, reason] of [
      ['1.5', 'a whole number, without a fraction.'],
      ['1e400', 'a number, and this one is too large.'],
    ] as const) {
      const rules = `[{"when":{},"variants":[{"destination_url":"https://example.com/x","weight":${weight}}]}]`;
      const body = `{"destination_url":"https://example.com","rules":${rules}}`;
      const { json } = await app.call('POST', '/api/v1/link', { key: owner.key, body });
      expect(json.error_string).toEndWith(`must be ${reason}`);
    }
  });

  test('redirect by the first that matches the visitor: a country, a device, a language, a referrer', async () => {
    const { suffix, rules } = await create({
      android_link_destination: 'https://example.com/android',
      rules: [
        { name: 'Mail', when: { query: { utm_source: ['mail'], vip: [] } }, ...to('mail') },
        { when: { country: ['eu'], device: ['mobile'], not: { language: ['en'] } }, ...to('union') },
        { when: { country: ['US'] }, ...to('america') },
        { when: { language: ['pt'], os: ['ios'], browser: ['safari'] }, ...to('portuguese') },
        { when: { referrer: ['www.Example.org', '*.news.example'] }, ...to('friends') },
        { when: { network: ['2001:db8::/32', '203.0.113.0/24'] }, ...to('office') },
        { when: { source: ['qr'] }, ...to('scan') },
      ],
    });
    expect(rules[1].when).toEqual({ country: ['EU'], device: ['mobile'], not: { language: ['en'] } });
    expect(rules[3].when).toEqual({ language: ['pt'], os: ['iOS'], browser: ['Safari'] });
    expect(rules[4].when).toEqual({ referrer: ['www.example.org', '*.news.example'] });
    const from = (country: string) => ({ 'cf-ipcountry': country });
    expect(await destinationOf(suffix)).toBe('default');
    expect(await destinationOf(`${suffix}?vip&utm_source=mail`)).toBe('mail');
    expect(await destinationOf(`${suffix}?utm_source=mail`)).toBe('default');
    expect(await destinationOf(suffix, { ...phone, ...from('DE'), 'accept-language': 'de-CH,en' })).toBe(
      'union',
    );
    expect(await destinationOf(suffix, { ...phone, ...from('DE'), 'accept-language': 'en-GB' })).toBe(
      'default',
    );
    expect(await destinationOf(suffix, { ...phone, 'accept-language': 'pt-BR,en;q=0.3' })).toBe('portuguese');
    // The country of the address, as no proxy reports one.
    expect(await destinationOf(suffix, { 'x-forwarded-for': '8.8.8.8' })).toBe('america');
    expect(await destinationOf(suffix, { 'x-forwarded-for': '2001:4860:4860::8888' })).toBe('america');
    expect(await destinationOf(suffix, { 'x-forwarded-for': '203.0.113.77' })).toBe('office');
    expect(await destinationOf(suffix, { 'x-forwarded-for': '2001:db8:5::1' })).toBe('office');
    expect(await destinationOf(suffix, { referer: 'https://example.org/x' })).toBe('friends');
    expect(await destinationOf(suffix, { referer: 'https://a.news.example/' })).toBe('friends');
    expect(await destinationOf(`${suffix}?qr`)).toBe('scan');
    const android = { 'user-agent': 'Mozilla/5.0 (Linux; Android 15) Chrome/140.0.0.0 Mobile Safari/537.36' };
    expect(await destinationOf(suffix, android)).toBe('android');
    expect(await destinationOf(suffix, { ...android, ...from('US') })).toBe('america');
  });

  test('accept languages as browsers send them, in any letter case, and deprecated codes too', async () => {
    const { suffix, rules } = await create({
      rules: [
        { when: { language: ['IW'] }, ...to('hebrew') },
        { when: { language: ['PT-br'] }, ...to('brazil') },
      ],
    });
    const [hebrew, brazil] = rules.map(({ when }: { when: object }) => when);
    expect([hebrew, brazil]).toEqual([{ language: ['iw'] }, { language: ['pt-BR'] }]);
    expect(await destinationOf(suffix, { 'accept-language': 'iw-IL,en;q=0.5' })).toBe('hebrew');
    expect(await destinationOf(suffix, { 'accept-language': 'pt-BR' })).toBe('brazil');
  });

  test('redirect by the local time of a timezone, and between two instants', async () => {
    const before = app.clock.now;
    const { suffix } = await create({
      rules: [
        {
          when: { hours: { timezone: 'Europe/Berlin', days: ['fr'], from: '22:00', to: '02:00' } },
          ...to('night'),
        },
        { when: { from: '2031-01-01', to: '2031-01-02T00:00:00+01:00' }, ...to('newyear') },
      ],
    });
    for (const [at, expected] of [
      ['2030-07-05T19:59:59Z', 'default'],
      ['2030-07-05T20:00:00Z', 'night'],
      ['2030-07-05T23:59:59Z', 'night'],
      ['2030-07-06T00:00:00Z', 'default'],
      ['2030-07-06T20:00:00Z', 'default'],
      ['2031-01-01T22:59:59Z', 'newyear'],
      ['2031-01-01T23:00:00Z', 'default'],
    ] as const) {
      app.clock.now = Date.parse(at);
      expect([at, await destinationOf(suffix)]).toEqual([at, expected]);
    }
    app.clock.now = before;
  });

  test('with variants redirect a visitor to the same one all day, and other visitors to each of them', async () => {
    const { suffix, rules } = await create({
      rules: [
        {
          variants: [
            { ...to('a'), weight: 50 },
            { ...to('b'), weight: 50 },
          ],
        },
      ],
    });
    expect(rules[0]).toMatchObject({ when: {}, sticky: true, variants: [{ id: 'a' }, { id: 'b' }] });
    const visitors = Array.from({ length: 60 }, (_, index) => ({ 'x-forwarded-for': `203.0.113.${index}` }));
    const first: unknown[] = [];
    for (const visitor of visitors) first.push(await destinationOf(suffix, visitor));
    expect(new Set(first)).toEqual(new Set(['a', 'b']));
    for (const [index, visitor] of visitors.entries())
      expect(await destinationOf(suffix, visitor)).toBe(first[index] as string);
    const randomLink = await create({
      rules: [{ sticky: false, variants: [{ ...to('a') }, { ...to('b') }] }],
    });
    const seen = new Set<unknown>();
    for (let visit = 0; visit < 60; visit++)
      seen.add((await app.visit(`/${randomLink.suffix}`)).headers.get('location'));
    expect(seen.size).toBe(2);
  });

  test('are changed as a whole, keep their ids, and are counted by kind', async () => {
    const { id, suffix, rules } = await create({
      forward_query: 'merge',
      rules: [{ id: 'mine', ...to('one') }, to('two')],
    });
    expect(rules.map((rule: { id: string }) => rule.id)).toEqual([
      'mine',
      expect.stringMatching(/^r_\w{5}$/),
    ]);
    expect(await destinationOf(`${suffix}?x=1`)).toBe('one?x=1');
    const changed = await call('PATCH', `/link/${id}`, { rules: [rules[1], rules[0]] });
    expect(changed.json.rules).toEqual([rules[1], rules[0]]);
    expect(await destinationOf(suffix)).toBe('two');
    await app.app.clicks.settled();
    const { clicks } = (await call('GET', `/link/${id}/clicks?class=all`)).json;
    expect(new Set(clicks.map(({ destination }: { destination: string }) => destination))).toEqual(
      new Set(['rule']),
    );
    for (const empty of [null, '', []]) {
      expect((await call('PATCH', `/link/${id}`, { rules: empty })).json.rules).toEqual([]);
      expect(await destinationOf(suffix)).toBe('default');
      await call('PATCH', `/link/${id}`, { rules });
    }
    const { history } = (await call('GET', `/link/${id}/history`)).json;
    expect(history[0].changes).toEqual([{ field: 'rules', from: [], to: rules, hidden: false }]);
    await call('POST', `/link/${id}/history/restore`, { entry: history[1].id });
    expect((await call('GET', `/link/${id}`)).json.rules).toEqual([]);
    await call('POST', `/link/${id}/history/restore`, { entry: 0 });
    await call('DELETE', `/link/${id}`);
    await call('POST', '/link/restore', { ids: [id] });
    expect((await call('GET', `/link/${id}`)).json.rules).toEqual(rules);
    const csv = (await call('GET', `/link.csv?ids=${id}`)).text.replaceAll(suffix, `again-${store}`);
    expect((await importedElsewhere(app, csv)).rules).toEqual(rules);
  });

  test('are refused with the position of the error', async () => {
    const repeat = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
    const validRule = { ...to('x') };
    const invalid: readonly (readonly [unknown, string, string?])[] = [
      [{ country: ['DE'] }, 'rules'],
      [repeat(51, validRule), 'rules'],
      [[validRule, { when: {} }], 'rules.1.destination_url'],
      [[{ ...validRule, variants: [validRule] }], 'rules.0.destination_url'],
      [[validRule, validRule, { ...validRule, when: { country: ['Germany'] } }], 'rules.2.when.country.0'],
      [[{ ...validRule, when: { country: ['DE', 'UK'] } }], 'rules.0.when.country.1'],
      [[{ ...validRule, when: { country: [] } }], 'rules.0.when.country'],
      [[{ ...validRule, when: { country: repeat(101, 'DE') } }], 'rules.0.when.country'],
      [[{ ...validRule, when: { contry: ['DE'] } }], 'rules.0.when.contry', 'FIELD_UNKNOWN'],
      [[{ ...validRule, when: { region: ['DE-BY'] } }], 'rules.0.when.region', 'CONDITION_UNAVAILABLE'],
      [
        [{ ...validRule, when: { not: { city: ['Bonn'] } } }],
        'rules.0.when.not.city',
        'CONDITION_UNAVAILABLE',
      ],
      [[{ ...validRule, when: { not: { not: {} } } }], 'rules.0.when.not.not', 'FIELD_UNKNOWN'],
      [[{ ...validRule, when: { device: ['phone'] } }], 'rules.0.when.device.0'],
      [[{ ...validRule, when: { os: ['iPhone'] } }], 'rules.0.when.os.0'],
      [[{ ...validRule, when: { language: ['German'] } }], 'rules.0.when.language.0'],
      [[{ ...validRule, when: { language: ['de', 'de-de-de'] } }], 'rules.0.when.language.1'],
      [[{ ...validRule, when: { not: { language: ['de-12'] } } }], 'rules.0.when.not.language.0'],
      [[{ ...validRule, when: { network: ['10.0.0.0/33'] } }], 'rules.0.when.network.0'],
      [[{ ...validRule, when: { referrer: ['https://example.com/x'] } }], 'rules.0.when.referrer.0'],
      [[{ ...validRule, when: { referrer: ['a.b', `${'x'.repeat(256)}.com`] } }], 'rules.0.when.referrer.1'],
      [[{ ...validRule, when: { query: {} } }], 'rules.0.when.query'],
      [[{ ...validRule, when: { from: 'soon' } }], 'rules.0.when.from'],
      [[{ ...validRule, when: { hours: { timezone: 'Berlin' } } }], 'rules.0.when.hours.timezone'],
      [[{ ...validRule, when: { hours: { timezone: 'UTC', from: '9' } } }], 'rules.0.when.hours.from'],
      [
        [{ ...validRule, when: { hours: { timezone: 'UTC', from: '09:00', to: '09:00' } } }],
        'rules.0.when.hours.to',
      ],
      [[{ variants: repeat(11, validRule) }], 'rules.0.variants'],
      [[{ variants: [{ ...validRule, weight: 0 }] }], 'rules.0.variants'],
      [[{ variants: [{ ...validRule, weight: 1_001 }] }], 'rules.0.variants.0.weight'],
      [
        [
          {
            variants: [
              { ...validRule, id: 'a' },
              { ...validRule, id: 'a' },
            ],
          },
        ],
        'rules.0.variants.1.id',
      ],
      [
        [
          { ...validRule, id: 'x' },
          { ...validRule, id: 'x' },
        ],
        'rules.1.id',
      ],
      [[{ ...validRule, id: 'a b' }], 'rules.0.id'],
      [
        [validRule, { destination_url: 'javascript:alert(1)' }],
        'rules.1.destination_url',
        'DESTINATION_INVALID',
      ],
      [
        [{ variants: [validRule, { destination_url: `${app.url}/x` }] }],
        'rules.0.variants.1.destination_url',
        'DESTINATION_IS_OURS',
      ],
      [repeat(13, { ...to('x'.repeat(4_000)) }), 'rules', 'FIELD_TOO_LONG'],
    ];
    for (const [rules, field, code = 'FIELD_INVALID'] of invalid) {
      const { status, json } = await call('POST', '/link', { ...to('default'), rules });
      expect([status, json.error_code, json.field_key]).toEqual([400, code, field]);
      expect(json.error_string).toMatch(/^["A-Z].*[.?]$/);
    }
    const empty = await call('POST', '/link', { ...to('default'), rules: [{ variants: [] }] });
    expect([empty.json.field_key, empty.json.errors]).toEqual(['rules.0.variants', undefined]);
    const bulk = await call('POST', '/link/bulk', { links: [{ ...to('default'), rules: invalid[4]?.[0] }] });
    expect(bulk.json.results[0].error.field_key).toBe('rules.2.when.country.0');
  });
});

test('a timezone has one DateTimeFormat, regardless of the letter case of its name', () => {
  const dateTimeFormat = spyOn(Intl, 'DateTimeFormat');
  // A timezone that no other test of this process uses.
  for (const timezone of ['Antarctica/Vostok', 'antarctica/vostok', 'ANTARCTICA/vostOK'])
    hoursCondition({ timezone });
  expect(dateTimeFormat).toHaveBeenCalledTimes(1);
  dateTimeFormat.mockRestore();
});
