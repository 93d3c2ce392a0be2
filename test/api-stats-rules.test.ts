import { beforeAll, describe, expect, test } from 'bun:test';
import { dayLength, minuteLength } from '../src/rules/durations.ts';
import { formatIso } from '../src/rules/instant.ts';
import { dayOf } from '../src/rules/utc-time.ts';
import { browserUserAgent, storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { pollUntil } from './support/eventually.ts';

interface Group {
  readonly value: string | null;
  readonly clicks: number;
  readonly visitors?: number;
}

describe.each(storeKinds)('statistics by rule and variant on %s', (store) => {
  const { app, owner } = appWithOwner({ store, env: { TRUSTED_PROXIES: '1' } });
  let link: { readonly id: number; readonly path: string };

  beforeAll(async () => {
    const destination = 'https://example.com/';
    const rules = [
      { id: 'r_vip', when: { query: { vip: [] } }, destination_url: `${destination}vip` },
      {
        id: 'r_split',
        when: { query: { split: [] } },
        variants: [
          { id: 'a', destination_url: `${destination}a`, weight: 70 },
          { id: 'b', destination_url: `${destination}b`, weight: 30 },
        ],
      },
    ];
    link = await app.createLink(owner, { destination_url: destination, rules });
    const visit = (visitor: number, query: string) =>
      app.visit(link.path + query, {
        'user-agent': browserUserAgent,
        'x-forwarded-for': `203.0.113.${visitor}`,
      });
    for (let visitor = 1; visitor <= 12; visitor++) await visit(visitor, '?split');
    await app.app.clicks.settled();
    // The same visitors again, with other URLs, so that these don't count as repeats: more clicks, but no more visitors.
    for (let visitor = 1; visitor <= 12; visitor++) await visit(visitor, '?split&again');
    for (let visitor = 31; visitor <= 33; visitor++) await visit(visitor, '?vip');
    for (let visitor = 41; visitor <= 44; visitor++) await visit(visitor, '');
    await app.app.clicks.settled();
  });

  const get = async (path: string) => (await app.call('GET', `/api/v1${path}`, { key: owner.key })).json;
  const groupsBy = async (path: string, query: string): Promise<Group[]> =>
    (await get(`${path}?${query}`)).groups;
  const groupOf = (groups: readonly Group[], value: string | null) =>
    groups.find((group) => group.value === value) ?? { clicks: 0, visitors: 0 };

  test('clicks are grouped by rule, including those without one, for one link and for all', async () => {
    for (const path of ['/stats', `/link/${link.id}/stats`])
      expect((await groupsBy(path, 'group_by=rule')).map(({ value, clicks }) => [value, clicks])).toEqual([
        ['r_split', 24],
        [null, 4],
        ['r_vip', 3],
      ]);
  });

  test('all clicks of one visitor of a split lead to the same variant', async () => {
    const groups = await groupsBy(`/link/${link.id}/stats`, 'group_by=variant');
    const [a, b] = [groupOf(groups, 'r_split/a'), groupOf(groups, 'r_split/b')];
    expect([a.clicks + b.clicks, (a.visitors ?? 0) + (b.visitors ?? 0)]).toEqual([24, 12]);
    for (const group of [a, b]) expect(group.clicks).toBe(2 * (group.visitors ?? 0));
    expect(groupOf(groups, null)).toEqual({ value: null, clicks: 7, not_counted: 0 } as Group);
    expect((await get(`/link/${link.id}/stats`)).totals.visitors).toBe(19);
    expect(
      (await groupsBy('/stats', 'group_by=variant')).every(({ visitors }) => visitors === undefined),
    ).toBe(true);
    const chosen = await groupsBy('/stats', `group_by=variant&ids=${link.id}`);
    expect(groupOf(chosen, 'r_split/a').visitors).toBe(a.visitors);
  });

  test('filters by rule and variant work alone and with others', async () => {
    const path = `/link/${link.id}/stats`;
    const { clicks } = groupOf(await groupsBy(path, 'group_by=variant'), 'r_split/a');
    for (const query of ['variant=r_split/a', 'rule=r_split&variant=a', 'rule=r_split&variant=r_split/a'])
      expect([query, (await get(`${path}?${query}`)).totals.clicks]).toEqual([query, clicks]);
    expect((await get(`${path}?rule=`)).totals.clicks).toBe(4);
    expect((await get(`${path}?rule=r_vip&device=desktop&group_by=browser`)).totals.clicks).toBe(3);
    expect((await get(`${path}?rule=gone`)).totals.clicks).toBe(0);
    expect((await get(`${path}?variant=a`)).totals.clicks).toBe(0);
  });

  test('the list of clicks has the rule and the variant', async () => {
    const { clicks } = await get(`/link/${link.id}/clicks?limit=100`);
    const countOf = (rule: string | null) =>
      clicks.filter((click: { rule: string | null }) => click.rule === rule).length;
    expect([countOf('r_split'), countOf('r_vip'), countOf(null)]).toEqual([24, 3, 4]);
    const variants = new Set(clicks.map((click: { variant: string | null }) => click.variant));
    expect([...variants].every((variant) => variant === null || variant === 'a' || variant === 'b')).toBe(
      true,
    );
  });

  test('a variant never has more visitors than clicks, even if some of its clicks are reclassified', async () => {
    const noon = (dayOf(app.clock.now) + 1.5) * dayLength;
    app.clock.now = noon + 10 * minuteLength;
    const rules = [
      {
        id: 'r_split',
        when: {},
        variants: ['a', 'b'].map((id) => ({ id, destination_url: `https://example.com/${id}`, weight: 50 })),
      },
    ];
    const another = await app.createLink(owner, { rules });
    const visit = (visitor: number) =>
      app.visit(another.path, {
        'user-agent': browserUserAgent,
        'x-forwarded-for': `203.0.113.${visitor}`,
      });
    for (let visitor = 1; visitor <= 10; visitor++) await visit(visitor);
    await app.app.clicks.settled();
    app.clock.now = noon + 20 * minuteLength;
    for (let visitor = 1; visitor <= 4; visitor++) await visit(visitor);
    await app.app.clicks.settled();
    const path = `/link/${another.id}/stats`;
    const sums = async () => {
      const groups = await groupsBy(path, 'group_by=variant');
      expect(groups.every(({ clicks, visitors = 0 }) => visitors <= clicks)).toBe(true);
      return [groups.map(({ clicks }) => clicks), groups.map(({ visitors = 0 }) => visitors)].map((numbers) =>
        numbers.reduce((sum, number) => sum + number, 0),
      );
    };
    expect(await sums()).toEqual([14, 10]);
    const span = { from: formatIso(noon), to: formatIso(noon + 15 * minuteLength) };
    await app.call('PATCH', `/api/v1/link/${another.id}/clicks/reclassify`, {
      key: owner.key,
      body: { ...span, class: 'human', to_class: 'bot' },
    });
    const done = await pollUntil(
      async () => (await get(`/link/${another.id}/clicks/corrections`)).corrections[0],
      ({ state }) => state === 'done',
      'the correction to be done',
    );
    expect(done.hits).toBe(10);
    expect(await sums()).toEqual([4, 4]);
    expect((await get(path)).totals).toMatchObject({ clicks: 4, visitors: 4 });
  });
});
