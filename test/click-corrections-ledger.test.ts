import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { correctionStep, scopeOf } from '../src/ledger/corrections/correction-step.ts';
import type { StoredHit } from '../src/ledger/ledger.ts';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { classCodes, classes, dimensionCodes, reasonCodes } from '../src/rules/click-fields.ts';
import { dayLength, hourLength } from '../src/rules/durations.ts';
import { classBefore, reasonToStore, reclassifiable, shownReason } from '../src/rules/reclassified.ts';
import {
  findCorrection,
  insertCorrection,
  listCorrections,
  type StoredCorrection,
} from '../src/storage/click-corrections.ts';
import type { Database } from '../src/storage/database.ts';
import { storeKinds } from './support/app.ts';
import { type NewHit, zeroColumns } from './support/batch-folder.ts';
import { hitsIn, rebuildFrom, rollUps } from './support/hits.ts';
import { ledgerKinds, testLedger } from './support/ledger-of.ts';
import { seededRandom } from './support/seeded-random.ts';

const kinds = await ledgerKinds();
const begin = Date.UTC(2026, 10, 19, 9);
const hours = 30;
const organizations = [1, 2];
const linksOf = (organization: number): number[] => [1, 2, 3, 4].map((link) => organization * 10 + link);

const reasonsOf: Readonly<Record<string, readonly (keyof typeof reasonCodes)[]>> = {
  human: ['browser', 'app_browser'],
  preview: ['preview_agent'],
  bot: ['known_crawler', 'http_library', 'monitor'],
  prefetch: ['purpose_header'],
  head: ['head_method'],
  repeat: ['recent_visit'],
  flood: ['flood'],
};

function someHits(draw: (below: number) => number, count: number, from: number, length: number): NewHit[] {
  return Array.from({ length: count }, () => {
    const organization_id = 1 + Number(draw(3) === 0);
    const name = draw(3) > 0 ? 'human' : (classes[draw(classes.length)] ?? 'bot');
    const reasons = reasonsOf[name] ?? [];
    const isRedirect = draw(6) > 0;
    return {
      ...zeroColumns,
      link_id: linksOf(organization_id)[draw(4)] ?? 0,
      organization_id,
      at: from + draw(length),
      outcome: isRedirect ? 0 : 2,
      target: isRedirect ? 1 + draw(3) : 0,
      class: classCodes[name],
      reason: reasonCodes[reasons[draw(reasons.length)] ?? 'browser'],
      device: draw(3),
      source: Number(draw(9) === 0),
      country: draw(4),
      os: 10 + draw(3),
      browser: 20 + draw(2),
      language: draw(2) * 70_000,
      referrer: draw(3) * 1_000_000,
      utm_source: draw(8) === 0 ? 77 : 0,
      utm_campaign: draw(8) === 0 ? 78 : 0,
    };
  });
}

interface RequestedCorrection {
  readonly organization: number;
  readonly link: number | null;
  readonly from: number | null;
  readonly to: number;
  readonly change: readonly [from: number, to: number] | null;
  readonly isTakenBack: boolean;
}

const codes = reclassifiable.map((name) => classCodes[name]);
const instant = fc.oneof(
  fc.integer({ min: -1, max: hours + 1 }).map((hour) => begin + hour * hourLength),
  fc.integer({ min: begin, max: begin + hours * hourLength }),
);
const anyCorrection: fc.Arbitrary<RequestedCorrection> = fc
  .record({
    organization: fc.constantFrom(...organizations),
    link: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 4 }),
    ends: fc.tuple(fc.option(instant, { freq: 4 }), instant),
    change: fc.option(fc.shuffledSubarray(codes, { minLength: 2, maxLength: 2 }), { freq: 2 }),
    isTakenBack: fc.boolean(),
  })
  .map(({ organization, link, ends: [one, other], change, isTakenBack }) => ({
    organization,
    link: link === null ? null : (linksOf(organization)[link] ?? null),
    from: one === null ? null : Math.min(one, other),
    to: Math.max(one ?? other, other) + 1,
    change: change === null ? null : ([change[0] ?? 0, change[1] ?? 1] as const),
    isTakenBack,
  }));

/** `npm run test:fuzz` runs more. */
const rounds = Number(process.env.CORRECTIONS ?? 4);
/** On ClickHouse a correction takes ten times the CPU. */
const maxOnClickhouse = process.env.CORRECTIONS === undefined ? 2 : 4;
const claim = { now: () => begin + 10 * dayLength, length: 1_000 };

async function createCorrection(
  database: Database,
  requested: RequestedCorrection,
  wayBackOf: number | null,
): Promise<StoredCorrection> {
  const [from_class, to_class] = requested.change ?? [null, null];
  const row = await database.write((queries) =>
    insertCorrection(queries, {
      created_at: claim.now(),
      organization_id: requested.organization,
      link_id: requested.link,
      user_id: 1,
      from_at: requested.from,
      to_at: requested.to,
      from_class: wayBackOf === null ? from_class : to_class,
      to_class: wayBackOf === null ? to_class : from_class,
      way_back_of: wayBackOf,
      due_at: claim.now(),
    }),
  );
  if (row === null) throw new Error('another correction is running');
  return row;
}

async function runToEnd(database: Database, correction: StoredCorrection): Promise<StoredCorrection> {
  let at = correction;
  for (let steps = 0; at.due_at !== null; steps++) {
    const next = await correctionStep(database, at, claim);
    if (next === null || steps > 1_000) throw new Error('the correction does not end');
    at = next;
  }
  return at;
}

/** What a correction leaves of hits, computed hit by hit. */
function corrected(hits: readonly StoredHit[], correction: StoredCorrection): StoredHit[] {
  const { owner, from, to, change } = scopeOf(correction);
  return hits.flatMap((hit) => {
    const isOwn = owner.kind === 'link' ? hit.link_id === owner.id : hit.organization_id === owner.id;
    if (!isOwn || hit.at < (from ?? 0) || hit.at >= to) return [hit];
    if (change === null) return [];
    if (hit.class !== change.from || (change.isReversal && classBefore(hit.reason) !== change.to))
      return [hit];
    return [{ ...hit, class: change.to, reason: reasonToStore(hit.reason, change.to) }];
  });
}

/** The whole ledger, with the reasons as stored. */
const ledgerOf = async (database: Database) => {
  const hits = await hitsIn(database, 'stored');
  expect(await queriedHits(database)).toEqual(hits.map(withShownReason));
  return hits;
};

/** The same hits as queries find them, by id. */
async function queriedHits(database: Database): Promise<readonly StoredHit[]> {
  const page = { before: undefined, limit: 100_000, offset: 0 };
  const found: StoredHit[] = [];
  for (const id of organizations) {
    const { hits } = await openLedger(database).before({ owner: { kind: 'organization', id } }, page);
    found.push(...hits);
  }
  return found.map(withShownReason).sort((one, other) => one.id - other.id);
}

const withShownReason = (hit: StoredHit): StoredHit => ({ ...hit, reason: shownReason(hit.reason) });

describe.each(kinds)('corrections on %s', (kind) => {
  test('leave the same as if only the right hits had arrived', async () => {
    await using store = await testLedger(kind, new Map(organizations.map((id) => [id, linksOf(id)])));
    const { database } = store;
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 2 ** 30 }),
        fc.array(anyCorrection, { minLength: 1, maxLength: kind === 'clickhouse' ? maxOnClickhouse : 4 }),
        async (seed, corrections) => {
          if (runs++ > 0) await eraseAll(database);
          const draw = seededRandom(seed);
          for (const [count, hour, length, as] of [
            [60, 0, hours, 'rows'],
            [700, 3, 1, 'packs'],
            [90, 4, hours - 4, 'rows'],
            [400, 26, 1, 'packs'],
            [100, 27, 1, 'packs'],
          ] as const) {
            await store.append(someHits(draw, count, begin + hour * hourLength, length * hourLength - 1), as);
            // Sometimes some of them are merged into chunks.
            if (draw(3) === 0) await store.merge(begin);
            if (draw(3) === 0) await store.merge(begin + hourLength);
          }
          await rebuildFrom(database);
          let expected = await ledgerOf(database);
          for (const requested of corrections) {
            const first = await createCorrection(database, requested, null);
            expected = corrected(expected, first);
            const done = await runToEnd(database, first);
            expect(await ledgerOf(database)).toEqual(expected);
            if (requested.change === null || !requested.isTakenBack) continue;
            const wayBack = await createCorrection(database, requested, done.id);
            expected = corrected(expected, wayBack);
            await runToEnd(database, wayBack);
            expect(await ledgerOf(database)).toEqual(expected);
          }
          const counted = await rollUps(database.read);
          await rebuildFrom(database);
          expect(counted).toEqual(await rollUps(database.read));
        },
      ),
      // A failed run leaves its corrections behind, so that shrunk cases would fail because of them.
      { numRuns: Math.ceil(rounds / { sqlite: 1, postgres: 3, clickhouse: 8 }[kind]), endOnFailure: true },
    );
  }, 240_000);
});

// Visitors are in PostgreSQL where the hits are in ClickHouse, and the same code changes them.
describe.each(storeKinds)('visitors during corrections on %s', (kind) => {
  test('never exceed the clicks of their hour, and are never negative', async () => {
    await using store = await testLedger(kind, new Map(organizations.map((id) => [id, linksOf(id)])));
    const { database } = store;
    const draw = seededRandom(20261123);
    await store.append(someHits(draw, 2_000, begin, hours * hourLength), 'rows');
    await rebuildFrom(database);
    await database.write(async (queries) => {
      await sql`update link_hours set visitors = click - click / 3`.execute(queries);
      const { total, visitors } = dimensionCodes;
      await sql`insert into organization_rollups (organization_id, dimension, hour, class, value, hits)
        select organization_id, ${sql.lit(visitors)}, hour, 0, 0, hits - hits / 3 from organization_rollups
        where dimension = ${sql.lit(total)} and class = 0`.execute(queries);
    });
    const before = await visitorsIn(database);
    for (const requested of fc.sample(anyCorrection, { numRuns: 6, seed: 20261123 })) {
      await runToEnd(database, await createCorrection(database, requested, null));
      for (const [key, { clicks, visitors }] of await visitorsIn(database)) {
        expect([key, visitors <= clicks, visitors >= 0]).toEqual([key, true, true]);
        expect([key, visitors <= (before.get(key)?.visitors ?? 0)]).toEqual([key, true]);
      }
    }
    await eraseAll(database);
    expect([...(await visitorsIn(database)).values()]).toEqual([]);
  }, 120_000);
});

/** Clicks and visitors, by owner and hour. */
async function visitorsIn(database: Database) {
  const found = new Map<string, { clicks: number; visitors: number }>();
  const { total, visitors } = dimensionCodes;
  for (const row of await database.read.selectFrom('link_hours').selectAll().execute())
    found.set(`link ${row.link_id} ${row.hour}`, { clicks: row.click, visitors: row.visitors });
  const rows = database.read.selectFrom('organization_rollups').selectAll().where('class', '=', 0);
  for (const row of await rows.where('dimension', 'in', [total, visitors]).execute()) {
    const key = `organization ${row.organization_id} ${row.hour}`;
    const sums = found.get(key) ?? { clicks: 0, visitors: 0 };
    found.set(key, { ...sums, [row.dimension === total ? 'clicks' : 'visitors']: row.hits });
  }
  return found;
}

describe.each(kinds)('one correction on two nodes of %s', (kind) => {
  test('is applied once', async () => {
    await using store = await testLedger(kind, new Map(organizations.map((id) => [id, linksOf(id)])));
    const { database } = store;
    const draw = seededRandom(20261123);
    for (let batch = 0; batch < 5; batch++)
      await store.append(someHits(draw, 600, begin + batch * hourLength, hourLength - 1), 'packs');
    await store.append(someHits(draw, 5_000, begin, 5 * hourLength), 'rows');
    await rebuildFrom(database);
    const all = { organization: 1, link: null, from: begin + hourLength / 2, to: begin + 4 * hourLength };
    let before = await ledgerOf(database);
    const reclassification = [classCodes.human, classCodes.flood] as const;
    for (const change of kind === 'clickhouse' ? [null] : [reclassification, null]) {
      const correction = await createCorrection(database, { ...all, change, isTakenBack: false }, null);
      const expected = corrected(before, correction);
      const changedCount = before.filter((hit, at) => hit !== expected[at]).length;
      expect(changedCount).toBeGreaterThan(1_000);
      before = expected;
      await Promise.all([runSteps(database, correction), runSteps(database, correction)]);
      const [done] = await listCorrections(database.read, { organizationId: 1, linkId: null }, { limit: 1 });
      expect(done?.finished_at).not.toBeNull();
      expect(await ledgerOf(database)).toEqual(expected);
      if (change === null) expect(done?.hits).toBeGreaterThan(3_000);
      const counted = await rollUps(database.read);
      await rebuildFrom(database);
      expect(counted).toEqual(await rollUps(database.read));
    }
  }, 120_000);
});

/** Runs the steps; if the other node has run one, continues after it. */
async function runSteps(database: Database, correction: StoredCorrection): Promise<void> {
  for (let at: StoredCorrection | null = correction; at?.due_at != null; ) {
    const next: StoredCorrection | null = await correctionStep(database, at, claim);
    const owner = { organizationId: correction.organization_id, linkId: null };
    at = next ?? (await findCorrection(database.read, owner, correction.id)) ?? null;
  }
}

async function eraseAll(database: Database): Promise<void> {
  for (const organization of organizations) {
    const all = {
      organization,
      link: null,
      from: null,
      to: begin + 9 * dayLength,
      change: null,
      isTakenBack: false,
    };
    await runToEnd(database, await createCorrection(database, all, null));
  }
  expect(await ledgerOf(database)).toEqual([]);
}
