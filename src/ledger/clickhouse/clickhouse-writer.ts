import { setTimeout as sleep } from 'node:timers/promises';
import { hitColumns } from '../../rules/click-fields.ts';
import type { ClickServer } from '../../rules/clicks-url.ts';
import { dayLength, hourLength } from '../../rules/durations.ts';
import { StoreUnavailable, TimeoutExceeded } from '../../rules/errors.ts';
import type { Watermark } from '../../storage/journal-watermarks.ts';
import { clickServerCalls } from '../click-server-calls.ts';
import type { HitWriter, UncountedBatch } from '../external-hits.ts';
import type { FoldBatch } from '../fold-store.ts';
import { monthsOf } from '../stores/postgres-hits.ts';
import { ClickhouseClient } from './clickhouse-client.ts';
import { ClickhouseLedger } from './clickhouse-ledger.ts';
import { monthNumber, prepareTables, quoted } from './clickhouse-tables.ts';
import { hitBlock, insertHitsSql } from './hit-block.ts';
import { uncountedBatches } from './uncounted-batches.ts';

/** Milliseconds between two small insertions of this process: each creates a part, and parts have to be merged. */
const insertionPause = 1_000;
/** The longest month: a batch may have hits of a month that is deleted only when all of it has expired. */
const monthLength = 31 * dayLength;
/** A part with this many hits is worth a merge of its own. */
const largeInsertion = 16_384;
/** Milliseconds. PostgreSQL's transaction is open meanwhile, and is aborted after being idle for 30 seconds. */
const timeout = 9_000;
/** A restored backup leaves a batch for about each second since. Deleting one takes as long as deleting many. */
const deletedTogether = 500;
/** Milliseconds of that time after which the rest is left to another transaction. */
const deletionTime = 8_000;
/** Milliseconds after which an insertion has ended, however slow the server and the proxies before it are. */
const maxInsertionTime = hourLength;

type Batch = Pick<FoldBatch, 'journal' | 'from' | 'hits' | 'now'>;

interface OldBatch {
  readonly first_id: number;
  readonly last_id: number;
  readonly instants: readonly number[];
  readonly folded_at: number;
}

/** Writes the hits of a fold to ClickHouse. */
export class ClickhouseWriter implements HitWriter {
  readonly #client: ClickhouseClient;
  readonly #ledger: ClickhouseLedger;
  readonly #pause: number;
  #lastAt = Number.NEGATIVE_INFINITY;
  #deletedTogether = deletedTogether;

  private constructor(client: ClickhouseClient, pause: number) {
    this.#pause = pause;
    this.#client = client;
    this.#ledger = new ClickhouseLedger(client);
  }

  static async open(
    server: ClickServer,
    storeId: string,
    pause = insertionPause,
    hadTables = false,
  ): Promise<ClickhouseWriter> {
    const client = new ClickhouseClient(server);
    await prepareTables(client, storeId, hadTables);
    return new ClickhouseWriter(client, pause);
  }

  newestId(): Promise<number> {
    return this.#ledger.newestId();
  }

  async waitForCapacity(count: number): Promise<void> {
    const left = this.#lastAt + this.#pause - performance.now();
    if (count < largeInsertion && left > 0) await sleep(left);
  }

  /** The batch is listed before its hits are inserted, so that they can be found however the insertion ends. */
  async append({ journal, from, hits, now }: Batch, firstId: number, mayHaveOld: boolean): Promise<void> {
    const { segment, offset } = from ?? { segment: 0, offset: 0 };
    if (mayHaveOld && (await this.deleteBeyond({ journal, segment, offset }, now)))
      throw new StoreUnavailable('ClickHouse: hits of lost batches are being deleted first');
    if (hits.count === 0) return;
    const lastId = firstId + hits.count - 1;
    const instants = `[${monthsOf(hits).map(Math.trunc).join(', ')}]`;
    await this.#client.run(
      `insert into hit_batches (journal, segment, byte_offset, first_id, last_id, instants, folded_at)
       values (${quoted(journal)}, ${segment}, ${offset}, ${firstId}, ${lastId}, ${instants}, ${Math.trunc(now)})`,
      timeout,
    );
    const startedAt = performance.now();
    await this.#client.insert(
      insertHitsSql,
      hitBlock(hits, (row) => firstId + row),
      tokenOf(firstId),
      timeout,
    );
    this.#lastAt = performance.now();
    clickServerCalls.insertions += 1;
    clickServerCalls.insertedHits += hits.count;
    clickServerCalls.insertionMilliseconds += this.#lastAt - startedAt;
  }

  async deleteBefore(at: number): Promise<void> {
    const parts = await this.#client.rows<{ month: string }>(
      "select distinct partition_id as month from system.parts where database = currentDatabase() and table = 'hits' and active",
    );
    for (const { month } of parts)
      if (/^\d{6}$/.test(month) && Number(month) < monthNumber(at))
        await this.#client.run(`alter table hits drop partition id '${month}'`);
    await this.#forgetBatches(at - monthLength);
  }

  /** Deletes batches whose hits have been deleted, except for the newest one, which has the newest id. */
  async #forgetBatches(before: number): Promise<void> {
    const old = `folded_at < ${Math.trunc(before)} and last_id < ${await this.newestId()}`;
    const [row] = await this.#client.rows<{ batches: number }>(
      `select count() as batches from hit_batches where ${old}`,
    );
    if (row !== undefined && row.batches > 0) await this.#client.run(`delete from hit_batches where ${old}`);
  }

  uncounted(watermarks: readonly Watermark[], now: number): Promise<readonly UncountedBatch[]> {
    return uncountedBatches(this.#client, watermarks, now);
  }

  /**
   * Hits that were inserted beyond the watermark have not been counted by any node: otherwise the watermark, which is locked now,
   * would be further on.
   */
  async deleteBeyond({ journal, segment, offset }: Watermark, now: number): Promise<boolean> {
    const startedAt = performance.now();
    const old = await this.#client.rows<OldBatch>(
      `select first_id, last_id, instants, folded_at from hit_batches
       where journal = ${quoted(journal)} and (segment, byte_offset) >= (${segment}, ${offset})
       order by first_id limit ${this.#deletedTogether}`,
    );
    if (old.length === 0) return false;
    const hasFullPage = old.length === this.#deletedTogether;
    const ended: OldBatch[] = [];
    for (const batch of old) {
      if (performance.now() - startedAt > deletionTime) break;
      if (batch.folded_at > now - maxInsertionTime) await this.#keepOut(batch);
      ended.push(batch);
    }
    await this.#deleteHits(ended);
    // By id: if the transaction has been aborted meanwhile, another process may have listed new batches.
    const firstIds = ended.map(({ first_id }) => first_id);
    await this.#client.run(
      `delete from hit_batches where journal = ${quoted(journal)} and first_id in (${firstIds.join(', ')})`,
      timeout,
    );
    return ended.length < old.length || hasFullPage;
  }

  /** Otherwise a slow server would be asked for the same again, as long as it is slow. */
  async #deleteHits(batches: readonly OldBatch[]): Promise<void> {
    const ids = rangesOf(batches).map(([first, last]) => `id between ${first} and ${last}`);
    try {
      await this.#client.run(`delete from hits where ${ids.join(' or ')}`, timeout);
    } catch (cause) {
      if (cause instanceof TimeoutExceeded) this.#deletedTogether = Math.ceil(batches.length / 2);
      throw cause;
    }
  }

  /** An insertion that is still running may end later: inserting another block with its token first keeps its hits out. */
  async #keepOut({ first_id, instants }: OldBatch): Promise<void> {
    for (const at of instants) {
      const placeholder = {
        columns: hitColumns.map((name) => Float64Array.of(name === 'at' ? at : 0)),
        count: 1,
      };
      await this.#client.insert(
        insertHitsSql,
        hitBlock(placeholder, () => 0),
        tokenOf(first_id),
        timeout,
      );
    }
  }
}

/** The ids of batches, which are in their order. Those of a single node follow each other, and fewer ranges are compared faster. */
function rangesOf(batches: readonly OldBatch[]): readonly [first: number, last: number][] {
  const ranges: [first: number, last: number][] = [];
  for (const { first_id, last_id } of batches) {
    const range = ranges.at(-1);
    if (range && range[1] + 1 === first_id) range[1] = last_id;
    else ranges.push([first_id, last_id]);
  }
  return ranges;
}

/** Each attempt has its own ids, and therefore its own token. */
const tokenOf = (firstId: number): string => `hits ${firstId}`;
