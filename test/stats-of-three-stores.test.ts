import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { dayLength } from '../src/rules/durations.ts';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { freshClickhouse, hasClickhouse } from './support/clickhouse.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { SECRET_KEY } from './support/secret-key.ts';
import { seededRandom } from './support/seeded-random.ts';

const draw = seededRandom(20261128);
const pick = <T>(list: readonly T[]): T => list[draw(list.length)] as T;
const begin = Date.UTC(2026, 9, 20);
const visits = 100;

const oddTexts = [
  ...["it's", 'a\\b', 'tab\there', 'line\nbreak', 'nul\0nul', '😀🏳️‍🌈', 'x'.repeat(2_000), '"quoted"'],
  ...["'; drop table hits; --", '{a:UInt8}', '%s', '\u202Ertl', '\ud800', 'e\u0301', ' lead', 'trail '],
  ...['NULL', '0', '\\N', '\r\n', '\x7f', '\uFFFD', '\uFEFFbom', 'a', 'b', ''],
];
const agents = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1',
  'Googlebot/2.1 (+http://www.google.com/bot.html)',
];
const referrers = [
  'https://example.org/x',
  'http://t.co',
  "https://a'b.example/",
  'android-app://com.google',
];
const utm = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'];
const zones = ['UTC', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/St_Johns'];
const groupings = ['country', 'device', 'os', 'browser', 'language', 'referrer', 'source', ...utm];
const filters: readonly (readonly [string, readonly string[]])[] = [
  ['device', ['mobile', 'desktop']],
  ['referrer', ['example.org', '']],
  ['class', ['click', 'bot', 'head', 'human']],
  ...utm.map((name) => [name, oddTexts] as const),
];

const randomVisit = () => {
  const query = new URLSearchParams();
  for (const name of utm) if (draw(3) === 0) query.set(name, pick(oddTexts));
  const headers: Record<string, string> = {
    'user-agent': pick(agents),
    'x-forwarded-for': `${pick(['81.2.69', '8.8.8', '203.0.113'])}.${draw(40)}`,
    'accept-language': pick(['de', 'en-US,en;q=0.5', '']),
  };
  if (draw(3) === 0) headers.referer = pick(referrers);
  const method = draw(15) === 0 ? 'HEAD' : 'GET';
  return { path: `/s${draw(3)}?${draw(8) === 0 ? 'qr&' : ''}${query}`, headers, method };
};

const dayOf = (number: number): string => new Date(begin + number * dayLength).toISOString().slice(0, 10);

function randomQuestion(): string {
  const from = draw(36);
  const query = new URLSearchParams({
    from: dayOf(from),
    to: dayOf(Math.min(36, from + draw(20))),
    timezone: pick(zones),
    interval: pick(['hour', 'day', 'week', 'month']),
    group_by: pick(groupings),
  });
  for (let left = draw(3); left > 0; left--) {
    const [name, values] = pick(filters);
    query.set(name, pick(values));
  }
  return `/api/v1/stats?${query}`;
}

describe.skipIf(!(await hasClickhouse()))('SQLite, PostgreSQL and ClickHouse', () => {
  const services: { readonly app: TestApp; readonly owner: TestAccount }[] = [];
  beforeAll(async () => {
    const env = { SECRET_KEY, TRUSTED_PROXIES: '1' };
    const external = { DATABASE_URL: await migratedPostgres(), CLICKS_URL: await freshClickhouse() };
    for (const options of [{ store: 'sqlite' }, { store: 'postgres' }, { env: external }] as const) {
      const app = await startApp({
        ...options,
        env: { ...env, ...('env' in options && options.env) },
        startsAt: begin,
      });
      services.push({ app, owner: await app.createAccount() });
    }
    for (const suffix of ['s0', 's1', 's2'])
      await callAll('POST', '/api/v1/link', { destination_url: 'https://example.com/', suffix });
    for (let visit = 0; visit < visits; visit++) {
      const { path, headers, method } = randomVisit();
      for (const { app } of services) {
        app.clock.now = begin + Math.floor((visit / visits) * 35 * dayLength);
        expect((await app.visit(path, headers, { method })).status).toBe(302);
      }
    }
    for (const { app } of services) app.clock.now = begin + 36 * dayLength;
    await eventually(
      async () =>
        (await callAll('GET', '/api/v1/clicks?class=all&limit=1')).every(
          (one) => one.total_clicks === visits,
        ),
      'every hit to be counted',
    );
  }, 240_000);
  afterAll(async () => {
    for (const { app } of services) await app.stop();
  });

  // biome-ignore lint/suspicious/noExplicitAny: answers of any endpoint.
  const callAll = (method: string, path: string, body?: object): Promise<any[]> =>
    Promise.all(
      services.map(async ({ app, owner }) => {
        const { json } = await app.call(method, path, { key: owner.key, ...(body && { body }) });
        return json;
      }),
    );

  /** Without visitors, which PostgreSQL tells apart by its own clock, and with groups of equal counts in one order. */
  const comparable = ({ groups, raw_since: _, ...rest }: Record<string, unknown>): string =>
    JSON.stringify({
      ...rest,
      groups: (groups as object[] | undefined)?.map((group) => JSON.stringify(group)).sort(),
    }).replaceAll(/"visitors":(\d+|null)/g, '');

  test('have the same statistics for the same visits, in any zone, grouped and filtered by any text', async () => {
    let answered = 0;
    for (let number = 0; number < 80; number++) {
      const question = randomQuestion();
      const [sqlite = '', ...others] = (await callAll('GET', question)).map(comparable);
      if (sqlite.includes('"totals"')) answered += 1;
      for (const other of others) expect([question, other]).toEqual([question, sqlite]);
    }
    // A filter by a text with control characters is refused, by all of them.
    expect(answered).toBeGreaterThan(40);
  });
});
