import { describe, expect, test } from 'bun:test';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { wordsInUse } from '../src/ledger/retention/words-in-use.ts';
import { dayLength } from '../src/rules/durations.ts';
import { hasClickhouse, queryClickhouse } from './support/clickhouse.ts';
import { at, clickhouseSuite, december } from './support/clickhouse-suite.ts';

/** This file runs only where ClickHouse is installed. */
const isInstalled = await hasClickhouse();
const { suite, fold, hitsOf, counted } = clickhouseSuite(isInstalled);

describe.skipIf(!isInstalled)('hits in ClickHouse', () => {
  test('are dropped by month', async () => {
    await fold(null, at(1), [1, 2, 3, 4]);
    await suite.store.deleteHitsBefore(december - 1);
    expect((await counted())[0]).toEqual([1, 2, 3, 4]);
    await suite.store.deleteHitsBefore(december);
    expect(await counted()).toEqual([[3, 4], 4]);
  });

  test('are deleted with their organization', async () => {
    await fold(null, at(1), [1, 2, 3, 4], { link: 501 });
    await fold(at(1), at(2), [1, 2, 3, 4], { link: 502 });
    await suite.hits.deleteOrganization(2);
    expect([await hitsOf(501), (await hitsOf(502)).length]).toEqual([[], 4]);
  });

  test('keep their words', async () => {
    await fold(null, at(1), [71, 72]);
    const used = await wordsInUse(suite.database, async () => true);
    expect([71, 72, 73].map((word) => used?.has(word))).toEqual([true, true, false]);
  });

  test('that are deleted leave only the newest id in the list of batches', async () => {
    await fold(null, at(1), [1]);
    await fold(at(1), at(2), [2]);
    const newest = await openLedger(suite.database).newestId();
    const list = 'select count() as batches from hit_batches format TabSeparated';
    const batches = async () =>
      Number(/\d+/.exec((await queryClickhouse(suite.clickhouse, list)).split(':').at(-1) ?? ''));
    await suite.store.deleteHitsBefore(december + 30 * dayLength);
    expect(await batches()).toBeGreaterThan(1);
    await suite.store.deleteHitsBefore(december + 32 * dayLength);
    expect(await batches()).toBe(1);
    expect(await openLedger(suite.database).newestId()).toBe(newest);
  });

  test('belong to one store', async () => {
    await expect(suite.hits.prepare('another')).rejects.toThrow('another store');
  });
});
