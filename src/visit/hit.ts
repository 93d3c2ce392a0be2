import type { RawHit } from '../journal/hit.ts';
import type { LinkForVisitor, Outcome } from '../rules/resolve.ts';
import type { Visit } from './visit.ts';

/** What the journal keeps of a visit: as it was sent. The fold works out what it means, after the answer. */
export function hitOf(
  visit: Visit,
  link: Pick<LinkForVisitor, 'id' | 'organizationId'>,
  outcome: Outcome,
  at: number,
  believesProxies: boolean,
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
    witness: believesProxies || visit.witness !== 'no_browser_headers' ? visit.witness : 'none',
    doNotTrack: visit.doNotTrack,
    countryHint: believesProxies ? countryCode(visit.countryHint) : '',
  };
}

const countryCode = (hint: string): string => (hint.length === 2 ? hint : '');
