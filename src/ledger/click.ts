import type { WordField } from '../rules/click-fields.ts';

/**
 * A hit in words; unknown texts are ''. It reveals no address, and doesn't link a visitor of one day to one of the
 * next.
 */
export interface Click extends Readonly<Record<WordField, string>> {
  readonly linkId: number;
  readonly at: number;
  readonly outcome: string;
  /** Which of the link's destinations: default, android or ios; null without a redirect. */
  readonly target: string | null;
  readonly class: string;
  readonly reason: string;
  readonly device: string;
  readonly source: string;
}

/** A click with the id that the ledger has given it: the same in lists, exports, the live stream and webhooks. */
export interface StoredClick extends Click {
  readonly id: number;
}

/** What webhooks show beside it. It isn't stored in the ledger. */
export interface ClickDetails {
  readonly address: string;
  readonly userAgent: string;
  readonly osVersion: string;
  readonly browserVersion: string;
}

export interface FoldedClick extends Click, ClickDetails {
  /** Its index among the hits of its batch, in the order in which they came. */
  readonly index: number;
  /** Where it is in its journal: the same whenever it is read, and no other hit's there. */
  readonly place: string;
}
