import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../src/app.ts';
import type { Overrides } from '../src/compose/overrides.ts';
import { journalsIn } from '../src/journal/files.ts';
import { dayLength, hourLength } from '../src/rules/durations.ts';
import { dayOf } from '../src/rules/utc-time.ts';
import { browserUserAgent, configFor, storeKinds } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres, storeFolder } from './support/migrated-store.ts';
import { plainHit } from './support/plain-hit.ts';

const today = (hour: number, minute = 0) => Date.UTC(2026, 5, 2, hour, minute);
const yesterday = (hour: number, minute = 0) => Date.UTC(2026, 5, 1, hour, minute);
const saltsIn = (dataDir: string) => readdirSync(join(dataDir, 'visitor-salts')).sort();

const hitOf = (address: string, at: number) =>
  ({
    ...plainHit,
    linkId: 7,
    at,
    address,
    userAgent: browserUserAgent,
  }) as const;

describe.each(storeKinds)('the salt of a day on %s', (store) => {
  const app = appForSuite({ store, startsAt: yesterday(0) });

  test('is kept for an hour after the day, for clicks around midnight, and no longer', async () => {
    const visitAt = async (at: number) => {
      app.clock.now = at;
      await app.app.clicks.append(hitOf('198.51.100.7', at));
      app.app.clicks.cleanUp();
      await app.app.clicks.settled();
    };
    await visitAt(yesterday(23, 59));
    await visitAt(today(0, 1));
    await visitAt(today(0, 58));
    // The fold of this visit runs after the previous cleanup.
    await visitAt(today(0, 59));
    expect(saltsIn(app.dataDir)).toEqual([yesterday(0), today(0)].map((at) => String(dayOf(at))));
    await visitAt(today(1, 1));
    const remainingSalts = () => saltsIn(app.dataDir).join();
    await eventually(
      () => remainingSalts() === String(dayOf(today(0))),
      'the salt of yesterday to be destroyed',
    );
  });

  test('is drawn again if the clock was days ahead in between', async () => {
    let visits = 0;
    const visitAt = async (at: number) => {
      app.clock.now = at;
      app.app.clicks.cleanUp();
      await app.app.clicks.append(hitOf(`198.51.100.${++visits}`, at));
      await app.app.clicks.settled();
    };
    const visitorsAt = async (at: number) => {
      const hour = app.app.context.database.read
        .selectFrom('link_hours')
        .select('visitors')
        .where('hour', '=', Math.floor(at / hourLength));
      return (await hour.executeTakeFirstOrThrow()).visitors;
    };
    for (const at of [today(10), today(10) + 3 * dayLength]) {
      await visitAt(at);
      expect(await visitorsAt(at)).toBe(1);
    }
    // A click may be folded before the cleanup.
    await eventually(async () => {
      await visitAt(today(11));
      return (await visitorsAt(today(11))) > 0;
    }, 'a visitor');
  });

  test('still identifies visitors whose clicks are only folded by a start on the next day, and is then destroyed', async () => {
    await using folder = await storeFolder();
    const DATABASE_URL = store === 'postgres' ? await migratedPostgres() : '';
    const config = configFor(folder.path, DATABASE_URL);
    const startAt = (now: number, overrides: Overrides = {}) =>
      createApp(config, { ...overrides, now: () => now });

    const first = await startAt(yesterday(22));
    await first.clicks.append(hitOf('198.51.100.1', yesterday(22)));
    await first.clicks.settled();
    await first.stop();
    const unfolded = await startAt(yesterday(23, 59), { hits: 'unfolded' });
    for (const address of ['198.51.100.1', '198.51.100.2'])
      await unfolded.clicks.append(hitOf(address, yesterday(23, 59)));
    await unfolded.stop();
    expect(saltsIn(folder.path)).toEqual([String(dayOf(yesterday(0)))]);

    const next = await startAt(today(8));
    await eventually(() => journalsIn(folder.path).length === 0, 'the journal to be folded');
    await eventually(() => saltsIn(folder.path).length === 0, 'the salt of yesterday to be destroyed');
    const { read } = next.context.database;
    const hours = await read.selectFrom('link_hours').select(['click', 'visitors']).execute();
    expect(hours.reduce((sum, { click }) => sum + Number(click), 0)).toBe(3);
    expect(hours.reduce((sum, { visitors }) => sum + Number(visitors), 0)).toBe(2);
    await next.stop();
  });
});
