import { describe, expect, test } from 'bun:test';
import { countEntry } from '../src/ledger/counts/hour-counts.ts';
import { StoreChanged } from '../src/ledger/fold-store.ts';
import { sweepWords } from '../src/ledger/retention/sweep-words.ts';
import { dimensionCodes } from '../src/rules/click-fields.ts';
import { dayLength } from '../src/rules/durations.ts';
import { beginWordSweep, deleteWords, requestWordSweep } from '../src/storage/word-sweeps.ts';
import { storeKinds } from './support/app.ts';
import { type NewHit, zeroColumns } from './support/batch-folder.ts';
import { type TestLedger, testLedger } from './support/ledger-of.ts';

const begin = Date.UTC(2026, 10, 19, 9);
const links = new Map([[1, [11, 12]]]);

const plain: NewHit = { ...zeroColumns, link_id: 11, organization_id: 1, at: begin, target: 1 };
const hits = (count: number, fields: Partial<NewHit>): NewHit[] => Array(count).fill({ ...plain, ...fields });

const idsOf = async ({ store }: TestLedger, ...words: string[]): Promise<number[]> => {
  const ids = await store.wordIds(words);
  return words.map((word) => ids.get(word) ?? 0);
};
const wordsIn = async ({ database }: TestLedger): Promise<string[]> => {
  const rows = await database.read.selectFrom('words').select('word').orderBy('word').execute();
  return rows.map(({ word }) => word);
};
async function sweep({ database }: TestLedger, now = () => begin): Promise<void> {
  await database.write(requestWordSweep);
  await sweepWords({ database, now });
}

describe.each(storeKinds)('sweeps of words on %s', (kind) => {
  test('delete only words that no row, pack, chunk or roll-up refers to', async () => {
    await using ledger = await testLedger(kind, links);
    const [merged = 0, packed = 0, row = 0, last = 0, hour = 0, rollup = 0, code = 0] = await idsOf(
      ledger,
      ...[
        'in a chunk',
        'in a pack',
        'in a row',
        'in the last column',
        'in an hour',
        'in a roll-up',
        'a code',
      ],
    );
    await ledger.append(hits(200, { utm_term: merged }), 'packs');
    await ledger.merge(begin);
    await ledger.merge(begin + dayLength);
    await ledger.append(hits(100, { country: packed }), 'packs');
    await ledger.append([{ ...plain, referrer: row, alias: last }], 'rows');
    await ledger.database.write(async (queries) => {
      const counts = countEntry(dimensionCodes.city, hour, 2) + countEntry(dimensionCodes.device, code, 1);
      const noOthers = { page: 0, preview: 0, bot: 0, prefetch: 0, head: 0, repeat: 0, flood: 0 };
      await queries
        .insertInto('link_hours')
        .values({ link_id: 12, hour: 1, click: 2, ...noOthers, visitors: 0, loose: 0, counts })
        .execute();
      const key = { organization_id: 1, hour: 1, class: 0, hits: 1 };
      await queries
        .insertInto('organization_rollups')
        .values([
          { ...key, dimension: dimensionCodes.address, value: rollup },
          { ...key, dimension: dimensionCodes.destination, value: code },
        ])
        .execute();
    });
    // More words than are deleted in one batch.
    await ledger.store.wordIds(Array.from({ length: 1_200 }, (_, index) => `gone ${index}`));
    await sweep(ledger);
    expect(await wordsIn(ledger)).toEqual(
      ['in a chunk', 'in a pack', 'in a row', 'in the last column', 'in an hour', 'in a roll-up'].sort(),
    );
  });

  test('a fold may use words that it fetched before, during and after a sweep', async () => {
    await using ledger = await testLedger(kind, links);
    const { database, store } = ledger;
    const [before = 0, unused = 0] = await idsOf(ledger, 'before', 'unused');
    const number = await database.write(async (queries) => {
      await requestWordSweep(queries);
      return beginWordSweep(queries, begin, begin + 1);
    });
    expect(number).toBe(1);
    const [during = 0] = await idsOf(ledger, 'during');
    await ledger.append([{ ...plain, utm_term: before }], 'rows', 0);
    await ledger.append([{ ...plain, utm_term: during }], 'rows', 1);
    // Deletes words as a sweep does that has seen none of these hits.
    await database.write((queries) => deleteWords(queries, 1, [before, unused, during]));
    expect(await wordsIn(ledger)).toEqual(['before', 'during']);

    const lateAppend = ledger.append([{ ...plain, utm_term: unused }], 'rows', 0);
    expect(await lateAppend.catch((cause) => cause)).toBeInstanceOf(StoreChanged);
    const [again = 0] = await idsOf(ledger, 'unused');
    expect(again).toBeGreaterThan(unused);
    await ledger.append([{ ...plain, utm_term: again }], 'rows');
    await sweep(ledger, () => begin + 1);
    expect(await wordsIn(ledger)).toEqual(['before', 'during', 'unused']);
    expect(await store.newestSweep()).toBe(2);
  });

  test('a word that is stored uses up no further ids, also when it is fetched again after a sweep', async () => {
    await using ledger = await testLedger(kind, links);
    const [one = 0, other = 0] = await idsOf(ledger, 'one', 'other');
    await ledger.append([{ ...plain, utm_term: one, referrer: other }], 'rows');
    for (const at of [begin, begin + 1]) {
      expect(await idsOf(ledger, 'one', 'other')).toEqual([one, other]);
      await sweep(ledger, () => at);
      expect(await idsOf(ledger, 'one', 'other')).toEqual([one, other]);
    }
    expect(await idsOf(ledger, 'other', 'third')).toEqual([other, Math.max(one, other) + 1]);
    const { sweep: kept } = await ledger.database.read
      .selectFrom('words')
      .select('sweep')
      .where('word', '=', 'one')
      .executeTakeFirstOrThrow();
    expect(kept).toBe(2);
  });

  test('an interrupted sweep continues, one without a request runs once a day, and two nodes run one', async () => {
    await using ledger = await testLedger(kind, links);
    const { database } = ledger;
    let now = begin;
    const context = { database, now: () => now };
    await sweep(ledger);
    await idsOf(ledger, 'gone');
    await sweepWords(context);
    expect(await wordsIn(ledger)).toEqual(['gone']);
    now += dayLength;
    await sweepWords(context, () => true);
    expect(await wordsIn(ledger)).toEqual(['gone']);
    await Promise.all([sweepWords(context), sweepWords(context)]);
    expect(await wordsIn(ledger)).toEqual([]);
    expect(await ledger.store.newestSweep()).toBe(3);
  });
});
