import { minuteLength } from '../../rules/durations.ts';
import type { Watermark } from '../../storage/journal-watermarks.ts';
import type { HitWriter } from '../external-hits.ts';
import type { Connection, Row } from './sql-fold-store.ts';

/** Milliseconds that an active node has to retry a batch. */
const uncountedKept = 15 * minuteLength;

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
      const [row] = await query(
        'select node, segment, byte_offset from journal_watermarks where node = $1 for update',
        [journal],
      );
      if (row === undefined) return false;
      const hasMore = await writer.deleteBeyond(markIn(row), now);
      if (created !== undefined) await query('delete from journal_watermarks where node = $1', [journal]);
      return hasMore;
    });
  }

  async #list(writer: HitWriter, now: number) {
    const rows = await this.#connection.query('select node, segment, byte_offset from journal_watermarks');
    const uncounted = await writer.uncounted(rows.map(markIn), now);
    const old = uncounted.filter(({ foldedAt }) => foldedAt < now - uncountedKept);
    const withWatermark = new Set(rows.map(({ node }) => String(node)));
    const journals = new Set(old.map(({ journal }) => journal));
    return Array.from(journals, (journal) => [journal, withWatermark.has(journal)] as const);
  }
}

const markIn = (row: Row): Watermark => ({
  journal: String(row.node),
  segment: Number(row.segment),
  offset: Number(row.byte_offset),
});
