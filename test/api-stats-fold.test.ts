import { beforeAll, describe, expect, test } from 'bun:test';
import { browserUserAgent, storeKinds, type TestAccount } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
import { rebuildRollups, rollUps } from './support/hits.ts';

const rounds = 28;
const agents = [
  browserUserAgent,
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  'curl/8.5.0',
  'WhatsApp/2.23.20.0',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  '',
];

describe.each(storeKinds)('statistics of real visits on %s', (store) => {
  // All on one UTC day: the visitors of a day are deleted an hour after its end.
  const app = appForSuite({ store, startsAt: Date.parse('2026-11-18T10:00:00Z') });
  let owner: TestAccount;
  const links: { id: number; path: string }[] = [];

  beforeAll(async () => {
    owner = await app.createAccount();
    for (const body of [
      { destination_url: 'example.com', ios_link_destination: 'https://example.com/ios' },
      { destination_url: 'example.com', password: 'open sesame' },
      { destination_url: 'example.com', expiration_date: '2026-11-18T12:00:00Z' },
    ]) {
      const { json } = await app.call('POST', '/api/v1/link', { key: owner.key, body });
      links.push({ id: json.id, path: new URL(json.url).pathname });
    }
    for (let round = 0; round < rounds; round++) {
      app.clock.now += 17 * 60_000;
      for (const [index, agent] of agents.entries()) {
        const { path } = links[(round + index) % links.length] ?? { path: '/' };
        const query = ['', '?qr', '?utm_source=mail&utm_campaign=spring', '?utm_medium=post'][round % 4];
        const headers = {
          'user-agent': agent,
          'accept-language': round % 2 === 0 ? 'de-DE,de;q=0.9' : 'fr',
          ...(round % 3 === 0 ? { referer: 'https://www.example.org/page' } : {}),
          ...(round % 5 === 0 ? { dnt: '1' } : {}),
        };
        await app.visit(path + query, headers, { method: round % 7 === 0 ? 'HEAD' : 'GET' });
        if (round % 4 === 0) await app.visit(path + query, headers);
      }
    }
    await app.app.clicks.settled();
  });

  test('the roll-ups of the fold equal those of counting every hit again', async () => {
    const { database } = app.app.context;
    const folded = await rollUps(database.read);
    expect(folded.links.length).toBeGreaterThan(20);
    await database.write((queries) => rebuildRollups(queries));
    expect(folded).toEqual(await rollUps(database.read));
  });

  test('every hit is included, and charts, groups and lists agree on how many are clicks', async () => {
    const get = async (path: string) => (await app.call('GET', path, { key: owner.key })).json;
    const { totals, groups } = await get('/api/v1/stats?group_by=class');
    const hits = (rounds + rounds / 4) * agents.length;
    const notCounted = Object.values<number>(totals.not_counted);
    expect(totals.clicks + notCounted.reduce((sum, count) => sum + count, 0)).toBe(hits);
    expect(Math.min(...notCounted.slice(0, 3))).toBeGreaterThan(0);
    expect(groups[0].clicks + groups[0].not_counted).toBeGreaterThan(0);
    expect((await get('/api/v1/clicks?class=all')).total_clicks).toBe(hits);
    expect((await get('/api/v1/clicks')).total_clicks).toBe(totals.clicks);
    let clicks = 0;
    for (const { id } of links) {
      const link = await get(`/api/v1/link/${id}`);
      expect((await get(`/api/v1/link/${id}/stats?from=2026-11-01`)).totals.clicks).toBe(link.clicks);
      clicks += link.clicks;
    }
    expect(clicks).toBe(totals.clicks);
    const combined = await get('/api/v1/stats?device=mobile&group_by=os');
    const single = await get('/api/v1/stats?device=mobile');
    expect([combined.from_raw, combined.totals.clicks]).toEqual([true, single.totals.clicks]);
    expect(combined.groups.map(({ value }: { value: string }) => value).sort()).toEqual(['Android', 'iOS']);
  });

  test('a text is counted under its own parameter, also if another one had it in an earlier batch', async () => {
    const { key } = await app.createAccount();
    const { json: link } = await app.call('POST', '/api/v1/link', {
      key,
      body: { destination_url: 'example.com' },
    });
    for (const parameter of ['utm_term', 'utm_content']) {
      app.clock.now += 60_000;
      await app.visit(`${new URL(link.url).pathname}?${parameter}=banner`);
      await app.app.clicks.settled();
    }
    for (const path of ['/api/v1/stats', `/api/v1/link/${link.id}/stats`])
      for (const parameter of ['utm_term', 'utm_content']) {
        const { json } = await app.call('GET', `${path}?group_by=${parameter}`, { key });
        expect(json.groups).toEqual([
          { value: null, clicks: 1, not_counted: 0 },
          { value: 'banner', clicks: 1, not_counted: 0 },
        ]);
      }
  });
});
