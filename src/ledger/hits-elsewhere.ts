import type { Database, HitServer } from '../storage/database.ts';
import type { CorrectionScope } from './correction-scope.ts';
import type { FoldBatch } from './fold-store.ts';
import type { Ledger, StoredHit } from './ledger.ts';

/** Hits that lie with a server of their own, and not in the database with everything else. */
export interface HitsElsewhere extends HitServer {
  readonly ledger: Ledger;
  /** How many hits a step of a correction has: each rewrites what lies beside them as well. */
  readonly partLength: number;
  inTheNameOf(...terms: Parameters<HitServer['inTheNameOf']>): HitsElsewhere;
  /** The next hits that a correction is about, after an id and oldest first. */
  meant(scope: CorrectionScope, after: number, limit: number): Promise<readonly StoredHit[]>;
  /** Keeps the ids of a part of a correction under a name that begins with the correction's number. */
  keepPart(name: string, ids: readonly number[]): Promise<void>;
  /** Corrects the hits of a part. Where it was done before, this changes nothing. */
  correctPart(name: string, scope: CorrectionScope): Promise<void>;
  /** Forgets parts of a correction that came to nothing. */
  forgetParts(correction: number): Promise<void>;
  /** Removes what deleted hits have left behind on disks. */
  removeDeleted(): Promise<void>;
  deleteOrganization(id: number): Promise<void>;
  /** All words of hits, one column after the other. */
  eachWord(use: (id: number) => void): Promise<void>;
}

/** Null where they are in the database. */
export const hitsElsewhere = ({ hits }: Pick<Database, 'hits'>): HitsElsewhere | null =>
  (hits as HitsElsewhere | undefined) ?? null;

/** How a fold writes hits that lie elsewhere. */
export interface HitWriter {
  /** At least as high as the id of each hit that is there, or may still come to be there. */
  newestId(): Promise<number>;
  /** Waits until another insertion of so many hits is no burden. */
  rest(count: number): Promise<void>;
  /**
   * Called while the watermark is locked, and before it has moved for others: where that fails, the same hits come again with
   * other ids. With `mayHaveOld` that may have happened, and what is left of it is deleted first.
   */
  append(
    batch: Pick<FoldBatch, 'journal' | 'from' | 'hits' | 'now'>,
    firstId: number,
    mayHaveOld: boolean,
  ): Promise<void>;
  /** Drops the months that are over before this instant. */
  deleteBefore(at: number): Promise<void>;
}
