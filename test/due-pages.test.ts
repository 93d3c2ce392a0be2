import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { cleanUp } from '../src/manage/clean-up.ts';
import { PageFetcher } from '../src/manage/destinations/page-fetcher.ts';
import { hourLength } from '../src/rules/durations.ts';
import * as stored from '../src/storage/destinations/due-pages.ts';
import { storeKinds } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
import { eventually, pollUntil } from './support/eventually.ts';
import { html, site, stopSites, titleOverrides, titleSettings } from './support/title-sites.ts';

afterEach(stopSites);

describe.each(storeKinds)('the queue of pages on %s', (store) => {
  const app = appForSuite({
    store,
    env: titleSettings,
    overrides: { ...titleOverrides, pageInterval: hourLength },
  });
  let key: string;
  const create = async (destination_url: string) =>
    (await app.call('POST', '/api/v1/link', { key, body: { destination_url } })).json.id as number;
  const setDestination = (id: number, destination_url: string) =>
    app.call('PATCH', `/api/v1/link/${id}`, { key, body: { destination_url } });
  const due = async () =>
    (
      await app.app.context.database.read.selectFrom('due_pages').selectAll().orderBy('link_id').execute()
    ).map(({ host, link_id }) => [host, link_id] as const);

  beforeAll(async () => {
    key = (await app.createAccount()).key;
  });

  test('a link whose destination returns to a host while it is removed from its queue stays in the queue', async () => {
    const { database } = app.app.context;
    const id = await create('https://one.example/');
    await setDestination(id, 'https://other.example/');
    const { promise: locked, resolve: resolveLocked } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const removing = database.write(async (queries) => {
      const [row] = await stored.lockNewestDue(queries, 'one.example', 10);
      expect(row).toEqual({ id, destination_url: 'https://other.example/' });
      resolveLocked();
      await released;
      await stored.deleteDue(queries, 'one.example', [id]);
    });
    await locked;
    let isBack = false;
    const returning = setDestination(id, 'https://one.example/').then(() => {
      isBack = true;
    });
    if (store === 'postgres')
      await eventually(async () => isBack || (await isWaiting()), 'the change to wait');
    release();
    await Promise.all([removing, returning]);
    expect(await due()).toContainEqual(['one.example', id]);
  });

  /** Whether a transaction waits for a lock. */
  const isWaiting = async (): Promise<boolean> => {
    const { rows } = await sql`select 1 from pg_locks where not granted`.execute(
      app.app.context.database.read,
    );
    return rows.length > 0;
  };

  test('hosts take turns: one page of each is fetched before the second of any', async () => {
    const sites = Array.from({ length: 10 }, () => site((path) => html(`<title>${path}</title>`)));
    const links = sites.flatMap(({ url }) => ['/1', '/2'].map((path) => ({ destination_url: url + path })));
    await app.app.context.database.write((queries) => queries.deleteFrom('due_pages').execute());
    expect((await app.call('POST', '/api/v1/link/bulk', { key, body: { links } })).status).toBe(200);
    const fetcher = new PageFetcher(app.app.context, titleOverrides.webhooks.postOptions, (cause) => {
      throw cause;
    });
    await fetcher.run();
    await pollUntil(due, (rows) => rows.length === 12, 'eight pages');
    // All hosts may be fetched again, and two weren't fetched yet.
    app.clock.now += 2_000;
    await fetcher.run();
    const newest = async () => sites.filter(({ requestedPaths: asked }) => asked.includes('/2')).length;
    await pollUntil(newest, (count) => count === 10, 'a page of each host');
    await fetcher.stop();
    await app.app.context.database.write((queries) => queries.deleteFrom('due_pages').execute());
  });

  test('rows of deleted links are deleted, and those beyond the newest of a host', async () => {
    const { database } = app.app.context;
    const ids: number[] = [];
    for (let at = 0; at < 4; at++) ids.push(await create(`https://many.example/${at}`));
    await app.call('DELETE', `/api/v1/link/${ids[3]}`, { key });
    const others = (await due()).filter(([host]) => host !== 'many.example');
    await cleanUp(app.app.context);
    const ofMany = ids.map((id) => ['many.example', id]);
    expect(await due()).toEqual([...others, ...ofMany.slice(0, 3)] as never);
    expect(await stored.hostsWithMoreDue(database.read, 2)).toEqual(['many.example']);
    const excess = { host: 'many.example', max: 2, limit: 1_000 };
    expect(await database.write((queries) => stored.deleteExcessDue(queries, excess))).toBe(1);
    expect(await due()).toEqual([...others, ...ofMany.slice(1, 3)] as never);
  });
});
