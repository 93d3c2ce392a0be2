import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { importLinks } from '../src/cli/import-links.ts';
import { allTables } from './support/all-tables.ts';
import { browserUserAgent, startApp, storeKinds, type TestAccount, type TestApp } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { eventually, pollUntil } from './support/eventually.ts';
import { filesIn } from './support/files-in.ts';
import { targetOfEachTest } from './support/webhook-target.ts';

const target = targetOfEachTest();
const env = { TRUSTED_PROXIES: '1', WEBHOOK_ALLOW: '127.0.0.1' };

/** What a visitor of a quiet link sends; none of it may be found anywhere. */
const visitorHeaders = {
  'x-forwarded-for': '198.51.100.77',
  'user-agent': `${browserUserAgent} Vivaldi/7.7`,
  'accept-language': 'rm-CH,rm;q=0.9',
  referer: 'https://from-there.example/page',
};
const query = '?utm_source=only-here&utm_campaign=nowhere-else';
const traces = ['198.51.100.77', 'Vivaldi', 'rm-CH', '"rm"', 'from-there', 'only-here', 'nowhere-else'];

function callsTo(app: TestApp, owner: TestAccount) {
  const call = (method: string, path: string, body?: object) =>
    app.call(method, `/api/v1${path}`, { key: owner.key, ...(body && { body }) });
  return {
    call,
    create: async (body: object = {}) => {
      const created = await call('POST', '/link', { destination_url: 'https://example.com/there', ...body });
      expect([created.status, created.text]).toEqual([201, created.text]);
      return created.json;
    },
    read: async ({ id }: { id: number }) => (await call('GET', `/link/${id}`)).json,
  };
}

describe.each(storeKinds)('quiet links on %s', (store) => {
  const { app, owner } = appWithOwner({ store, env });
  let { call, create, read } = {} as ReturnType<typeof callsTo>;
  beforeAll(async () => {
    ({ call, create, read } = callsTo(app, owner));
  });

  test('count every redirected visitor, including repeats, and no bot, on and off the fast path', async () => {
    const link = await create({ statistics: false });
    expect(link.statistics).toBe(false);
    const visit = (headers: object, init = {}) =>
      app.visit(`/${link.suffix}`, { ...visitorHeaders, ...headers }, init);
    for (const detour of [{}, { 'x-detour': '\xe9' }]) {
      for (const headers of [{}, {}, { dnt: '1' }])
        expect((await visit({ ...headers, ...detour })).status).toBe(302);
      for (const headers of [
        { 'user-agent': 'curl/8.5.0' },
        { 'user-agent': 'facebookexternalhit/1.1' },
        { 'user-agent': '' },
        { 'sec-purpose': 'prefetch' },
        { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
      ])
        expect((await visit({ ...headers, ...detour })).status).toBe(302);
      expect((await visit(detour, { method: 'HEAD' })).status).toBe(302);
    }
    await app.app.clicks.settled();
    expect(await read(link)).toMatchObject({ clicks: 6, last_clicked_at: null });
  });

  test('leave no data of a visitor in the store, the files, lists, exports, statistics and webhooks', async () => {
    const { url, received } = target();
    const link = await create({ statistics: false, webhook_url: url });
    const ordinaryLink = await create({ webhook_url: url });
    for (let visit = 0; visit < 3; visit++) {
      await app.visit(`/${link.suffix}${query}`, visitorHeaders);
      await app.visit(`/${ordinaryLink.suffix}`);
      await app.visit(`/${link.suffix}${query}`, visitorHeaders);
      // Late enough for the next visit to this link not to be a repeat.
      app.clock.now += 60_000;
    }
    await app.app.clicks.settled();
    expect([(await read(link)).clicks, (await read(ordinaryLink)).clicks]).toEqual([6, 3]);
    const delivered = await pollUntil(
      async () => received,
      (calls) => calls.length >= 3,
      'the webhook calls for the other link',
    );
    expect(delivered.map(({ body }) => JSON.parse(body).payload.link_id)).toEqual([
      ordinaryLink.id,
      ordinaryLink.id,
      ordinaryLink.id,
    ]);
    const deliveries = await call('GET', `/link/${link.id}/webhook_deliveries`);
    expect(deliveries.json.webhook_deliveries).toEqual([]);

    expect((await call('GET', `/link/${link.id}/clicks?class=all`)).json.total_clicks).toBe(0);
    expect((await call('GET', `/link/${link.id}/clicks.csv?class=all`)).text.trim().split('\n')).toHaveLength(
      1,
    );
    expect((await call('GET', `/link/${link.id}/stats`)).json.totals).toMatchObject({
      clicks: 0,
      visitors: 0,
    });
    const tables = await allTables(app.dataDir, app.databaseUrl);
    const linkPattern = new RegExp(`"link_id","${link.id}"`);
    const tablesOfLink = Object.entries(tables).filter(([, rows]) =>
      rows.some((row) => linkPattern.test(row)),
    );
    expect(tablesOfLink.map(([name]) => name)).toEqual(expect.arrayContaining(['link_clicks']));
    const visitorTables = /^(hits|hit_|link_hours|daily_visitors|visitor_|click_|webhook_deliveries|flood)/;
    expect(tablesOfLink.filter(([name]) => visitorTables.test(name))).toEqual([]);
    const text = JSON.stringify(tables);
    expect(traces.filter((trace) => text.includes(trace))).toEqual([]);
    const files = filesIn(app.dataDir);
    expect(traces.filter((trace) => files.some((bytes) => bytes.includes(trace)))).toEqual([]);
  });

  test('keep the clicks recorded while statistics were on, and the total contains all', async () => {
    const link = await create();
    const visitTimes = async (times: number) => {
      for (let visit = 0; visit < times; visit++) {
        await app.visit(`/${link.suffix}`);
        app.clock.now += 60_000;
      }
    };
    await visitTimes(2);
    await app.app.clicks.settled();
    const { last_clicked_at } = await read(link);
    await call('PATCH', `/link/${link.id}`, { statistics: false });
    await visitTimes(3);
    await app.app.clicks.settled();
    expect(await read(link)).toMatchObject({ clicks: 5, last_clicked_at });
    await call('PATCH', `/link/${link.id}`, { statistics: null });
    await visitTimes(1);
    await app.app.clicks.settled();
    expect(await read(link)).toMatchObject({ clicks: 6, statistics: true });
    expect((await call('GET', `/link/${link.id}/clicks`)).json.total_clicks).toBe(3);
  });

  test('no longer have the instant of a click that was erased', async () => {
    const link = await create();
    await app.visit(`/${link.suffix}`);
    await app.app.clicks.settled();
    expect((await read(link)).last_clicked_at).toBeString();
    await call('PATCH', `/link/${link.id}`, { statistics: false });
    app.clock.now += 60_000;
    await app.visit(`/${link.suffix}`);
    await app.app.clicks.settled();
    await call('DELETE', `/link/${link.id}/clicks`);
    await eventually(
      async () =>
        (await call('GET', `/link/${link.id}/clicks/corrections`)).json.corrections[0].state === 'done',
      'the erasure to be done',
    );
    expect(await read(link)).toMatchObject({ clicks: 1, last_clicked_at: null });
  });

  test('end after their click limit', async () => {
    const link = await create({ statistics: false, click_limit: 2 });
    const responses: number[] = [];
    for (let visit = 0; visit < 4; visit++) {
      responses.push((await app.visit(`/${link.suffix}`)).status);
      app.clock.now += 60_000;
    }
    expect(responses).toEqual([302, 302, 410, 410]);
    await app.app.clicks.settled();
    expect(await read(link)).toMatchObject({ clicks: 2, clicks_left: 0 });
  });

  test('are created in bulk, by import and by a scheduled change, restored from the bin, and shown in the export and the history', async () => {
    const bulk = await call('POST', '/link/bulk', {
      links: [{ destination_url: 'https://example.com/a', statistics: false }],
    });
    const { link } = bulk.json.results[0];
    expect(link.statistics).toBe(false);
    await call('DELETE', `/link/${link.id}`);
    await call('POST', '/link/restore', { ids: [link.id] });
    expect((await read(link)).statistics).toBe(false);
    await call('PATCH', `/link/${link.id}`, { statistics: true });
    const entry = (await call('GET', `/link/${link.id}/history`)).json.history[0];
    expect(entry.changes).toMatchObject([{ field: 'statistics', from: false, to: true }]);
    const at = new Date(app.clock.now + 60_000).toISOString();
    const scheduled = await call('POST', `/link/${link.id}/scheduled`, {
      at,
      changes: { statistics: false },
    });
    expect([scheduled.status, scheduled.json.changes]).toEqual([201, { statistics: false }]);

    const file = join(app.dataDir, 'links.csv');
    await Bun.write(
      file,
      'destination_url,suffix,statistics\nhttps://example.com/b,csv-quiet,FALSE\nhttps://example.com/b,csv-loud,TRUE\n',
    );
    await importLinks.run(app.app.context, { email: owner.email, file });
    const csv = (await call('GET', '/link.csv?q=csv-')).text.trim().split('\r\n');
    const column = csv[0]?.split(',').indexOf('statistics') ?? -1;
    expect(csv.slice(1).map((line) => line.split(',')[column])).toEqual(['true', 'false']);

    const wrong = await call('PATCH', `/link/${link.id}`, { statistics: 'some' });
    expect([wrong.status, wrong.json.error_code, wrong.json.field_key]).toEqual([
      400,
      'FIELD_INVALID',
      'statistics',
    ]);
  });
});

test('the journal has no trace of a visitor before it is folded', async () => {
  const app = await startApp({ env, overrides: { hits: 'unfolded' } });
  try {
    const { create } = callsTo(app, await app.createAccount());
    const gated = await create({ statistics: false, password: 'sesame' });
    const open = await create({ statistics: false });
    await app.visit(`/${gated.suffix}${query}`, visitorHeaders);
    for (let visit = 0; visit < 3; visit++) await app.visit(`/${open.suffix}${query}`, visitorHeaders);
    const journal = Buffer.concat(filesIn(join(app.dataDir, 'journal')));
    // Time, link, organization, codes and empty lines. The page that asks for the password is not recorded.
    const clicks = [...journal.toString('latin1').matchAll(/\d{13}\n(\d+)\n\d+\n\d\d\n{9}/g)];
    expect(clicks.map(([, id]) => Number(id))).toEqual([open.id, open.id, open.id]);
    expect([...traces, 'GET', 'Mozilla'].filter((trace) => journal.includes(trace))).toEqual([]);
  } finally {
    await app.stop();
  }
});
