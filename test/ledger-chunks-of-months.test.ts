import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { HitFilter, Ledger, Owner } from '../src/ledger/ledger.ts';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { minuteLength } from '../src/rules/durations.ts';
import { type TestLedger, testLedger } from './support/ledger-of.ts';
import { ReferenceLedger, randomHits, randomLinks } from './support/reference-ledger.ts';
import { seededRandom } from './support/seeded-random.ts';

const december = Date.UTC(2026, 11);
const begin = december - 15 * minuteLength;
const owner: Owner = { kind: 'organization', id: 1 };

/** On PostgreSQL, hits of two months that are merged together become one chunk for each month: their ids overlap. */
describe.each(['sqlite', 'postgres'] as const)('chunks of hits around the end of a month on %s', (kind) => {
  const random = seededRandom(20261129);
  const reference = new ReferenceLedger(random, begin);
  let store: TestLedger;
  let ledger: Ledger;

  beforeAll(async () => {
    store = await testLedger(kind, randomLinks, 1_000);
    // Many hits have the same instant.
    const hits = randomHits(random, 4_500, begin).map((hit) => ({ ...hit, at: hit.at - (hit.at % 20_000) }));
    await store.append(hits, 'rows');
    await store.merge(begin);
    ledger = openLedger(store.database);
    await reference.read(ledger);
  });
  afterAll(() => store[Symbol.asyncDispose]());

  test('have overlapping ids only where a month is a partition', async () => {
    const chunks = await store.database.read
      .selectFrom('hit_chunks')
      .select(['last_id', 'hits'])
      .where('organization_id', '=', owner.id)
      .execute();
    const merges = new Set(chunks.map(({ last_id }) => last_id)).size;
    expect([merges, chunks.length]).toEqual([3, kind === 'postgres' ? 6 : 3]);
    expect(chunks.reduce((sum, { hits }) => sum + hits, 0)).toBe(3_000);
  });

  test('are listed in the order of the ids, in both directions, from any position', async () => {
    const filters: HitFilter[] = [{ owner }, { owner, values: [['browser', 1]] }, { owner, classes: [2, 3] }];
    for (const filter of filters) {
      const hits = reference.filtered(filter);
      for (let turn = 0; turn < 6; turn++) {
        const [position, offset, limit] = [random(hits.length), random(100), 1 + random(300)];
        const { id: before = 0 } = hits[position] ?? {};
        const page = await ledger.before(filter, { before, offset, limit });
        const older = hits.slice(0, position).toReversed();
        expect(page.hits).toEqual(older.slice(offset, offset + limit));
        const upTo = hits[Math.min(position + random(500), hits.length - 1)]?.id ?? 0;
        const newer = hits.slice(position + 1).filter(({ id }) => id <= upTo);
        expect(await ledger.after(filter, { after: before, upTo, limit })).toEqual(newer.slice(0, limit));
      }
    }
  });

  test('include hits at the beginning of a range, and none at its end', async () => {
    // The newest instant of some chunks; it has several hits.
    const newest = (Math.max(...reference.hits.map(({ at }) => at)) - begin) / minuteLength;
    for (const minutes of [[0, 7], [7, 8], [15, 16], [14, 15], [12], [0, newest], []]) {
      const [from, to] = minutes.map((minute) => begin + minute * minuteLength);
      const filter: HitFilter = { owner, from, to };
      const hits = reference.hits.filter(
        ({ at, organization_id }) =>
          organization_id === owner.id && (from === undefined || at >= from) && (to === undefined || at < to),
      );
      if (from !== undefined) expect(hits.some(({ at }) => at === from)).toBe(true);
      if (to !== undefined) expect(reference.hits.some(({ at }) => at === to)).toBe(true);
      const counts = await ledger.count(filter, 'hour');
      expect(counts.reduce((sum, count) => sum + count.hits, 0)).toBe(hits.length);
      const page = await ledger.before(filter, { before: undefined, limit: 10, offset: hits.length - 5 });
      expect(page.hits).toEqual(hits.slice(0, 5).toReversed());
    }
  });
});
