import type { RawHit } from '../../src/journal/hit.ts';

/** A click on a link by a browser, with every optional field empty. */
export const plainHit: RawHit = {
  linkId: 1,
  organizationId: 1,
  at: 0,
  outcome: 'redirect',
  target: 'default',
  method: 'GET',
  address: '198.51.100.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  acceptLanguage: '',
  referer: '',
  query: '',
  purpose: '',
  clientHints: 0,
  headerEvidence: 'none',
  doNotTrack: false,
  countryHint: '',
  matchedRule: '',
  alias: '',
};
