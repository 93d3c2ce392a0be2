import { beforeAll, expect, test } from 'bun:test';
import { appForSuite } from './support/app-suite.ts';
import { eventually, pollUntil } from './support/eventually.ts';
import { metricValues } from './support/metric-values.ts';

const app = appForSuite({ env: { HOST: '127.0.0.1' } });
let key: string;
beforeAll(async () => {
  key = (await app.createAccount()).key;
});

const text = async () => (await fetch(`${app.url}/metrics`)).text();
const values = async () => metricValues(await text());
const visitsMetric = (outcome: string) => `linnet_visits_total{outcome="${outcome}"}`;

const createLink = async (fields?: object): Promise<string> => (await app.createLink({ key }, fields)).suffix;

/** How much each changed metric has increased during the action. */
async function increasesDuring(action: () => Promise<void>): Promise<Record<string, number>> {
  const before = await values();
  await action();
  const after = await values();
  const names = Object.keys(after).filter((name) => after[name] !== before[name]);
  return Object.fromEntries(names.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]));
}

test('visits are counted by their outcome, on the fast path and on the app server', async () => {
  const plain = await createLink();
  const withPassword = await createLink({ password: 'open sesame' });
  const expired = await createLink({ expiration_date: new Date(app.clock.now - 1_000).toISOString() });
  const increases = await increasesDuring(async () => {
    for (let time = 0; time < 5; time++) await app.visit(`/${plain}`);
    for (const path of [`/${withPassword}`, `/${expired}`, '/no-such-link-1', '/no-such-link-2'])
      await app.visit(path);
    const form = new URLSearchParams({ password: 'open sesame' });
    await app.visit(`/${withPassword}`, {}, { method: 'POST', body: form });
  });
  expect(increases).toMatchObject({
    [visitsMetric('redirect')]: 6,
    [visitsMetric('ask_password')]: 1,
    [visitsMetric('expired')]: 1,
    [visitsMetric('no_link')]: 2,
    'linnet_link_cache_lookups_total{result="hit"}': expect.any(Number),
  });
  expect(increases).not.toHaveProperty([visitsMetric('refused')]);
  // Visits to a plain link, to an expired one and to missing ones are answered on the fast path.
  expect(increases.linnet_visit_duration_seconds_count).toBe(8);
  expect(increases['linnet_visit_duration_seconds_bucket{le="+Inf"}']).toBe(8);
  expect(increases.linnet_visit_duration_seconds_sum).toBeGreaterThan(0);
  expect(increases.linnet_visit_duration_seconds_sum).toBeLessThan(60);
  expect(increases.linnet_clicks_recorded_total).toBe(8);
});

test('a link that was visited before is found in the cache', async () => {
  const plain = await createLink();
  const lookupsMetric = (result: string) => `linnet_link_cache_lookups_total{result="${result}"}`;
  const first = await increasesDuring(async () => void (await app.visit(`/${plain}`)));
  expect([first[lookupsMetric('hit')] ?? 0, first[lookupsMetric('miss')]]).toEqual([0, 1]);
  // The feed reports the new link, which evicts it from the cache again.
  await eventually(async () => {
    const later = await increasesDuring(async () => void (await app.visit(`/${plain}`)));
    return later[lookupsMetric('hit')] === 1 && (later[lookupsMetric('miss')] ?? 0) === 0;
  }, 'a visit to a link that is in the cache');
});

test('clicks in the database are no longer in the backlog', async () => {
  await app.visit(`/${await createLink()}`);
  await app.app.clicks.settled();
  const settled = await pollUntil(values, (found) => found.linnet_journal_lag_clicks === 0, 'the fold');
  expect(settled).toMatchObject({
    linnet_journal_lag_seconds: 0,
    linnet_journal_unfolded_bytes: 0,
    linnet_clicks_in_memory: 0,
    linnet_clicks_dropped_total: 0,
  });
  expect(settled.linnet_feed_lag_seconds).toBeLessThan(60);
});

test('no visitor, link, host or call adds a series', async () => {
  const before = Object.keys(await values());
  await createLink({ suffix: 'one-more' });
  for (let time = 0; time < 20; time++)
    await app.visit(`/unknown-${time}`, {
      host: `host-${time}.example.net`,
      'user-agent': `agent-${time}`,
      referer: `https://from-${time}.example.org/`,
      'x-forwarded-for': `192.0.2.${time}`,
    });
  await app.call('GET', '/api/v1/link/99999999', { key });
  await app.call('GET', '/api/v9/anything', { key: 'wrong' });
  expect(Object.keys(await values())).toEqual(before);
});

test('the process is live, even for HTTP clients that name no host', async () => {
  const response = await fetch(`${app.url}/livez`);
  expect([response.status, await response.json()]).toEqual([200, { status: 'live' }]);
});
