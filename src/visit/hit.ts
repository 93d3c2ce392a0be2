import type { RawHit } from '../journal/hit.ts';
import { aliasMark } from '../journal/record.ts';
import type { Witness } from '../rules/fetch-witness.ts';
import type { LedBy } from '../rules/link-rules.ts';
import type { LinkForVisitor, Outcome } from '../rules/resolve.ts';
import { visitedAddress } from '../rules/visited-address.ts';
import type { Visit } from './visit.ts';

/** How far headers are believed that proxies write. */
export interface HitTrust {
  readonly believesProxies: boolean;
  /** Whether https is told from http: by a proxy that is believed, or because this process speaks it itself. */
  readonly knowsScheme: boolean;
}

/** What the journal keeps of a visit: as it was sent. The fold works out what it means, after the answer. */
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
    witness: believedWitness(visit, trust),
    doNotTrack: visit.doNotTrack,
    ledBy: outcome.kind === 'redirect' && outcome.by !== null ? ledByText(outcome.by) : '',
    alias: link.alias === undefined ? '' : visitedAddress(visit.host, link.alias),
    countryHint: trust.believesProxies ? countryCode(visit.countryHint) : '',
  };
}

/**
 * A click of a quiet link. It has no method, which tells it from all others; programs before 052 count it as a machine's.
 * The instant is gone with the journal.
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
  witness: 'none',
  doNotTrack: false,
  ledBy: '',
  alias: '',
  countryHint: '',
});

/** What headers say against a browser, as far as that is told. */
export const believedWitness = ({ witness }: Visit, { knowsScheme }: HitTrust): Witness =>
  knowsScheme || witness !== 'no_browser_headers' ? witness : 'none';

const ledByText = ({ rule, variant }: LedBy): string => (variant === null ? rule : `${rule}/${variant}`);

const countryCode = (hint: string): string => (hint.length === 2 && !hint.includes(aliasMark) ? hint : '');
