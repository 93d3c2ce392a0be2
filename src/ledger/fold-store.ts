import type { Position } from '../journal/files.ts';
import { rollupClasses } from '../rules/click-fields.ts';
import { dayLength } from '../rules/utc-time.ts';
import type { StoredLink } from '../storage/links.ts';
import type { NewDelivery } from '../storage/webhook-queue.ts';

/** Typed arrays, because batches have whole numbers by the hundred thousand. */
export type Column = Float64Array | Int32Array;

/** Of a hit whose visitor isn't told from others. */
export const noVisitor = -1;

/** Visitors that one owner perhaps sees for the first time in a UTC day, in this hour of it; each once. */
export interface HourVisitors {
  readonly hour: number;
  /** A link, or an organization as a negative number. */
  readonly owner: number;
  /** The id of the variant that they were led to first; 0 for none, and for organizations. */
  readonly variant: number;
  readonly visitors: Float64Array;
}

/** How many visitors turned out to be new. */
export interface NewVisitors {
  readonly hour: number;
  readonly owner: number;
  readonly variant: number;
  readonly count: number;
}

export interface Hits {
  /** As `hitColumns` names them; a column may have room for more than there are. */
  readonly columns: readonly Column[];
  readonly count: number;
}

/** What a part of a journal adds to storage. All of it is written together with its watermark, or nothing. */
export interface FoldBatch {
  readonly journal: string;
  /** When it is folded. */
  readonly now: number;
  /** Where the watermark stands; null where there is none yet. */
  readonly from: Position | null;
  readonly to: Position;
  /** The newest sweep of words when the ids of its words were asked for, or an earlier one. */
  readonly sweep: number;
  /**
   * Words of these hits that no batch of this journal has had before: where the database has gone back since their ids were asked
   * for, its watermark doesn't show that, and other words may have their ids.
   */
  readonly newWords: ReadonlyMap<number, string>;
  readonly hits: Hits;
  /** Whether they come link by link, those of a link as they came; or else all of them as they came. */
  readonly isByLink: boolean;
  /** For each of the hits, its index in the order in which they came; null where they are in that order. */
  readonly order: Int32Array | null;
  /** In the order of the key of daily_visitors, and of the hours of an owner's day. */
  readonly visitors: readonly HourVisitors[];
  readonly linkHours: LinkHours;
  /** Row after row: organization, dimension, hour, class, value, hits; in the order of the key. */
  readonly organizationRollups: Float64Array;
  /** link, clicks, instant of the last (0 where nobody knows it); in the order of the links. */
  readonly linkClicks: Float64Array;
}

/** A batch before it is compared with the words in storage. */
export type BuiltBatch = Omit<FoldBatch, 'newWords'>;

/** Added to the hours of links, in the order of their key. */
export interface LinkHours {
  /** Row after row, as `linkHourColumns` names them. */
  readonly numbers: Float64Array;
  /** Row by row, as `hour-counts.ts` writes them. */
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

/** The id that the ledger has given to a hit, by its index in the order in which the hits came. */
export type HitIdOf = (index: number) => number;

/** Called inside the transaction with the hooks as they are then, and with the hits already in the ledger. */
export type DeliveriesOf = (
  links: ReadonlyMap<number, HookedLink>,
  hitIdOf: HitIdOf,
) => readonly NewDelivery[];

/** What a batch claims: its clicks, by which other journals tell their repeats. */
export interface NewClaim {
  readonly firstAt: number;
  readonly lastAt: number;
  /** As `recent-clicks.ts` packs them. */
  readonly cells: Uint8Array;
}

export interface OtherClaim extends Omit<NewClaim, 'firstAt'> {
  readonly turn: number;
}

/** How far a pair of link and network has filled its bucket: hits, and the instant of the last one. */
export interface FloodLevel {
  readonly pair: number;
  readonly level: number;
  readonly at: number;
}

export interface Claim {
  readonly journal: string;
  /** Where the batch begins. */
  readonly from: Position | null;
  /** Whether this batch may have been claimed before: then that claim doesn't count. */
  readonly mayHaveOld: boolean;
  readonly now: number;
  /** Claims with clicks between these instants matter. */
  readonly first: number;
  readonly last: number;
  /** Except for these, by their turns. */
  readonly known: readonly number[];
  /** Links with a network whose levels matter. */
  readonly pairs: readonly number[];
  /** Called while no other claims: those that matter are given, and the levels. Null claims nothing. */
  readonly decide: (
    others: readonly OtherClaim[],
    levels: readonly FloodLevel[],
  ) => { readonly claim: NewClaim | null; readonly levels: readonly FloodLevel[] };
}

/** Milliseconds for which claims are kept: a journal folded later doesn't see the clicks of others from back then. */
export const claimsKept = 120_000;

/** Milliseconds for which a journal's watermark outlives it: a copy that is folded later than that counts again. */
export const watermarksKept = 90 * dayLength;

/** The database is not the one that it was, or not as far: nothing that was read of it before holds. */
export class StoreChanged extends Error {
  override readonly name = 'StoreChanged';
}

/** The watermark isn't where this journal was read from: another node has folded it. */
export class JournalTaken extends Error {
  override readonly name = 'JournalTaken';
}

/** The fold's database. One user at a time. A call that fails with StoreAway may be tried again. */
export interface FoldStore {
  watermark(journal: string): Promise<Position | null>;
  /** The journal is folded to its end. Its watermark stays, so that a copy of it counts nothing again. */
  finishJournal(journal: string, now: number): Promise<void>;
  /** Deletes watermarks of journals that were finished before this instant. */
  deleteFinishedBefore(at: number): Promise<void>;
  /** The number of the newest sweep of words that has begun (`sweep-words.ts`). */
  newestSweep(): Promise<number>;
  /** The ids of these words, created where there are none yet. A sweep that began before doesn't delete them. */
  wordIds(words: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** From how many hits on a batch is wanted link by link: only those can be packed. */
  readonly minByLink: number;
  /** How many hits the next transaction should hold: many share its cost, and all other writers wait for it. */
  batchLength(): number;
  /** Returns the turn of the new claim; null where there is none. */
  claim(claim: Claim): Promise<number | null>;
  /** Deletes claims that nothing needs any more; `fold` and `claim` don't. */
  deleteClaimsBefore(now: number): Promise<void>;
  fold(batch: FoldBatch, deliveriesOf: DeliveriesOf): Promise<void>;
  verifiedHosts(): Promise<readonly string[]>;
  /** These delete a small part at a time, and return whether there may be more. */
  deleteVisitorsBefore(day: number): Promise<boolean>;
  /** The newest correction that is done: visitors may have been erased with it. */
  newestCorrection(): Promise<number>;
  /** Those from after `now`, which a wrong clock has made, are passed over: they keep nothing from being deleted. */
  deleteHitsBefore(at: number, now?: number): Promise<boolean>;
  /** What the database's own clock says; null where it has none. */
  serverNow(): Promise<number | null>;
  /** Once what has expired is deleted: removes what the database's own log still has of it, where that is in our hands. */
  shortenLog(): Promise<void>;
  /** Hits before this instant are about to be deleted, for their age. */
  noteDeletedBefore(at: number): Promise<void>;
  /** Rewrites some hits in the form that questions read fastest. Returns whether there may be more. */
  mergeSome(now: number): Promise<boolean>;
  close(): Promise<void>;
}
