import type { RawHit } from '../journal/hit.ts';
import { aliasDelimiter } from '../journal/record.ts';
import type { HeaderEvidence } from '../rules/agents/header-evidence.ts';
import type { MatchedRule } from '../rules/link-rules/link-rules.ts';
import type { LinkForVisitor, Outcome } from '../rules/link-rules/resolve.ts';
import { visitedAddress } from '../rules/visited-address.ts';
import type { Visit } from './visit.ts';

/** What can be concluded from headers. */
export interface HitTrust {
  /** Whether https and http can be distinguished: a trusted proxy names the scheme, or this process terminates HTTPS itself. */
  readonly knowsScheme: boolean;
}

/** The journal's record of a visit, with its values as they were sent. The fold interprets them later. */
export function hitOf(
  visit: Visit,
  link: Pick<LinkForVisitor, 'id' | 'organizationId' | 'alias'>,
  outcome: Outcome,
  at: number,
  trust: HitTrust,
): RawHit {
  return {
    linkId: link.id,
    organizationId: link.organizationId,
    at,
    outcome: outcome.kind,
    target: outcome.kind === 'redirect' ? outcome.target : null,
    method: visit.method,
    address: visit.address,
    userAgent: visit.userAgent ?? '',
    acceptLanguage: visit.acceptLanguage,
    clientHints: visit.clientHints,
    referer: visit.referer,
    query: visit.search,
    purpose: visit.purpose,
    headerEvidence: trustedEvidence(visit, trust),
    doNotTrack: visit.doNotTrack,
    matchedRule: outcome.kind === 'redirect' && outcome.by !== null ? matchedRuleText(outcome.by) : '',
    alias: link.alias === undefined ? '' : visitedAddress(visit.host, link.alias),
    countryHint: countryCode(visit.countryHint),
  };
}

/**
 * A click of a quiet link. It has no method, which distinguishes it from all other hits; versions before 052 count it as a machine's. Its
 * time is deleted with the journal.
 */
export const quietClick = ({ id, organizationId }: LinkForVisitor, at: number): RawHit => ({
  linkId: id,
  organizationId,
  at,
  outcome: 'redirect',
  target: null,
  method: '',
  address: '',
  userAgent: '',
  acceptLanguage: '',
  clientHints: 0,
  referer: '',
  query: '',
  purpose: '',
  headerEvidence: 'none',
  doNotTrack: false,
  matchedRule: '',
  alias: '',
  countryHint: '',
});

/** The headers' evidence against a browser, as far as it can be trusted. */
export const trustedEvidence = ({ headerEvidence }: Visit, { knowsScheme }: HitTrust): HeaderEvidence =>
  knowsScheme || headerEvidence !== 'no_browser_headers' ? headerEvidence : 'none';

const matchedRuleText = ({ rule, variant }: MatchedRule): string =>
  variant === null ? rule : `${rule}/${variant}`;

const countryCode = (hint: string): string =>
  hint.length === 2 && !hint.includes(aliasDelimiter) ? hint : '';
