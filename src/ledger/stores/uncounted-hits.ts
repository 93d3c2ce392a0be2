import { minuteLength } from '../../rules/durations.ts';
import type { Watermark } from '../../storage/journal-watermarks.ts';
import type { HitWriter } from '../external-hits.ts';
import type { Connection } from './sql-fold-store.ts';

/** Milliseconds that an active node has to retry a batch. */
const uncountedRetention = 15 * minuteLength;

const selectSql = 'select node as journal, segment, byte_offset as "offset" from journal_watermarks';

/** Deletes hits on the other server that no total includes, a part in each transaction. */
export class UncountedHits {
  readonly #connection: Connection;
  /**
   * Journals with such hits and whether they have a watermark, as long as they are being deleted: the list may have one for each second
   * since a restored backup.
   */
  #listed: readonly (readonly [journal: string, hasWatermark: boolean])[] | null = null;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Active nodes delete their own uncounted hits when they retry: these belong to nodes that no longer run, or can't reach the
   * database. Returns whether there may be more.
   */
  async deleteSome(writer: HitWriter, now: number): Promise<boolean> {
    const listed = this.#listed ?? (await this.#list(writer, now));
    // After a failure the list is read again.
    this.#listed = null;
    const [first, ...others] = listed;
    if (first === undefined) return false;
    const [journal, hasWatermark] = first;
    const hasMore = await this.deleteSomeOf(writer, journal, now, hasWatermark);
    const left = hasMore ? listed : others;
    if (left.length > 0) this.#listed = left;
    return left.length > 0;
  }

  /**
   * Locks the watermark, creating it if needed, so that no other node folds the journal meanwhile. With `hadWatermark`, a missing
   * one has expired, and nothing shows which hits were counted: none are deleted. Returns whether there may be more.
   */
  async deleteSomeOf(
    writer: HitWriter,
    journal: string,
    now: number,
    hadWatermark = false,
  ): Promise<boolean> {
    return this.#connection.transaction(async (query) => {
      const [created] = hadWatermark
        ? []
        : await query(
            'insert into journal_watermarks (node, segment, byte_offset) values ($1, 0, 0) on conflict do nothing returning node',
            [journal],
          );
      const [mark] = await query<Watermark>(`${selectSql} where node = $1 for update`, [journal]);
      if (mark === undefined) return false;
      const hasMore = await writer.deleteBeyond(mark, now);
      if (created !== undefined) await query('delete from journal_watermarks where node = $1', [journal]);
      return hasMore;
    });
  }

  async #list(writer: HitWriter, now: number) {
    const marks = await this.#connection.query<Watermark>(selectSql);
    const uncounted = await writer.uncounted(marks, now);
    const old = uncounted.filter(({ foldedAt }) => foldedAt < now - uncountedRetention);
    const withWatermark = new Set(marks.map(({ journal }) => journal));
    const journals = new Set(old.map(({ journal }) => journal));
    return Array.from(journals, (journal) => [journal, withWatermark.has(journal)] as const);
  }
}
