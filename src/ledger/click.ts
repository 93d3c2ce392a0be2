import type { WordField } from '../rules/click-fields.ts';

/**
 * A hit in words. Texts are '' where nothing is known. Nothing here leads to an address, nor from one day's visitor to the
 * next day's.
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
}
