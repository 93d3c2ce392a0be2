import type { HeaderEvidence } from '../rules/agents/header-evidence.ts';
import type { Outcome, Target } from '../rules/link-rules/resolve.ts';

/** A hit as the journal keeps it, until it is folded. */
export interface RawHit {
  readonly linkId: number;
  readonly organizationId: number;
  readonly at: number;
  readonly outcome: Outcome['kind'];
  /** Which of the link's destinations; null when it wasn't redirected. */
  readonly target: Target | null;
  /** '' for a click of a quiet link, of which only the link is kept: it is added to the link's total. */
  readonly method: string;
  readonly address: string;
  readonly userAgent: string;
  readonly acceptLanguage: string;
  /** A checksum of Sec-CH-UA, -Mobile and -Platform, to tell browsers apart; 0 if none was sent. */
  readonly clientHints: number;
  readonly referer: string;
  readonly query: string;
  readonly purpose: string;
  /** The headers' evidence against a browser. */
  readonly headerEvidence: HeaderEvidence;
  /** DNT: 1 or Sec-GPC: 1. */
  readonly doNotTrack: boolean;
  /** The country in a trusted proxy's header; '' if there is none. */
  readonly countryHint: string;
  /** The id of the rule that chose the destination, followed by a slash and the id of its variant; '' if no rule did. */
  readonly matchedRule: string;
  /** The alias that was visited, with its host (`go.example.com/old`); '' for the link's own address, as nearly always. */
  readonly alias: string;
}
