import type { Database, HitServer } from '../storage/database.ts';
import type { Watermark } from '../storage/journal-watermarks.ts';
import type { CorrectionScope } from './correction-scope.ts';
import type { FoldBatch } from './fold-store.ts';
import type { Ledger, StoredHit } from './ledger.ts';

/** Hits that were inserted for a part of a journal that begins at this position; their ids are consecutive. */
export interface UncountedBatch extends Watermark {
  readonly firstId: number;
  readonly lastId: number;
  readonly foldedAt: number;
}

/** Hits on a server of their own instead of in the main database. */
export interface ExternalHits extends HitServer {
  readonly ledger: Ledger;
  /** The number of hits in a step of a correction: each step rewrites neighbouring hits as well. */
  readonly partLength: number;
  withTerms(...terms: Parameters<HitServer['withTerms']>): ExternalHits;
  /** The next hits in a correction's scope after an id, oldest first. */
  inScope(scope: CorrectionScope, after: number, limit: number): Promise<readonly StoredHit[]>;
  /** Stores the ids of a part of a correction under a name that begins with the correction's number. */
  keepPart(name: string, ids: readonly number[]): Promise<void>;
  /** Corrects the hits of a part. Does nothing if it was done before. */
  correctPart(name: string, scope: CorrectionScope): Promise<void>;
  /** Deletes parts of a correction that were never used. */
  forgetParts(correction: number): Promise<void>;
  /** After a correction: removes the remains of deleted hits from disks, and repairs the projections. */
  finishCorrection(): Promise<void>;
  /** Batches beyond these watermarks (which must be all of them): no total includes their hits. */
  uncounted(watermarks: readonly Watermark[], now: number): Promise<readonly UncountedBatch[]>;
  deleteOrganization(id: number): Promise<void>;
  /** Passes all words of hits, one column after the other. */
  eachWord(use: (id: number) => void): Promise<void>;
}

/** Null if the hits are in the database. */
export const externalHits = ({ hits }: Pick<Database, 'hits'>): ExternalHits | null =>
  (hits as ExternalHits | undefined) ?? null;

/** Writes a fold's hits to the other server. */
export interface HitWriter {
  /** At least as high as the id of each hit that is on the server or may still be inserted. */
  newestId(): Promise<number>;
  /** Waits until the server can take another insertion of this many hits. */
  waitForCapacity(count: number): Promise<void>;
  /**
   * Called while the watermark is locked, before its new position is visible to others: if the transaction fails, the same hits
   * are inserted again with other ids. With `mayHaveOld`, this may have happened before: the remains are deleted first.
   */
  append(
    batch: Pick<FoldBatch, 'journal' | 'from' | 'hits' | 'now'>,
    firstId: number,
    mayHaveOld: boolean,
  ): Promise<void>;
  /** Batches beyond these watermarks, which must be all of them. */
  uncounted(watermarks: readonly Watermark[], now: number): Promise<readonly UncountedBatch[]>;
  /** Deletes hits of a journal from this position on. Called while its watermark is locked. Returns whether there may be more. */
  deleteBeyond(mark: Watermark, now: number): Promise<boolean>;
  /** Drops the months that ended before this instant. */
  deleteBefore(at: number): Promise<void>;
}
