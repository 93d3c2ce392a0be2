import type { Position } from '../journal/files.ts';
import { rollupClasses } from '../rules/click-fields.ts';
import { dayLength } from '../rules/durations.ts';
import type { StoredLink } from '../storage/links/links.ts';
import type { NewDelivery } from '../storage/webhooks/webhook-queue.ts';

/** Typed arrays, because batches have hundreds of thousands of integers. */
export type Column = Float64Array | Int32Array;

/** For hits whose visitor can't be identified. */
export const noVisitor = -1;

/** Visitors that may be new to one owner on a UTC day, by their first hour; each once. */
export interface HourVisitors {
  readonly hour: number;
  /** A link, or an organization as a negative number. */
  readonly owner: number;
  /** The id of the first variant that they were sent to; 0 for none, and for organizations. */
  readonly variant: number;
  readonly visitors: Float64Array;
}

/** The number of visitors that were new. */
export interface NewVisitors extends Omit<HourVisitors, 'visitors'> {
  readonly count: number;
}

export interface Hits {
  /** As `hitColumns` names them; a column may be longer than the number of hits. */
  readonly columns: readonly Column[];
  readonly count: number;
}

/** What a part of a journal adds to storage, together with the new watermark: all or nothing. */
export interface FoldBatch {
  readonly journal: string;
  /** The time of the fold. */
  readonly now: number;
  /** The current watermark; null if there is none yet. */
  readonly from: Position | null;
  readonly to: Position;
  /** The newest sweep of words when the ids of its words were fetched, or an earlier one. */
  readonly sweep: number;
  /**
   * Words of these hits that are new in this journal: if the database has gone back in time since their ids were fetched, its
   * watermark doesn't show that, and other words may have their ids.
   */
  readonly newWords: ReadonlyMap<number, string>;
  readonly hits: Hits;
  /** Whether they are sorted by link, keeping the order within a link; otherwise they are in their original order. */
  readonly isByLink: boolean;
  /** For each hit, its index in the original order; null if the hits are in that order. */
  readonly order: Int32Array | null;
  /** Sorted by the key of daily_visitors, and by the hours of an owner's day. */
  readonly visitors: readonly HourVisitors[];
  readonly linkHours: LinkHours;
  /** Rows of organization, dimension, hour, class, value and hits, sorted by key. */
  readonly organizationRollups: Float64Array;
  /** Rows of link, clicks, and instant of the last click (0 if unknown), sorted by link. */
  readonly linkClicks: Float64Array;
}

/** A batch before it is compared with the words in storage. */
export type BuiltBatch = Omit<FoldBatch, 'newWords'>;

/** Additions to the hours of links, sorted by key. */
export interface LinkHours {
  /** Rows with the columns of `linkHourColumns`. */
  readonly numbers: Float64Array;
  /** One text per row, as `hour-counts.ts` writes them. */
  readonly counts: readonly string[];
}

export const linkHourColumns = ['link_id', 'hour', ...rollupClasses] as const;

export const rollupColumns = 6;
export const linkClickColumns = 3;

/** A link with a webhook or a Zap. */
export type HookedLink = Pick<
  StoredLink,
  | 'id'
  | 'organization_id'
  | 'suffix'
  | 'host'
  | 'destination_url'
  | 'android_url'
  | 'ios_url'
  | 'rules'
  | 'webhook_url'
  | 'webhook_events'
  | 'webhook_auth_key'
  | 'zapier_hook_url'
>;

/** The ledger's id of a hit, by its index in the original order. */
export type HitIdOf = (index: number) => number;

/** Called inside the transaction with the current hooks, when the hits are in the ledger. */
export type DeliveriesOf = (
  links: ReadonlyMap<number, HookedLink>,
  hitIdOf: HitIdOf,
) => readonly NewDelivery[];

/** The clicks that a batch claims, for the repeats of other journals. */
interface NewClaim {
  readonly firstAt: number;
  readonly lastAt: number;
  /** As `recent-clicks.ts` packs them. */
  readonly cells: Uint8Array;
}

export interface OtherClaim extends Omit<NewClaim, 'firstAt'> {
  readonly claimNumber: number;
}

/** How full the bucket of a pair of link and network is: in hits, with the instant of the last one. */
export interface FloodLevel {
  readonly pair: number;
  readonly level: number;
  readonly at: number;
}

export interface Claim {
  readonly journal: string;
  /** The start and the end of the batch. */
  readonly from: Position | null;
  readonly to: Position;
  /** Whether this batch may have been claimed before: then that claim is ignored. */
  readonly mayHaveOld: boolean;
  readonly now: number;
  /** Claims with clicks between these instants matter. */
  readonly first: number;
  readonly last: number;
  /** Except for these, identified by their numbers. */
  readonly known: readonly number[];
  /** The pairs of link and network whose levels matter. */
  readonly pairs: readonly number[];
  /** Called, while no other journal claims, with the relevant claims and levels. Null claims nothing. */
  readonly decide: (
    others: readonly OtherClaim[],
    levels: readonly FloodLevel[],
  ) => { readonly claim: NewClaim | null; readonly levels: readonly FloodLevel[] };
}

/** Milliseconds for which claims are kept: a journal folded later doesn't see other journals' clicks from that time. */
export const claimRetention = 120_000;

/** Milliseconds for which a watermark is kept after its journal: a copy that is folded later is counted again. */
export const watermarkRetention = 90 * dayLength;

/** The database is another one, or has gone back in time: everything read from it before is invalid. */
export class StoreChanged extends Error {
  override readonly name = 'StoreChanged';
}

/** The watermark isn't at the position from which this journal was read: another node has folded it. */
export class JournalTaken extends Error {
  override readonly name = 'JournalTaken';
}

/** The fold's database, for one caller at a time. A call that fails with StoreUnavailable may be tried again. */
export interface FoldStore {
  watermark(journal: string): Promise<Position | null>;
  /** The journal is completely folded. Its watermark is kept, so that a copy of it isn't counted again. */
  finishJournal(journal: string, now: number): Promise<void>;
  /** Deletes watermarks of journals that were finished before this instant. */
  deleteFinishedBefore(at: number): Promise<void>;
  /** The number of the newest sweep of words that has begun (`sweep-words.ts`). */
  newestSweep(): Promise<number>;
  /** The ids of these words, created if needed. A sweep that began before doesn't delete them. */
  wordIds(words: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Batches of at least this many hits should be sorted by link: only those can be packed. */
  readonly minByLink: number;
  /** The best number of hits for the next transaction: many hits share its cost, while all other writers wait for it. */
  batchLength(): number;
  /** Returns the number of the new claim; null if none was made. */
  claim(claim: Claim): Promise<number | null>;
  /** Deletes expired claims; `fold` and `claim` don't. */
  deleteClaimsBefore(now: number): Promise<void>;
  fold(batch: FoldBatch, deliveriesOf: DeliveriesOf): Promise<void>;
  verifiedHosts(): Promise<readonly string[]>;
  /** Like `deleteHitsBefore`, deletes a small part at a time, and returns whether there may be more. */
  deleteVisitorsBefore(day: number): Promise<boolean>;
  /** A number that changes when a correction ends, by whichever clock: it may have erased visitors. */
  endedCorrections(): Promise<number>;
  /** If hits are on another server: deletes some of failed attempts that no node has repeated. Returns whether there may be more. */
  deleteUncounted(now: number): Promise<boolean>;
  /** The same of this journal's failed attempts, unless this process has counted all of its hits. `fold` only deletes a few. */
  deleteUncountedOf(journal: string, now: number): Promise<boolean>;
  /** Where hits are checked by id, those after `now`, from a wrong clock, are skipped: they don't prevent others from being deleted. */
  deleteHitsBefore(at: number, now?: number): Promise<boolean>;
  /** The time of the database's own clock; null if it has none. */
  serverNow(): Promise<number | null>;
  /** After expired data was deleted: removes it from the database's own log, where we control that. */
  shortenLog(): Promise<void>;
  /**
   * Hits before this instant are about to be deleted because of their age. If an earlier deletion was of hits before an instant
   * after `now`, by a clock that was ahead, all hits until now count as deleted.
   */
  noteDeletedBefore(at: number, now: number): Promise<void>;
  /** Makes chunks of some hits, which queries read fastest. Returns whether there may be more to do. */
  chunkSome(now: number): Promise<boolean>;
  close(): Promise<void>;
}
