import type { WordField } from '../rules/click-fields.ts';

/** A hit in words; unknown texts are ''. It contains no address, and doesn't link a visitor of one day to one of the next. */
export interface Click extends Readonly<Record<WordField, string>> {
  readonly linkId: number;
  readonly at: number;
  readonly outcome: string;
  /** Which of the link's destinations: default, android or ios; null if it wasn't redirected. */
  readonly target: string | null;
  readonly class: string;
  readonly reason: string;
  readonly device: string;
  readonly source: string;
}

/** A click with its id in the ledger: the same in lists, exports, the live stream and webhooks. */
export interface StoredClick extends Click {
  readonly id: number;
}

/** What webhooks show in addition. It isn't stored in the ledger. */
export interface ClickDetails {
  readonly address: string;
  readonly userAgent: string;
  readonly osVersion: string;
  readonly browserVersion: string;
}

export interface FoldedClick extends Click, ClickDetails {
  /** Its index among the hits of its batch, in the order of the journal. */
  readonly index: number;
  /** Its position in its journal: unique, and the same whenever it is read. */
  readonly position: string;
}
