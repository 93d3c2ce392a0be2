import { describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { destinationKey } from '../src/rules/destinations/destination-key.ts';
import { dialects } from '../src/storage/dialect.ts';
import { storeKinds, type TestResponse } from './support/app.ts';
import { nodesWithOwner } from './support/app-suite.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';

describe.each(storeKinds)('create or find a link on %s', (store) => {
  const { nodeA: app, nodeB: other, owner } = nodesWithOwner({}, {}, store);
  const call = (method: string, path: string, body?: object, node = app) =>
    node.call(method, `/api/v1${path}`, { key: owner.key, ...(body && { body }) });
  let destinations = 0;
  const newDestination = () => `https://example.com/find/${++destinations}?a=b#c`;
  const create = async (fields: object) => (await call('POST', '/link', fields)).json;
  const find = (body: object, node = app) => call('POST', '/link?if_exists=return', body, node);
  const statusAndId = ({ status, json }: TestResponse) => [status, json.id];
  const total = async () => (await call('GET', '/link?limit=1&archived=any')).json.total_links;

  test('returns the link with that destination, unchanged, and creates one if there is none', async () => {
    const destination_url = newDestination();
    const made = await find({ destination_url, name: 'the first', archived: true });
    expect([made.status, made.json.destination_url]).toEqual([201, destination_url]);
    const found = await find({ destination_url, name: 'another name' });
    expect([found.status, found.text]).toEqual([200, made.text]);
    expect(statusAndId(await find({ destination_url }, other))).toEqual([200, made.json.id]);
    expect((await call('GET', `/link/${made.json.id}/history`)).json.history).toHaveLength(1);
    // Without the parameter another link is made; the oldest one is found.
    expect((await create({ destination_url })).id).not.toBe(made.json.id);
    expect(statusAndId(await find({ destination_url }))).toEqual([200, made.json.id]);
    // Compared as stored, not as typed.
    const bare = await create({ destination_url: 'find.example.com/ä b' });
    expect(statusAndId(await find({ destination_url: 'https://find.example.com/ä b' }))).toEqual([
      200,
      bare.id,
    ]);
  });

  test('compares the current destinations of links', async () => {
    const [one, two] = [newDestination(), newDestination()];
    const link = await create({ destination_url: one });
    await call('PATCH', `/link/${link.id}`, { destination_url: two });
    expect(statusAndId(await find({ destination_url: two }))).toEqual([200, link.id]);
    expect((await find({ destination_url: one })).status).toBe(201);
    await call('DELETE', `/link/${link.id}`);
    const made = (await find({ destination_url: two })).json;
    expect(made.id).not.toBe(link.id);
    await call('POST', '/link/restore', { ids: [link.id] });
    expect(statusAndId(await find({ destination_url: two }))).toEqual([200, link.id]);
  });

  test("skips links that don't redirect there now, and those of other organizations", async () => {
    for (const fields of [
      { disabled: true },
      { expiration_date: '2020-01-01' },
      { start_date: '2999-01-01' },
      { rules: [{ when: { device: ['mobile'] }, destination_url: 'https://m.example.com' }] },
      { password: 'sesame' },
      { captcha: true },
      { android_link_destination: 'https://play.example.com' },
      { ios_link_destination: 'https://apps.example.com' },
    ]) {
      const destination_url = newDestination();
      await create({ destination_url, ...fields });
      expect([fields, (await find({ destination_url })).status]).toEqual([fields, 201]);
      expect((await find({ destination_url })).status).toBe(200);
      const another = newDestination();
      const links = [fields, {}, {}].map((some) => ({ destination_url: another, ...some }));
      const { results } = (await call('POST', '/link/bulk?if_exists=return', { links })).json;
      const statuses = results.map(({ status }: { status: number }) => status);
      expect([fields, statuses]).toEqual([fields, [201, 201, 200]]);
    }
    const destination_url = newDestination();
    const stranger = await app.createAccount();
    await app.call('POST', '/api/v1/link', { key: stranger.key, body: { destination_url } });
    expect((await find({ destination_url })).status).toBe(201);
  });

  test('finds only a link with the suffix, if one is sent', async () => {
    const destination_url = newDestination();
    const link = await create({ destination_url, suffix: `found-${store}` });
    expect(statusAndId(await find({ destination_url, suffix: link.suffix }))).toEqual([200, link.id]);
    const second = await find({ destination_url, suffix: `second-${store}` });
    expect([second.status, second.json.suffix]).toEqual([201, `second-${store}`]);
    const taken = await find({ destination_url: newDestination(), suffix: link.suffix });
    expect([taken.status, taken.json.error_code]).toEqual([409, 'SUFFIX_TAKEN']);
  });

  test('creates one for many simultaneous calls, on any node, one by one and in bulk', async () => {
    const destination_url = newDestination();
    const before = await total();
    const links = [{ destination_url }, { destination_url }];
    const [bulk, ...singles] = await Promise.all([
      call('POST', '/link/bulk?if_exists=return', { links }, other),
      ...Array.from({ length: 12 }, (_, index) => find({ destination_url }, index % 2 ? app : other)),
    ]);
    const responses = [
      ...singles,
      ...bulk.json.results.map(({ status, link }: never) => ({ status, json: link })),
    ];
    expect(new Set(responses.map(({ json }) => json.id)).size).toBe(1);
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect((await total()) - before).toBe(1);
  });

  test('has a result for each link in bulk, in order', async () => {
    const [one, two] = [newDestination(), newDestination()];
    const existing = await create({ destination_url: one });
    const suffix = `bulk-${store}`;
    const links = [
      { destination_url: one },
      { destination_url: two, suffix },
      { destination_url: 'nowhere' },
      { destination_url: two },
      { destination_url: two, suffix: `${suffix}-2` },
    ];
    const { json } = await call('POST', '/link/bulk?if_exists=return', { links });
    const results = json.results.map((result: { status: number; link?: { suffix: string } }) => [
      result.status,
      result.link?.suffix,
    ]);
    expect(results).toEqual([
      [200, existing.suffix],
      [201, suffix],
      [400, undefined],
      [200, suffix],
      [201, `${suffix}-2`],
    ]);
    expect(json.results[3].link).toEqual(json.results[1].link);
    for (const path of ['/link', '/link/bulk']) {
      const wrong = await call('POST', `${path}?if_exists=perhaps`, links[0]);
      expect([wrong.status, wrong.json.field_key]).toEqual([400, 'if_exists']);
    }
  });

  test('a bulk call takes no longer if very many links lead to its destination', async () => {
    const destination_url = newDestination();
    const { id } = await create({ destination_url, disabled: true });
    await app.app.context.database.write(async (queries) => {
      const stored = queries.selectFrom('links').selectAll().where('id', '=', id);
      const { id: _, ...row } = await stored.executeTakeFirstOrThrow();
      const columns = Object.keys(row).map((name) => sql.ref(name));
      const values = Object.keys(row).map((name) =>
        name === 'suffix' ? sql`suffix || '-' || cast(turns.turn as text)` : sql.ref(name),
      );
      await sql`insert into links (${sql.join(columns)})
        with recursive turns (turn) as (select 1 union all select turn + 1 from turns where turn < 20000)
        select ${sql.join(values)} from links cross join turns where links.id = ${id}`.execute(queries);
    });
    const links = Array.from({ length: 1_000 }, (_, index) => ({
      destination_url,
      ...(index > 500 && { suffix: `find-many-${store}-${index}` }),
    }));
    const began = performance.now();
    const { json } = await call('POST', '/link/bulk?if_exists=return', { links });
    expect(performance.now() - began).toBeLessThan(scaledToLoad(4_000));
    const statuses = json.results.map(({ status }: { status: number }) => status);
    expect(statuses).toEqual(links.map(({ suffix }, index) => (index > 0 && !suffix ? 200 : 201)));
  }, 60_000);

  test('refuses no link in bulk because of an error in the previous one', async () => {
    const [one, two] = [newDestination(), newDestination()];
    const suffix = `bulk-taken-${store}`;
    await create({ destination_url: newDestination(), suffix });
    const links = [
      { destination_url: one, suffix },
      { destination_url: one, suffix },
      { destination_url: one },
      { destination_url: one },
      { destination_url: two, tags: [999_999] },
      { destination_url: two },
    ];
    const { results } = (await call('POST', '/link/bulk?if_exists=return', { links })).json;
    expect(results.map(({ status }: { status: number }) => status)).toEqual([409, 409, 201, 200, 400, 201]);
    expect(results[3].link).toEqual(results[2].link);
    expect([results[2], results[5]].map(({ link }) => link.destination_url)).toEqual([one, two]);
  });

  test('returns the same under one Idempotency-Key, whether found or created', async () => {
    const destination_url = newDestination();
    const findWithKey = (key: string) =>
      app.call('POST', '/api/v1/link?if_exists=return', {
        ...{ key: owner.key, body: { destination_url } },
        headers: { 'idempotency-key': key },
      });
    expect([(await findWithKey('made')).status, (await findWithKey('found')).status]).toEqual([201, 200]);
    expect([(await findWithKey('made')).status, (await findWithKey('found')).status]).toEqual([201, 200]);
  });

  test('finds by an index, including links from before the index', async () => {
    const { database } = app.app.context;
    const odd = ['https://example.com/%C3%A4?q={x}', `https://example.com/${'x'.repeat(8_000)}`];
    const ids = await Promise.all(odd.map(async (destination_url) => (await create({ destination_url })).id));
    const { destinationKey: expression } = dialects[store];
    await database.migrate(async (queries) => {
      await sql`update links set destination_key = null`.execute(queries);
      await sql`update links set destination_key = ${sql.raw(expression)}`.execute(queries);
    });
    const rows = await database.read
      .selectFrom('links')
      .select(['destination_url', 'destination_key'])
      .execute();
    for (const row of rows) expect(row.destination_key).toBe(destinationKey(row.destination_url));
    for (const [index, destination_url] of odd.entries())
      expect(statusAndId(await find({ destination_url }))).toEqual([200, ids[index]]);
    const plan = await database.write(async (queries) => {
      // PostgreSQL scans a small table sequentially unless that is disabled.
      if (store === 'postgres') await sql`set local enable_seqscan = off`.execute(queries);
      const explain = sql.raw(store === 'sqlite' ? 'explain query plan' : 'explain');
      return await sql`${explain} select id from links where organization_id = 1 and destination_key = 2
        and destination_url = 'x' order by id limit 1`.execute(queries);
    });
    expect(JSON.stringify(plan.rows)).toContain('links_destination');
  });
});
