import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ChunkLedger } from '../src/ledger/chunks/chunk-ledger.ts';
import type { FoldStore } from '../src/ledger/fold-store.ts';
import type { GroupCount } from '../src/ledger/groups.ts';
import type { HitCount, HitFilter, Ledger, Owner, StoredHit } from '../src/ledger/ledger.ts';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { minInPack } from '../src/ledger/packs/pack-layout.ts';
import { PostgresFoldStore } from '../src/ledger/stores/postgres-fold-store.ts';
import { minPacked } from '../src/ledger/stores/postgres-hits.ts';
import { SqliteFoldStore } from '../src/ledger/stores/sqlite-fold-store.ts';
import { classes, type HitColumn, outcomes } from '../src/rules/click-fields.ts';
import { hourLength, minuteLength } from '../src/rules/durations.ts';
import type { Database } from '../src/storage/database.ts';
import { openDatabase } from '../src/storage/open.ts';
import { storeKinds } from './support/app.ts';
import { BatchFolder, type NewHit, zeroColumns } from './support/batch-folder.ts';
import { wholeLedger } from './support/hits.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { temporaryFolder } from './support/program.ts';
import { seededRandom } from './support/seeded-random.ts';

const begin = Date.UTC(2026, 10, 19, 9, 50);
const random = seededRandom(20261122);

/** Hits of three organizations, mixed: a large one, a medium one, and one with almost none. */
function someHits(count: number, from: number): NewHit[] {
  return Array.from({ length: count }, () => {
    const organization = random(1_000) < 3 ? 3 : 1 + Number(random(10) < 3);
    const outcome = random(9) === 0 ? random(outcomes.length) : 0;
    return {
      ...zeroColumns,
      link_id: 3 * (1 + Math.min(random(40), random(40))) + organization - 1,
      organization_id: organization,
      at: from + random(20 * minuteLength),
      outcome,
      target: outcome === 0 ? 1 : 0,
      class: random(4) === 0 ? random(classes.length) : 0,
      reason: random(5),
      device: random(3),
      source: Number(random(20) === 0),
      country: 1 + random(300),
      os: 400,
      browser: 1 + random(2),
      language: random(2) * 70_000,
      referrer: random(3) * random(2 ** 30) * 8,
    };
  });
}

/** The order of the ids: as the hits arrived; or by link, first within each organization that gets packs, then all others. */
function inIdOrder(hits: readonly NewHit[], isByLink: boolean, minHits: number): readonly NewHit[] {
  if (!isByLink) return hits;
  const byLink = hits.toSorted((one, other) => one.link_id - other.link_id);
  const parts = Map.groupBy(byLink, (hit) => hit.organization_id);
  const [packed, rows] = [true, false].map((isLarge) =>
    [...parts.values()].filter((part) => part.length >= minHits === isLarge),
  );
  const unpacked = new Set(rows?.flat());
  return [...(packed?.flat() ?? []), ...byLink.filter((hit) => unpacked.has(hit))];
}

const codeOf = ({ class: ofClass, outcome }: NewHit): number =>
  ofClass > 0 ? ofClass + 1 : Number(outcome !== 0);
const belongsTo = (hit: StoredHit, { kind, id }: Owner): boolean => hit[`${kind}_id`] === id;
const matches = (hit: StoredHit, { owner, classes: wanted, from, to }: HitFilter): boolean =>
  belongsTo(hit, owner) &&
  (wanted?.includes(codeOf(hit)) ?? true) &&
  hit.at >= (from ?? 0) &&
  hit.at < (to ?? Number.POSITIVE_INFINITY);

const linkOwner = (id: number): Owner => ({ kind: 'link', id, organizationId: 1 + (id % 3) });

/** Owners with many hits, few or none, with and without classes and times, in whole hours or not. */
const filters: HitFilter[] = [1, 2, 3, 9].flatMap((id) =>
  [(organization: number): Owner => ({ kind: 'organization', id: organization }), linkOwner].flatMap(
    (ownerOf) => [
      { owner: ownerOf(id) },
      { owner: ownerOf(id), classes: [0] },
      { owner: ownerOf(id + 3), classes: [1, 3], from: begin + 17 * minuteLength },
      { owner: ownerOf(id), classes: [0, 1], from: begin + 31 * minuteLength, to: begin + 62 * minuteLength },
      { owner: ownerOf(id), from: begin + 500 * minuteLength },
    ],
  ),
);

/** A third of the cases for each filter: over all filters, each owner and each combination of classes and times gets every case. */
const thirdFor = <Case>(filter: number, cases: readonly Case[]): readonly Case[] =>
  cases.filter((_, index) => (index + filter) % 3 === 0);

describe.each(storeKinds)('a ledger of rows and packs on %s', (kind) => {
  const minHits = { sqlite: minInPack, postgres: minPacked }[kind];
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Database;
  let store: FoldStore;
  let ledger: Ledger;
  const expectedHits: StoredHit[] = [];

  beforeAll(async () => {
    folder = await temporaryFolder();
    const url = kind === 'postgres' ? await migratedPostgres() : null;
    database = await openDatabase(url, folder.path, () => {});
    ledger = openLedger(database);
    store = url === null ? new SqliteFoldStore(folder.path) : new PostgresFoldStore(url);
    const folding = new BatchFolder(store);
    const batches = [
      [40, false],
      [4_500, true],
      [4_096, true],
      [700, false],
      [5_000, true],
      [5, false],
    ] as const;
    let from = begin;
    for (const [count, isByLink] of batches) {
      const hits = someHits(count, from);
      await folding.fold(hits, isByLink);
      for (const hit of inIdOrder(hits, isByLink, minHits))
        expectedHits.push({ ...hit, id: expectedHits.length + 1 } as StoredHit);
      from += 15 * minuteLength;
    }
  });
  afterAll(async () => {
    await store.close();
    await database.close();
    await folder[Symbol.asyncDispose]();
  });

  test('has packs for organizations with many hits, and every hit unchanged', async () => {
    const packs = await database.read.selectFrom('hit_packs').selectAll().execute();
    expect(new Set(packs.map((pack) => pack.organization_id))).toEqual(
      new Set(kind === 'sqlite' ? [1, 2] : [1, 2, 3]),
    );
    expect(Math.max(...packs.map((pack) => pack.hits))).toBeLessThanOrEqual(512);
    expect(Math.min(...packs.map((pack) => pack.hits))).toBeGreaterThanOrEqual(minHits);
    expect([...(await wholeLedger(database.read))]).toEqual(expectedHits);
  });

  test('is listed newest first, from any position, a page at a time', async () => {
    for (const [index, filter] of filters.entries()) {
      const all = expectedHits.filter((hit) => matches(hit, filter)).reverse();
      for (const page of thirdFor(index, [
        { before: undefined, limit: 30, offset: 0 },
        { before: undefined, limit: 700, offset: 0 },
        { before: undefined, limit: 20, offset: 35 },
        { before: undefined, limit: 600, offset: 3_000 },
        { before: undefined, limit: 5, offset: Math.max(0, all.length - 3) },
        { before: undefined, limit: 5, offset: all.length + 1 },
        { before: 9_000, limit: 11, offset: 0 },
        { before: 4_541, limit: 50, offset: 2_222 },
        { before: 1, limit: 5, offset: 0 },
      ])) {
        const { before = Number.POSITIVE_INFINITY, offset, limit } = page;
        const expected = all.filter((hit) => hit.id < before).slice(offset, offset + limit);
        expect([...(await ledger.before(filter, page)).hits]).toEqual(expected);
      }
    }
  });

  test('is read to its end page by page, each hit once', async () => {
    for (const filter of filters) {
      const found: StoredHit[] = [];
      for (let before: number | undefined; ; ) {
        const { hits: page } = await ledger.before(filter, { before, limit: 500, offset: 0 });
        found.push(...page);
        if (page.length < 500) break;
        before = page.at(-1)?.id;
      }
      expect(found).toEqual(expectedHits.filter((hit) => matches(hit, filter)).reverse());
    }
  });

  test('is read forwards, up to the settled id', async () => {
    for (const [index, filter] of filters.entries()) {
      for (const page of thirdFor(index, [
        { after: 0, upTo: expectedHits.length, limit: 200 },
        { after: 30, upTo: 400, limit: 200 },
        { after: 300, upTo: 420, limit: 200 },
        { after: 4_000, upTo: 8_700, limit: 3_000 },
        { after: expectedHits.length - 3, upTo: expectedHits.length, limit: 200 },
        { after: expectedHits.length, upTo: expectedHits.length, limit: 200 },
      ])) {
        const expected = expectedHits
          .filter((hit) => matches(hit, filter) && hit.id > page.after && hit.id <= page.upTo)
          .slice(0, page.limit);
        expect([...(await ledger.after(filter, page))]).toEqual(expected);
      }
    }
    const owners = expectedHits.map(({ id, organization_id }) => ({ id, organization_id }));
    expect(await ledger.newestId()).toBe(expectedHits.length);
    for (const [after, max] of [
      [0, 5_000],
      [39, 10],
      [2_000, 7_000],
      [expectedHits.length - 2, 5],
    ] as const)
      expect([...(await ledger.ownersAfter(after, max))]).toEqual(owners.slice(after, after + max));
  });

  test('is counted, by hour and by value, in one round or in several', async () => {
    const columns: HitColumn[] = ['country', 'browser', 'referrer', 'reason', 'class'];
    for (const [index, filter] of filters.entries()) {
      const hits = expectedHits
        .filter((hit) => matches(hit, filter))
        .map((hit) => ({ hit, class: codeOf(hit), hits: 1 }));
      const everything = await ledger.count(filter, 'class');
      expect(everything.reduce((sum, count) => sum + count.hits, 0)).toBe(hits.length);
      const ofDevice = hits.filter(({ hit }) => hit.device === 1);
      const deviceFilter = { ...filter, values: [['device', 1]] } as const;
      expect(sumsOf(await ledger.count(deviceFilter, 'hour'))).toEqual(
        sumsOf(ofDevice.map((count) => ({ ...count, value: Math.floor(count.hit.at / hourLength) }))),
      );
      for (const column of thirdFor(index, columns)) {
        const valueIn = (hit: StoredHit) => (column === 'class' ? codeOf(hit) : (hit[column] ?? 0));
        const expected = groupsOf(ofDevice.map((count) => ({ ...count, value: valueIn(count.hit) }))).slice(
          0,
          100,
        );
        expect([...(await ledger.groups(deviceFilter, column, 100))]).toEqual(expected);
        const rounds = new ChunkLedger(database, 40);
        expect([...(await rounds.groups(deviceFilter, column, 100))]).toEqual(expected);
      }
    }
  });

  test.if(kind === 'sqlite')('deletes expired hits, and a pack with the last of its hits', async () => {
    const end = begin + 45 * minuteLength;
    while (await store.deleteHitsBefore(end));
    const packed = await database.read.selectFrom('hit_packs').select(['id', 'hits', 'last_at']).execute();
    expect(packed.every((pack) => pack.last_at >= end)).toBe(true);
    const kept = new Set((await wholeLedger(database.read)).map((hit) => hit.id));
    const isInKeptPack = (id: number) => packed.some((pack) => id >= pack.id && id < pack.id + pack.hits);
    expect(expectedHits.filter((hit) => hit.at >= end && !kept.has(hit.id))).toEqual([]);
    expect([...kept].filter((id) => (expectedHits[id - 1]?.at ?? 0) < end && !isInKeptPack(id))).toEqual([]);
    const links = await database.read.selectFrom('hit_pack_links').select('pack_id').distinct().execute();
    expect(new Set(links.map((link) => link.pack_id))).toEqual(new Set(packed.map((pack) => pack.id)));
  });

  test.if(kind === 'sqlite')('deletes packs of few hits as fast as those of many', async () => {
    const hits = someHits(4_100, begin);
    const ofMany = hits.map((hit, index) => ({ ...hit, organization_id: 100 + (index % 100) }));
    await new BatchFolder(store, 'here/many').fold(ofMany, true);
    let rounds = 1;
    while (await store.deleteHitsBefore(begin * 2)) rounds += 1;
    expect(rounds).toBeLessThan(10);
  });

  test.if(kind === 'sqlite')('never assigns an id twice, even after all hits were deleted', async () => {
    while (await store.deleteHitsBefore(begin * 2));
    expect(await wholeLedger(database.read)).toEqual([]);
    const folding = new BatchFolder(store, 'here/next');
    await folding.fold(someHits(4_100, begin), true);
    await folding.fold(someHits(3, begin), false);
    const ids = (await wholeLedger(database.read)).map((hit) => hit.id);
    expect(ids).toEqual(Array.from({ length: 4_103 }, (_, index) => expectedHits.length + 4_101 + index));
  });
});

/** The groups of these counts: those with more hits first, then those of lower values. */
function groupsOf(counts: readonly HitCount[]): GroupCount[] {
  const sum = (group: readonly HitCount[]) => group.reduce((all, { hits }) => all + hits, 0);
  const clicks = (group: readonly HitCount[]) => sum(group.filter((count) => count.class === 0));
  const all = { all_clicks: clicks(counts), all_hits: sum(counts) };
  return [...Map.groupBy(counts, ({ value }) => value)]
    .map(([value, group]) => ({ value, clicks: clicks(group), hits: sum(group), ...all }))
    .sort((one, other) => other.hits - one.hits || one.value - other.value);
}

function sumsOf(counts: readonly HitCount[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { value, class: code, hits } of counts) {
    const key = `${value} ${code}`;
    sums.set(key, (sums.get(key) ?? 0) + hits);
  }
  return new Map([...sums].sort(([one], [other]) => one.localeCompare(other)));
}
