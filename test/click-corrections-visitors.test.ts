import { describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { minuteLength } from '../src/rules/durations.ts';
import { requireMigration } from '../src/storage/min-migration.ts';
import { newestMigration } from '../src/storage/newest-migration.ts';
import { minMigrationKey } from '../src/storage/setting-keys.ts';
import { firefox } from './support/agents-of-people.ts';
import { startApp, type TestLink } from './support/app.ts';
import { finishedCorrection } from './support/finished-correction.ts';
import { seededRandom } from './support/seeded-random.ts';

/** How the visitors of a day are stored. On PostgreSQL versions without runs may still be in use when the day begins. */
const stores = [
  ['sqlite', 'rows'],
  ['postgres', 'runs'],
  ['postgres', 'rows'],
] as const;

const startsAt = Date.parse('2026-11-20T01:30:00Z');

describe.each(stores)('visitors of a day after erasures on %s, in %s', (store, form) => {
  async function suite() {
    const app = await startApp({ store, startsAt, overrides: { correctionInterval: 20 } });
    const { database } = app.app.context;
    if (form === 'runs') await requireMigration(database, newestMigration);
    else
      await database.write((queries) =>
        queries.deleteFrom('settings').where('key', '=', minMigrationKey).execute(),
      );
    const owner = await app.createAccount();
    const totals = async (path: string) => {
      const { json } = await app.call('GET', `/api/v1/${path}?from=2026-11-20&to=2026-11-21`, {
        key: owner.key,
      });
      return { clicks: json.totals.clicks, visitors: json.totals.visitors };
    };
    return {
      app,
      newLink: () => app.createLink(owner),
      visit: async (link: TestLink, visitor: string) => {
        await app.visit(link.path, { 'user-agent': `${firefox} ${visitor}` });
        await app.app.clicks.settled();
      },
      erase: async (link: TestLink) => {
        const response = await app.call('DELETE', `/api/v1/link/${link.id}/clicks`, { key: owner.key });
        await finishedCorrection(app, owner.key, response);
      },
      reclassify: async (link: TestLink) => {
        const body = { class: 'human', to_class: 'bot' };
        const path = `/api/v1/link/${link.id}/clicks/reclassify`;
        await finishedCorrection(app, owner.key, await app.call('PATCH', path, { key: owner.key, body }));
      },
      ofLink: (link: TestLink) => totals(`link/${link.id}/stats`),
      ofOrganization: () => totals('stats'),
      [Symbol.asyncDispose]: async () => {
        if (store === 'postgres') {
          const found =
            await sql`select from ${sql.table(form === 'runs' ? 'daily_visitors' : 'visitor_runs')}`.execute(
              database.read,
            );
          expect(found.rows).toEqual([]);
        }
        await app.stop();
      },
    };
  }

  test('the organization has those who still have clicks on other links, and counts the others again', async () => {
    await using store = await suite();
    const [erased, other] = [await store.newLink(), await store.newLink()];
    const { app } = store;
    for (const visitor of ['both', 'only here', 'only here, too']) await store.visit(erased, visitor);
    app.clock.now += 60 * minuteLength;
    for (let click = 0; click < 4; click++) {
      app.clock.now += minuteLength;
      await store.visit(other, 'only there');
    }
    await store.visit(other, 'both');
    expect(await store.ofOrganization()).toEqual({ clicks: 8, visitors: 4 });
    app.clock.now += minuteLength;
    await store.erase(erased);
    expect(await store.ofLink(erased)).toEqual({ clicks: 0, visitors: 0 });
    expect(await store.ofOrganization()).toEqual({ clicks: 5, visitors: 2 });
    app.clock.now += minuteLength;
    for (const visitor of ['both', 'only here']) await store.visit(erased, visitor);
    expect(await store.ofLink(erased)).toEqual({ clicks: 2, visitors: 2 });
    expect(await store.ofOrganization()).toEqual({ clicks: 7, visitors: 3 });
  });

  test('visitors whose clicks became hits of bots are not counted again by an erasure', async () => {
    await using store = await suite();
    const [erased, reclassified] = [await store.newLink(), await store.newLink()];
    await store.visit(erased, 'erased');
    for (const visitor of ['bot', 'another']) await store.visit(reclassified, visitor);
    await store.reclassify(reclassified);
    expect(await store.ofOrganization()).toEqual({ clicks: 1, visitors: 1 });
    store.app.clock.now += minuteLength;
    await store.erase(erased);
    expect(await store.ofOrganization()).toEqual({ clicks: 0, visitors: 0 });
  });

  test('random visits and erasures leave as many as have clicks', async () => {
    await using store = await suite();
    const random = seededRandom(20261129);
    const links = await Promise.all(Array.from({ length: 3 }, () => store.newLink()));
    const visitors = new Map(links.map((link) => [link, new Set<string>()]));
    for (let step = 0; step < 60; step++) {
      store.app.clock.now += (1 + random(20)) * minuteLength;
      const link = links[random(links.length)] ?? links[0];
      if (link === undefined) throw new Error('no link');
      if (random(5) === 0) {
        await store.erase(link);
        visitors.get(link)?.clear();
        const counted = await Promise.all(links.map((one) => store.ofLink(one)));
        expect(counted.map((one) => one.visitors)).toEqual(links.map((one) => visitors.get(one)?.size ?? 0));
        const all = new Set([...visitors.values()].flatMap((some) => [...some]));
        expect([step, (await store.ofOrganization()).visitors]).toEqual([step, all.size]);
      } else {
        const visitor = `${random(8)}`;
        await store.visit(link, visitor);
        visitors.get(link)?.add(visitor);
      }
    }
  });
});
