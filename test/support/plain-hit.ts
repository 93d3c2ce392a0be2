import type { RawHit } from '../../src/journal/hit.ts';
import { firefox } from './agents-of-people.ts';

/** A click on a link by a browser, with every optional field empty. */
export const plainHit: RawHit = {
  linkId: 1,
  organizationId: 1,
  at: 0,
  outcome: 'redirect',
  target: 'default',
  method: 'GET',
  address: '198.51.100.7',
  userAgent: firefox,
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
