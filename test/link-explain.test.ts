import { expect, test } from 'bun:test';
import { firefox } from './support/agents-of-people.ts';
import { appWithOwner } from './support/app-suite.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';

const { app, call } = appWithOwner({ env: { TRUSTED_PROXIES: '1' } });
const create = async (body: object) =>
  (await call('POST', '/link', { destination_url: 'https://example.com/default', ...body })).json;
const explain = async (id: number, body: object = {}) =>
  (await call('POST', `/link/${id}/explain`, body)).json;

test('a visit need not be described', async () => {
  const { id } = await create({});
  const { status, json } = await call('POST', `/link/${id}/explain`);
  expect([status, json.to]).toEqual([200, 'https://example.com/default']);
});

test('an explanation has each step up to the matching rule, and counts no click', async () => {
  const { id } = await create({
    bot_protection: true,
    forward_query: 'merge',
    redirect_status: 307,
    rules: [
      { id: 'office', when: { network: ['198.51.100.0/24'] }, destination_url: 'https://example.com/office' },
      {
        id: 'phones',
        when: { country: ['DE'], device: ['mobile'], not: { language: ['en'] } },
        destination_url: 'https://example.de/app',
      },
      { id: 'rest', destination_url: 'https://example.com/rest' },
    ],
  });
  const phone = 'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36';
  const explanation = await explain(id, {
    country: 'de',
    user_agent: phone,
    language: 'de-CH',
    url: '?utm_source=x',
  });
  expect(explanation).toEqual({
    outcome: 'redirect',
    to: 'https://example.de/app?utm_source=x',
    status: 307,
    destination: 'rule',
    rule: 'phones',
    variant: null,
    steps: [
      { check: 'enabled', passed: true },
      { check: 'started', passed: true },
      { check: 'not_ended', passed: true },
      { check: 'no_bot', passed: true },
      {
        rule: 'office',
        matched: false,
        conditions: [{ key: 'network', not: false, matched: false, saw: '192.0.2.1' }],
      },
      {
        rule: 'phones',
        matched: true,
        conditions: [
          { key: 'device', not: false, matched: true, saw: 'mobile' },
          { key: 'country', not: false, matched: true, saw: 'DE' },
          { key: 'language', not: true, matched: true, saw: 'de-ch' },
        ],
      },
    ],
  });
  const bot = await explain(id, { user_agent: 'curl/8.5.0' });
  expect(bot).toMatchObject({ outcome: 'refused', to: null, status: null, destination: null });
  expect(bot.steps.at(-1)).toEqual({ check: 'no_bot', passed: false });
  await app.app.clicks.settled();
  expect((await call('GET', `/link/${id}/clicks?class=all`)).json.clicks).toEqual([]);
});

test('an explanation covers the rest of the visit: each variant, the date, gates and the path after the suffix', async () => {
  const { id, url } = await create({
    password: 'sesame',
    start_date: '2031-01-01',
    before_start_url: 'https://example.com/soon',
    forward_path: true,
  });
  expect(await explain(id)).toMatchObject({
    outcome: 'not_started',
    to: 'https://example.com/soon',
    status: 302,
  });
  expect(await explain(id, { at: '2031-01-01' })).toMatchObject({ outcome: 'ask_password', to: null });
  const passed = await explain(id, { at: '2031-01-01', passed_gates: true, url: `${url}/more?x` });
  expect(passed.to).toBe('https://example.com/default/more');
  for (const slash of ['', '/'])
    expect((await explain(id, { at: '2031-01-01', passed_gates: true, url: `${url}${slash}` })).to).toBe(
      'https://example.com/default',
    );
  const guarded = await create({ captcha: true });
  const asked = await explain(guarded.id);
  expect([asked.outcome, asked.steps.at(-1)]).toEqual(['ask_captcha', { check: 'captcha', passed: false }]);
  const plain = await create({});
  expect(await explain(plain.id)).toMatchObject({ outcome: 'redirect', destination: 'default', steps: [] });
  const linkWithVariants = await create({
    rules: [
      { variants: ['a', 'b', 'c'].map((name) => ({ destination_url: `https://example.com/${name}` })) },
    ],
  });
  const variants = new Set<string>();
  for (let index = 1; index <= 40; index++) {
    const address = `203.0.113.${index}`;
    const visit = await app.visit(`/${linkWithVariants.suffix}`, {
      'x-forwarded-for': address,
      'user-agent': firefox,
    });
    const { to, variant } = await explain(linkWithVariants.id, { address, user_agent: firefox });
    expect(to).toBe(visit.headers.get('location'));
    expect(to).toBe(`https://example.com/${variant}`);
    variants.add(variant);
  }
  expect([...variants].toSorted()).toEqual(['a', 'b', 'c']);
});

test('the explained path after the suffix is that of a visit, by any of the addresses of a link', async () => {
  const { id, url } = await create({
    suffix: 'menü/a',
    aliases: ['menü', 'menü/a/b', 'menü/a/b/c'],
    forward_path: true,
  });
  const { origin } = new URL(url);
  for (const path of ['a/b', 'a/b/', 'a/b/c/d', 'a/d/', 'd/e', 'a//d', '%61/%62/d', 'a/%62%2Fc/d']) {
    const visited = `/men%c3%bc/${path}`;
    const { to } = await explain(id, { url: origin + visited });
    expect([path, to]).toEqual([path, (await app.visit(visited)).headers.get('location')]);
  }
  const rest = async (part: string) => (await explain(id, { url: part })).to;
  expect(await rest('/d/e?x')).toBe('https://example.com/default/d/e');
  for (const part of ['/', '?x', '#x', 'https://elsewhere.example/d'])
    expect([part, await rest(part)]).toEqual([part, 'https://example.com/default']);
});

test('a visited address of thousands of segments is explained in little time', async () => {
  const { id, url } = await create({ forward_path: true });
  const rest = '/\u0301\u0316'.repeat(2_600);
  const began = performance.now();
  const { to } = await explain(id, { url: url + rest });
  expect(to).toBe(`https://example.com/default${encodeURI(rest)}`);
  expect(performance.now() - began).toBeLessThan(scaledToLoad(100));
});

test('visited addresses with thousands of marks in their host are explained in little time', async () => {
  const { id } = await create({});
  const url = `https://a${'\u0301\u0316'.repeat(4_000)}`;
  const began = performance.now();
  const explained = await Promise.all(Array.from({ length: 20 }, () => explain(id, { url })));
  for (const { to } of explained) expect(to).toBe('https://example.com/default');
  expect(performance.now() - began).toBeLessThan(scaledToLoad(200));
});

test('after the rules an explanation shows the device that a destination is for', async () => {
  const { id } = await create({
    android_link_destination: 'https://example.com/android',
    ios_link_destination: 'https://example.com/ios',
    rules: [{ id: 'austria', when: { country: ['AT'] }, destination_url: 'https://example.at' }],
  });
  const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0';
  const explanation = await explain(id, { country: 'DE', user_agent: iphone });
  expect(explanation).toMatchObject({ to: 'https://example.com/ios', destination: 'ios', rule: null });
  expect(explanation.steps.slice(-3)).toEqual([
    expect.objectContaining({ rule: 'austria', matched: false }),
    { check: 'android', passed: false },
    { check: 'ios', passed: true },
  ]);
  const desktop = await explain(id, { country: 'DE' });
  expect([
    desktop.destination,
    desktop.steps.slice(-2).map(({ passed }: { passed: boolean }) => passed),
  ]).toEqual(['default', [false, false]]);
});

test('an invalid visit is refused with a message', async () => {
  const { id } = await create({});
  for (const [field, value] of [
    ['country', 'Germany'],
    ['at', 'soon'],
    ['address', '1.2.3'],
    ['passed_gates', 'yes'],
  ] as const) {
    const { status, json } = await call('POST', `/link/${id}/explain`, { [field]: value });
    expect([status, json.error_code, json.field_key]).toEqual([400, 'FIELD_INVALID', field]);
  }
  const otherAccount = await app.createAccount();
  const foreign = await app.call('POST', `/api/v1/link/${id}/explain`, { key: otherAccount.key, body: {} });
  expect(foreign.status).toBe(404);
});
