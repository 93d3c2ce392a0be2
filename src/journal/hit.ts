import type { Witness } from '../rules/fetch-witness.ts';
import type { Outcome, Target } from '../rules/resolve.ts';

/** A hit as the journal keeps it, until it is folded. */
export interface RawHit {
  readonly linkId: number;
  readonly organizationId: number;
  readonly at: number;
  readonly outcome: Outcome['kind'];
  /** Which of the link's destinations; null when it wasn't redirected. */
  readonly target: Target | null;
  /** '' for a click of a quiet link: nothing of it is kept but its link, to which it is added as one click. */
  readonly method: string;
  readonly address: string;
  readonly userAgent: string;
  readonly acceptLanguage: string;
  /** A checksum of Sec-CH-UA, -Mobile and -Platform, which tells browsers apart; 0 where none was sent. */
  readonly clientHints: number;
  readonly referer: string;
  readonly query: string;
  readonly purpose: string;
  /** What headers say against a browser. */
  readonly witness: Witness;
  /** DNT: 1 or Sec-GPC: 1. */
  readonly doNotTrack: boolean;
  /** The country as a trusted proxy's header names it; '' when there is none. */
  readonly countryHint: string;
  /** The id of the rule that led the visitor, and behind a slash that of its variant; '' where none did. */
  readonly ledBy: string;
  /** The alias by which the visitor came, with its host (`go.example.com/old`); '' for the link's own address, and nearly always. */
  readonly alias: string;
}

/** Words of a record are written as their index in these lists, which are only ever added to at their end. */
export const outcomes = [
  'redirect',
  'preview',
  'ask_password',
  'ask_captcha',
  'refused',
  'expired',
  'not_started',
] as const;
export const targets = ['none', 'default', 'android', 'ios', 'rule'] as const;
