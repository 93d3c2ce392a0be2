import { describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { hourLength } from '../src/rules/durations.ts';
import { dialects } from '../src/storage/dialect.ts';
import { rulesOfCounting } from '../src/storage/migrations/032-rules-of-counting.ts';
import type { Queries } from '../src/storage/schema.ts';
import { startApp, storeKinds } from './support/app.ts';
import { seedHits } from './support/hits.ts';

const key = 'counting_rules_changed_at';
const noon = (day: number) => `2026-03-${day}T12:00:00Z`;

describe.each(storeKinds)('counting rules on %s', (store) => {
  test('change if a store already has clicks, and not in a new one', async () => {
    const app = await startApp({ store });
    try {
      const { database } = app.app.context;
      const run = async (queries: Queries) => {
        for (const statement of rulesOfCounting(dialects[database.kind]))
          await sql.raw(statement).execute(queries);
      };
      const changedAt = () =>
        database.read.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst();
      await database.write(run);
      expect(await changedAt()).toBeUndefined();
      const start = Date.now();
      await seedHits(database, [{ link: 1, organization: 1, at: noon(10) }]);
      await database.write(run);
      const first = Number((await changedAt())?.value);
      expect(Math.abs(first - start)).toBeLessThan(hourLength);
      await database.write(run);
      expect(Number((await changedAt())?.value)).toBe(first);
    } finally {
      await app.stop();
    }
  });

  test('are reported with the time of their change, and earlier numbers keep the earlier rule', async () => {
    const app = await startApp({ store, startsAt: Date.parse(noon(20)) });
    try {
      const { database } = app.app.context;
      const owner = await app.createAccount();
      const link = (
        await app.call('POST', '/api/v1/link', {
          key: owner.key,
          body: { destination_url: 'https://example.com/' },
        })
      ).json.id as number;
      const common = { link, organization: owner.organizationId };
      await seedHits(database, [
        { ...common, at: '2026-03-09T22:00:00Z', visitor: 1 },
        { ...common, at: '2026-03-10T22:00:00Z', visitor: 2 },
        { ...common, at: '2026-03-11T22:00:00Z', visitor: 3 },
      ]);
      await database.write((queries) =>
        queries
          .insertInto('settings')
          .values({ key, value: String(Date.parse(noon(10))) })
          .execute(),
      );
      const stats = async (query: string) =>
        (await app.call('GET', `/api/v1/link/${link}/stats?${query}`, { key: owner.key })).json;
      const days = await stats('from=2026-03-08&to=2026-03-13&timezone=Europe/Berlin');
      expect(days.rule_changes).toEqual([
        { at: '2026-03-10T12:00:00.000Z', rule: 'repeats', sentence: expect.any(String) },
        { at: '2026-03-11T00:00:00.000Z', rule: 'visitors', sentence: expect.any(String) },
      ]);
      const visitorsOf = ({ series }: { series: readonly { visitors: number | null }[] }) =>
        series.map(({ visitors }) => visitors);
      // At 22:00 UTC it is 23:00 in Berlin: the same day either way.
      expect(visitorsOf(days)).toEqual([0, 1, 1, 1, 0, 0]);
      // In Auckland it is the next day: before the change, a UTC day counts as the local day of its noon, which is past midnight there.
      expect(visitorsOf(await stats('from=2026-03-08&to=2026-03-13&timezone=Pacific/Auckland'))).toEqual([
        0, 0, 1, 1, 1, 0,
      ]);
      const hours = await stats('from=2026-03-10&to=2026-03-11&interval=hour');
      expect(visitorsOf(hours).slice(0, 24)).toEqual(Array(24).fill(null));
      expect(visitorsOf(hours).slice(24)).toEqual(
        Array.from({ length: 24 }, (_, hour) => Number(hour === 22)),
      );
      expect(hours.totals.visitors).toBe(2);
      expect((await stats('from=2026-03-11&to=2026-03-13')).rule_changes).toEqual([]);
      expect((await stats('from=2026-03-11&to=2026-03-11')).visitors_are).toBe('unique');
      expect((await stats('from=2026-03-11&to=2026-03-12')).visitors_are).toBe('daily');
      expect((await stats('from=2026-03-11T01:00:00Z&to=2026-03-11T05:00:00Z')).visitors_are).toBe('daily');
    } finally {
      await app.stop();
    }
  });
});
