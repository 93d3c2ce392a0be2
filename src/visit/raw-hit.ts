import type { RawHit } from '../journal/hit.ts';
import type { LinkForVisitor, Outcome } from '../rules/resolve.ts';

export interface SeenRequest {
  readonly request: Request;
  readonly search: string;
  readonly address: () => string;
}

/** What the journal keeps of a request: as it was sent. What it means is found out later, off the answer's way. */
export function rawHit(
  { request, search, address }: SeenRequest,
  link: Pick<LinkForVisitor, 'id' | 'organizationId'>,
  outcome: Exclude<Outcome, { kind: 'not_found' }>,
  at: number,
  believesProxies: boolean,
): RawHit {
  const { method, headers } = request;
  const userAgent = headers.get('user-agent') ?? '';
  return {
    linkId: link.id,
    organizationId: link.organizationId,
    at,
    outcome: outcome.kind,
    target: outcome.kind === 'redirect' ? outcome.target : null,
    method,
    address: address(),
    userAgent,
    acceptLanguage: headers.get('accept-language') ?? '',
    referer: headers.get('referer') ?? '',
    query: search,
    purpose: purposeOf(headers, userAgent),
    doNotTrack: headers.get('dnt') === '1' || headers.get('sec-gpc') === '1',
    countryHint: believesProxies ? countryHint(headers) : '',
  };
}

/**
 * The standard's name, and those that came before it: Firefox had one of its own. Each look at a header costs the
 * answer a quarter of a microsecond.
 */
const purposeOf = (headers: Headers, userAgent: string): string =>
  headers.get('sec-purpose') ??
  headers.get('purpose') ??
  headers.get(userAgent.includes('Firefox/') ? 'x-moz' : 'x-purpose') ??
  '';

/** As Cloudflare, Vercel and others name the visitor's country; anybody could send these, so only proxies are asked. */
function countryHint(headers: Headers): string {
  const hint =
    headers.get('cf-ipcountry') ?? headers.get('x-vercel-ip-country') ?? headers.get('x-country-code') ?? '';
  return hint.length === 2 ? hint : '';
}
