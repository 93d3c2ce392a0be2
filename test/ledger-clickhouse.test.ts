import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Ledger } from '../src/ledger/ledger.ts';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { minuteLength } from '../src/rules/durations.ts';
import { hasClickhouse } from './support/clickhouse.ts';
import { type TestLedger, testLedger } from './support/ledger-of.ts';
import { ReferenceLedger, randomHits, randomLinks } from './support/reference-ledger.ts';
import { seededRandom } from './support/seeded-random.ts';

/** Late on the last day of a month, so that hits are in two months. */
const begin = Date.UTC(2026, 10, 30, 22, 50);
const random = seededRandom(20261124);
describe.skipIf(!(await hasClickhouse()))('the ledger in ClickHouse', () => {
  let store: TestLedger;
  let ledger: Ledger;
  let reference: ReferenceLedger;
  beforeAll(async () => {
    store = await testLedger('clickhouse', randomLinks);
    ledger = openLedger(store.database);
    reference = new ReferenceLedger(random, begin);
    for (const [index, count] of [4_100, 2_000, 700, 4_100].entries())
      await store.append(
        randomHits(random, count, begin + index * 25 * minuteLength),
        index % 3 === 0 ? 'packs' : 'rows',
      );
    await reference.read(ledger);
  }, 60_000);
  afterAll(() => store[Symbol.asyncDispose]());

  test('gives the same results as counting every hit', async () => {
    expect(reference.hits.length).toBe(10_900);
    expect(await ledger.newestId()).toBe(reference.hits.at(-1)?.id ?? 0);
    await reference.expectSameAnswers(ledger, 30);
  }, 120_000);

  test('leaves no hits in the database', async () => {
    for (const table of ['hits', 'hit_packs', 'hit_chunks'] as const)
      expect(await store.database.read.selectFrom(table).select('id').execute()).toEqual([]);
  });
});
