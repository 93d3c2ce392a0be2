import { describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { ClickhouseHits } from '../src/ledger/clickhouse/clickhouse-hits.ts';
import { ClickhouseWriter } from '../src/ledger/clickhouse/clickhouse-writer.ts';
import { correctionStep, scopeOf } from '../src/ledger/corrections/correction-step.ts';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { classCodes } from '../src/rules/click-fields.ts';
import { dayLength } from '../src/rules/durations.ts';
import { StoreUnavailable } from '../src/rules/errors.ts';
import { insertCorrection, type StoredCorrection } from '../src/storage/click-corrections.ts';
import type { Database } from '../src/storage/database.ts';
import { hasClickhouse, queryClickhouse, serverOf } from './support/clickhouse.ts';
import { errorResponse } from './support/clickhouse-proxy.ts';
import { at, clickhouseSuite, december } from './support/clickhouse-suite.ts';
import { rebuildFrom, rollUps } from './support/hits.ts';

/** This file runs only where ClickHouse is installed. */
const isInstalled = await hasClickhouse();
const { suite, newStore, fold, hitsOf, counted } = clickhouseSuite(isInstalled);

const broken = new Error('broken');
const failingDeliveries = () => {
  throw broken;
};

/** A correction that makes bots of the people that visited a link since this instant. */
async function insertBotCorrection(
  link_id: number,
  from_at: number | null,
): Promise<StoredCorrection | null> {
  await sql`insert into organizations (id, name, created_at) values (2, '', 1) on conflict do nothing`.execute(
    suite.database.read,
  );
  return suite.database.write((queries) =>
    insertCorrection(queries, {
      created_at: december,
      organization_id: 1 + (link_id % 2),
      link_id,
      user_id: 1,
      from_at,
      to_at: december + 100_000,
      from_class: classCodes.human,
      to_class: classCodes.bot,
      way_back_of: null,
      due_at: december,
    }),
  );
}

// First, since a correction rebuilds the projections of all parts of a month, and each fold adds one.
test.skipIf(!isInstalled)(
  'a correction that is interrupted between the numbers and the hits continues with the hits',
  async () => {
    const link = 601;
    await fold(null, at(1), [1, 2, 3, 4], { link });
    await fold(null, at(1), [5], { name: `${suite.journal}/other`, link: link + 2 });
    await rebuildFrom(suite.database);
    const parts: string[] = [];
    const interruptedHits = ClickhouseHits.of(serverOf(suite.clickhouse));
    interruptedHits.correctPart = async (part) => {
      parts.push(part);
      throw new StoreUnavailable('away');
    };
    const { human, bot } = classCodes;
    const made = await insertBotCorrection(link, december - 1_000);
    const claim = { now: () => december, length: 1_000 };
    const interrupted = { ...suite.database, hits: interruptedHits };
    let correction = made === null ? null : await correctionStep(interrupted, made, claim);
    const step = (on: Database) => correctionStep(on, correction as StoredCorrection, claim);
    await expect(step(interrupted)).rejects.toBeInstanceOf(StoreUnavailable);
    expect((await hitsOf(link)).map((hit) => hit.class)).toEqual([human, human, human, human]);
    while (correction?.due_at != null) correction = await step(suite.database);
    const expected = [human, bot, bot, bot];
    expect((await hitsOf(link)).map((hit) => hit.class)).toEqual(expected);
    expect(correction?.hits).toBe(3);
    const counted = await rollUps(suite.database.read);
    await rebuildFrom(suite.database);
    expect(counted).toEqual(await rollUps(suite.database.read));
    // Gives the hits their class back, as if another node that was at the same part continued only now.
    await queryClickhouse(
      suite.clickhouse,
      `alter table hits update class = ${human} where link_id = ${link} settings mutations_sync = 1`,
    );
    await suite.hits.correctPart(parts[0] ?? '', scopeOf(made as StoredCorrection));
    expect((await hitsOf(link)).map((hit) => hit.class)).toEqual([human, human, human, human]);
  },
);

test.skipIf(!isInstalled)(
  'a correction between a failed fold and its repetition subtracts nothing from totals that was never added',
  async () => {
    const link = 701;
    await fold(null, at(1), [1, 2], { link });
    await rebuildFrom(suite.database);
    await expect(fold(at(1), at(2), [3, 4], { link, deliveries: failingDeliveries })).rejects.toBe(broken);
    expect((await counted(link))[0]).toEqual([1, 2, 3, 4]);
    const made = await insertBotCorrection(link, null);
    const claim = { now: () => december, length: 1_000 };
    let correction: StoredCorrection | null = made;
    while (correction?.due_at != null) correction = await correctionStep(suite.database, correction, claim);
    expect(correction?.hits).toBe(2);
    const row = suite.database.read.selectFrom('link_clicks').select('clicks').where('link_id', '=', link);
    // None of its clicks is left.
    expect(await row.executeTakeFirst()).toBeUndefined();
    // The next attempt folds the same hits again, unchanged.
    await fold(at(1), at(2), [3, 4], { link });
    expect(await counted(link)).toEqual([[1, 2, 3, 4], 2]);
  },
);

describe.skipIf(!isInstalled)('each hit counts once', () => {
  test('if PostgreSQL rolled back after ClickHouse had stored all, and more have arrived since', async () => {
    await fold(null, at(1), [1, 2]);
    await expect(fold(at(1), at(2), [3, 4], { deliveries: failingDeliveries })).rejects.toBe(broken);
    expect((await counted())[0]).toEqual([1, 2, 3, 4]);
    await fold(at(1), at(3), [3, 4, 5]);
    expect(await counted()).toEqual([[1, 2, 3, 4, 5], 5]);
  });

  test('if another process continues the journal', async () => {
    await fold(null, at(1), [1, 2]);
    await expect(fold(at(1), at(4), [3, 4, 5, 6], { deliveries: failingDeliveries })).rejects.toBe(broken);
    await using other = Object.assign(newStore(), {
      [Symbol.asyncDispose]: () => other.close(),
    });
    await fold(at(1), at(2), [3], { foldStore: other });
    await fold(at(2), at(4), [4, 5, 6], { foldStore: other });
    expect(await counted()).toEqual([[1, 2, 3, 4, 5, 6], 6]);
    await expect(fold(at(1), at(4), [3, 4, 5, 6])).rejects.toThrow(suite.journal);
    expect(await counted()).toEqual([[1, 2, 3, 4, 5, 6], 6]);
  });

  test('if the response to an insertion was lost', async () => {
    suite.proxy.onInsertion = async (forward) => {
      await forward();
      return errorResponse();
    };
    await expect(fold(null, at(1), [1, 2])).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await counted()).toEqual([[1, 2], 0]);
    suite.proxy.onInsertion = null;
    await fold(null, at(1), [1, 2]);
    expect(await counted()).toEqual([[1, 2], 2]);
  });

  test('if an abandoned insertion arrives after another one has stored its hits', async () => {
    const delayed: (() => Promise<Response>)[] = [];
    suite.proxy.onInsertion = async (forward) => {
      delayed.push(forward);
      return errorResponse();
    };
    await expect(fold(null, at(1), [1, 2, 3, 4])).rejects.toBeInstanceOf(StoreUnavailable);
    suite.proxy.onInsertion = null;
    await fold(null, at(2), [1, 2, 3, 4, 5]);
    expect((await delayed[0]?.())?.status).toBe(200);
    expect(await counted()).toEqual([[1, 2, 3, 4, 5], 5]);
  });

  test('nothing counts while ClickHouse is away, and everything does afterwards', async () => {
    suite.proxy.onInsertion = errorResponse;
    for (let round = 0; round < 2; round++)
      await expect(fold(null, at(1), [1])).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await counted()).toEqual([[], 0]);
    expect(await suite.store.watermark(suite.journal)).toBeNull();
    suite.proxy.onInsertion = null;
    await fold(null, at(1), [1]);
    expect(await counted()).toEqual([[1], 1]);
  });

  test('if PostgreSQL has lost watermarks and ids', async () => {
    const [lost, other] = [`${suite.journal}/lost`, `${suite.journal}/other`];
    const link = suite.link + 100;
    await fold(null, at(1), [1, 2], { name: lost });
    const before = await sql<{ newest: number }>`select newest from hit_ids`.execute(suite.database.read);
    await fold(at(1), at(3), [3, 4, 5], { name: lost });
    await suite.database.write(async (queries) => {
      await sql`update hit_ids set newest = ${before.rows[0]?.newest}`.execute(queries);
      await sql`update journal_watermarks set byte_offset = 1 where node = ${lost}`.execute(queries);
      await sql`update link_clicks set clicks = 2 where link_id = ${suite.link}`.execute(queries);
    });
    await using restarted = Object.assign(newStore(), {
      [Symbol.asyncDispose]: () => restarted.close(),
    });
    // Another journal is folded first, and gets ids that aren't in use yet.
    await fold(null, at(1), [1, 2, 3, 4], { foldStore: restarted, name: other, link });
    await fold(at(1), at(2), [3, 4], { foldStore: restarted, name: lost });
    await fold(at(2), at(4), [5, 6], { foldStore: restarted, name: lost });
    expect(await counted()).toEqual([[1, 2, 3, 4, 5, 6], 6]);
    expect(await counted(link)).toEqual([[1, 2, 3, 4], 4]);
    const ids = [...(await hitsOf(suite.link)), ...(await hitsOf(link))].map(({ id }) => id);
    expect(new Set(ids).size).toBe(10);
  });

  test('if more batches than one transaction deletes were lost with a restored backup', async () => {
    const lost = 600;
    await fold(null, at(1), [1, 2]);
    const first = (await openLedger(suite.database).newestId()) + 1;
    const row = `first_id as id, ${suite.link} as link_id, ${1 + (suite.link % 2)} as organization_id, ${december} as at`;
    // More than an hour ago, a batch each second. A third of them at a time have ids that follow each other.
    const id = `${first} + number + intDiv(number, ${lost / 3})`;
    await queryClickhouse(
      suite.clickhouse,
      `insert into hit_batches select '${suite.journal}', 1, 1 + number, ${id}, ${id}, [${december}],
       ${december - 3_700_000} - 1000 * number from numbers(${lost})`,
    );
    await queryClickhouse(
      suite.clickhouse,
      `insert into hits (id, link_id, organization_id, at) select ${row} from hit_batches where journal = '${suite.journal}' and first_id >= ${first}`,
    );
    expect((await hitsOf(suite.link)).length).toBe(2 + lost);
    await using restarted = Object.assign(newStore(), {
      [Symbol.asyncDispose]: () => restarted.close(),
    });
    const refusals: unknown[] = [];
    const again = () =>
      fold(at(1), at(3), [3, 4, 5], { foldStore: restarted }).then(
        () => true,
        (cause) => refusals.push(cause) < 0,
      );
    // Each transaction deletes a part.
    while (!(await again()));
    expect(refusals.length).toBeGreaterThan(0);
    for (const cause of refusals) expect(cause).toBeInstanceOf(StoreUnavailable);
    expect(await counted()).toEqual([[1, 2, 3, 4, 5], 5]);
  });
});

describe.skipIf(!isInstalled)('the hits of a failed fold', () => {
  test('of a node that no longer exists are deleted, whether its journal was counted before or not', async () => {
    const [known, unknown] = [suite.journal, `${suite.journal}/unknown`];
    await fold(null, at(1), [1, 2], { name: known });
    await expect(fold(at(1), at(2), [3, 4], { name: known, deliveries: failingDeliveries })).rejects.toBe(
      broken,
    );
    await expect(fold(null, at(2), [5], { name: unknown, deliveries: failingDeliveries })).rejects.toBe(
      broken,
    );
    expect((await counted())[0]).toEqual([1, 2, 3, 4, 5]);
    await suite.store.deleteUncounted(december + 14 * 60_000);
    expect((await counted())[0]).toEqual([1, 2, 3, 4, 5]);
    while (await suite.store.deleteUncounted(december + 16 * 60_000));
    expect(await counted()).toEqual([[1, 2], 2]);
    // The journals are folded after all.
    await fold(at(1), at(2), [3, 4], { name: known });
    await fold(null, at(2), [5], { name: unknown });
    expect(await counted()).toEqual([[1, 2, 3, 4, 5], 5]);
    await suite.store.deleteUncounted(december + 16 * 60_000);
    expect(await counted()).toEqual([[1, 2, 3, 4, 5], 5]);
  });

  test('of a process that lists another batch while they are deleted are found later', async () => {
    await fold(null, at(1), [1, 2]);
    await expect(fold(at(1), at(2), [3, 4], { deliveries: failingDeliveries })).rejects.toBe(broken);
    const listed = `hit_batches where journal = '${suite.journal}' and byte_offset = 1`;
    suite.proxy.onInsertion = async (forward) => {
      await queryClickhouse(
        suite.clickhouse,
        `insert into hit_batches values ('${suite.journal}', 1, 1, 900001, 900002, [], ${december})`,
      );
      return forward();
    };
    const writer = await ClickhouseWriter.open(serverOf(suite.proxy.url), 'this');
    expect(await writer.deleteBeyond({ journal: suite.journal, ...at(1) }, december)).toBe(false);
    expect(
      JSON.parse(await queryClickhouse(suite.clickhouse, `select first_id as id from ${listed}`)),
    ).toEqual({
      id: 900_001,
    });
    expect((await counted())[0]).toEqual([1, 2]);
    await queryClickhouse(suite.clickhouse, `delete from ${listed}`);
  });

  test('stay if their watermark may have been deleted because of its age', async () => {
    await fold(null, at(1), [1, 2]);
    await sql`delete from journal_watermarks where node = ${suite.journal}`.execute(suite.database.read);
    await suite.store.deleteUncounted(december + 100 * dayLength);
    expect((await counted())[0]).toEqual([1, 2]);
  });
});
