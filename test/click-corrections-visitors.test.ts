import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { minuteLength } from '../src/rules/durations.ts';
import { requireMigration } from '../src/storage/min-migration.ts';
import { newestMigration } from '../src/storage/newest-migration.ts';
import { minMigrationKey } from '../src/storage/setting-keys.ts';
import { firefox } from './support/agents-of-people.ts';
import type { TestLink } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
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
  const app = appForSuite({ store, startsAt, overrides: { correctionInterval: 20 } });

  beforeAll(async () => {
    const { database } = app.app.context;
    if (form === 'runs') await requireMigration(database, newestMigration);
    else
      await database.write((queries) =>
        queries.deleteFrom('settings').where('key', '=', minMigrationKey).execute(),
      );
  });
  afterEach(async () => {
    if (store === 'sqlite') return;
    const unused = sql.table(form === 'runs' ? 'daily_visitors' : 'visitor_runs');
    const found = await sql`select from ${unused}`.execute(app.app.context.database.read);
    expect(found.rows).toEqual([]);
  });

  /** With an organization of its own. All tests are within one day. */
  async function newOwner() {
    const owner = await app.createAccount();
    const totals = async (path: string) => {
      const { json } = await app.call('GET', `/api/v1/${path}?from=2026-11-20&to=2026-11-21`, {
        key: owner.key,
      });
      return { clicks: json.totals.clicks, visitors: json.totals.visitors };
    };
    return {
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
    };
  }

  test('the organization has those who still have clicks on other links, and counts the others again', async () => {
    const owner = await newOwner();
    const [erased, other] = [await owner.newLink(), await owner.newLink()];
    for (const visitor of ['both', 'only here', 'only here, too']) await owner.visit(erased, visitor);
    app.clock.now += 60 * minuteLength;
    for (let click = 0; click < 4; click++) {
      app.clock.now += minuteLength;
      await owner.visit(other, 'only there');
    }
    await owner.visit(other, 'both');
    expect(await owner.ofOrganization()).toEqual({ clicks: 8, visitors: 4 });
    app.clock.now += minuteLength;
    await owner.erase(erased);
    expect(await owner.ofLink(erased)).toEqual({ clicks: 0, visitors: 0 });
    expect(await owner.ofOrganization()).toEqual({ clicks: 5, visitors: 2 });
    app.clock.now += minuteLength;
    for (const visitor of ['both', 'only here']) await owner.visit(erased, visitor);
    expect(await owner.ofLink(erased)).toEqual({ clicks: 2, visitors: 2 });
    expect(await owner.ofOrganization()).toEqual({ clicks: 7, visitors: 3 });
  });

  test('visitors whose clicks became hits of bots are not counted again by an erasure', async () => {
    const owner = await newOwner();
    const [erased, reclassified] = [await owner.newLink(), await owner.newLink()];
    await owner.visit(erased, 'erased');
    for (const visitor of ['bot', 'another']) await owner.visit(reclassified, visitor);
    await owner.reclassify(reclassified);
    expect(await owner.ofOrganization()).toEqual({ clicks: 1, visitors: 1 });
    app.clock.now += minuteLength;
    await owner.erase(erased);
    expect(await owner.ofOrganization()).toEqual({ clicks: 0, visitors: 0 });
  });

  test('random visits and erasures leave as many as have clicks', async () => {
    const owner = await newOwner();
    const random = seededRandom(20261129);
    const links = await Promise.all(Array.from({ length: 3 }, () => owner.newLink()));
    const visitors = new Map(links.map((link) => [link, new Set<string>()]));
    for (let step = 0; step < 40; step++) {
      app.clock.now += (1 + random(20)) * minuteLength;
      const link = links[random(links.length)] ?? links[0];
      if (link === undefined) throw new Error('no link');
      if (random(5) === 0) {
        await owner.erase(link);
        visitors.get(link)?.clear();
        const counted = await Promise.all(links.map((one) => owner.ofLink(one)));
        expect(counted.map((one) => one.visitors)).toEqual(links.map((one) => visitors.get(one)?.size ?? 0));
        const all = new Set([...visitors.values()].flatMap((some) => [...some]));
        expect([step, (await owner.ofOrganization()).visitors]).toEqual([step, all.size]);
      } else {
        const visitor = `${random(8)}`;
        await owner.visit(link, visitor);
        visitors.get(link)?.add(visitor);
      }
    }
  });
});
